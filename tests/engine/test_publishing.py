"""What `mkdocs build` tells the world of a page: its description, its card, its counterparts; and where it is edited."""

from __future__ import annotations

import re

from PIL import Image

SITE = "https://example.org/course/"
DEPLOYED = {"SITE_URL": SITE, "REPO_URL": "https://github.com/example/course", "EDIT_URI": "edit/main/docs/"}


def meta(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page))


def test_a_deployed_page_describes_itself(checkout):
    done = checkout.build("--strict", **DEPLOYED)
    assert (done.returncode, done.stderr) == (0, "")
    for language, title, locale in (("es", "Mezcla", "es_LA"), ("ru", "Смесь", "ru_RU")):
        page = checkout.page(f"{language}/lessons/mini")
        address = f"{SITE}{language}/lessons/mini/"
        card = f"assets/cards/{language}/mini.png"
        found = meta(page)
        assert found["description"] == found["og:description"] == f"{title}."
        assert (found["og:title"], found["og:locale"], found["og:url"], found["og:image"]) == (title, locale, address, SITE + card)
        assert found["twitter:card"] == "summary_large_image"
        with Image.open(checkout.site / card) as image:
            assert image.size == (int(found["og:image:width"]), int(found["og:image:height"]))
        assert re.findall(r'<link rel="canonical" href="(.*?)">', page) == [address]
        assert f'href="https://github.com/example/course/edit/main/docs/{language}/lessons/mini.md"' in page
        assert re.findall(r'<link rel="icon" href="(.*?)"', page) == [f"../../../assets/images/favicon.{kind}" for kind in ("svg", "png")]
    assert f"Sitemap: {SITE}sitemap.xml" in (checkout.site / "robots.txt").read_text()
    assert (checkout.site / "sitemap.xml").read_text().count("<sitemap>") == 3
    assert not (checkout.site / "sitemap.xml.gz").exists()


def test_a_site_that_does_not_know_its_address_claims_none(checkout):
    assert checkout.build().returncode == 0
    page = checkout.page("es/lessons/mini")
    assert not {"og:url", "og:image", "twitter:card"} & meta(page).keys()
    assert meta(page)["description"] == "Mezcla."
    assert 'rel="canonical"' not in page
    assert 'rel="edit"' not in page
    assert not (checkout.site / "assets/cards").exists()
    assert not (checkout.site / "sitemap.xml").exists()


def test_links_to_the_other_language_are_each_pages_own_below_any_path(checkout):
    for site_url in ("", SITE, "https://example.org/"):
        assert checkout.build(**({"SITE_URL": site_url} if site_url else {})).returncode == 0
        for path, up in (("{}", "../"), ("{}/lessons/mini", "../../../")):
            for language, other in (("es", "ru"), ("ru", "es")):
                page = checkout.page(path.format(language))
                link = re.search(r'<a class="course-languages__link" href="(.*?)" hreflang="(.*?)" lang="(.*?)">', page)
                assert link.groups() == (up + path.format(other) + "/", other, other)
                assert 'rel="alternate"' not in page, "Material would ask these addresses for sitemaps"


def test_the_page_for_unknown_addresses_links_from_the_root(checkout):
    for site_url, root in (("", "/"), (SITE, "/course/")):
        assert checkout.build(**({"SITE_URL": site_url} if site_url else {})).returncode == 0
        page = (checkout.site / "404.html").read_text(encoding="utf-8")
        assert re.findall(r'<a href="(.*?)"', page) == [f"{root}es/", f"{root}ru/"]
        assert "Esta página no existe" in page
        assert "Такой страницы нет" in page
        assert 'name="robots" content="noindex"' in page
