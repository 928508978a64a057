"""One sitemap a language: Material's language switch looks there for the counterpart of a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape


def write_sitemap(file: Path, urls: Iterable[str | None]) -> None:
    """Write the addresses that are known; a site without `site_url` knows none, and has no sitemap."""
    entries = "".join(f"<url><loc>{escape(url)}</loc></url>\n" for url in urls if url)
    if entries:
        file.write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
            encoding="utf-8",
        )
