"""MkDocs builds the course through this thin adapter: the engine in lessonkit does the work and knows nothing of MkDocs."""

from __future__ import annotations

import functools
import logging
from pathlib import Path

from mkdocs.exceptions import Abort
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.pages import _RelativePathTreeprocessor
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler, get_relative_url

from lessonkit.builder import Builder
from lessonkit.languages import LANGUAGES
from lessonkit.live_reload import quicken
from lessonkit.markup import LessonExtension
from lessonkit.page_store import PageStore, StoredPage
from lessonkit.pages import Page
from lessonkit.problems import report
from lessonkit.project import PageName, Project
from lessonkit.rendering import put_items
from lessonkit.sitemaps import write_sitemap
from lessonkit.templates import shared_environment

log = logging.getLogger("mkdocs.hooks.lessonkit")
project = Project(Path(__file__).resolve().parent.parent)
extension = LessonExtension()
store = PageStore(project.cache / "pages")
warnings = CountHandler(level=logging.WARNING)  # MkDocs's own: a dead link, a missing anchor
navigations: dict[str, Navigation] = {}
command, builder, course = "build", None, None


def on_startup(command, dirty):
    globals().update(command=command, builder=Builder(project))
    logging.getLogger("mkdocs").addHandler(warnings)


def on_shutdown():
    builder.close()


def on_config(config):
    config.markdown_extensions.append(extension)
    make, folders = config.theme.get_env, tuple(config.theme.dirs)
    config.theme.get_env = functools.partial(shared_environment, make, folders, project.cache / "templates")
    warnings.counts.clear()
    return config


def on_files(files, config):
    globals().update(course=builder.build())
    return files


def on_nav(nav, config, files):
    """Each language has a navigation and neighbours of its own."""
    navigations.clear()
    for section in [item for item in nav.items if item.is_section and item.title in LANGUAGES]:
        own = [page for page in nav.pages if language(page) == section.title]
        for item in section.children:
            item.parent = None
        for page, before, after in zip(own, [None, *own], [*own[1:], None], strict=False):
            page.previous_page, page.next_page = before, after
        navigations[section.title] = Navigation(section.children, own)
        navigations[section.title].homepage = own[0]
    return nav


def language(page):
    folder = page.file.src_uri.split("/", 1)[0]
    return folder if folder in LANGUAGES else None


def lesson_page(page) -> Page | None:
    return language(page) and course.sources.pages.get(PageName(*page.file.src_uri.split("/", 1)))


def on_pre_page(page, config, files):
    if lesson_page(page):
        page.render = functools.partial(render, page)
    return page


def on_page_read_source(page, config):
    read = lesson_page(page)
    return read.text if read else None


def on_page_markdown(markdown, page, config, files):
    read = lesson_page(page)
    if read:
        page.meta = dict(read.meta)
    return read.markdown if read else markdown


def render(page, config, files):
    """Convert a page, or take its HTML from the store and resolve its links anew."""
    read = lesson_page(page)
    key = store.key(read, course, [page.file.dest_uri, config.markdown_extensions[:-1], config.mdx_configs])
    if not restore(page, store.load(key), config, files):
        before = sum(warnings.counts.values())
        with extension.converting(read, course) as links:
            SitePage.render(page, config, files)
        page.content = page.content or put_items("", read, course)  # Markdown skips an empty page, which has a reason
        if sum(warnings.counts.values()) == before:
            store.save(key, StoredPage(page.content, [contents(item) for item in page.toc], page._title_from_render,
                                       sorted(page.present_anchor_ids), links.written, links.resolved))


def contents(item) -> dict:
    return {"name": item.title, "id": item.id, "level": item.level, "children": [contents(i) for i in item.children]}


def restore(page, stored, config, files) -> bool:
    links = _RelativePathTreeprocessor(page.file, files, config)
    if stored is None or [links.path_to_url(url) for url in stored.links] != stored.resolved:
        return False
    page.content, page.toc, page._title_from_render = stored.content, get_toc(stored.contents), stored.title
    page.present_anchor_ids, page.links_to_anchors = set(stored.anchors), links.links_to_anchors
    return True


def on_page_context(context, page, config, nav):
    lang = language(page)
    if lang:
        config.theme["language"] = lang
        config.site_name = config.extra["languages"][lang]["site_name"]
        context["nav"] = navigations[lang]
        context["base_url"] = get_relative_url(f"{lang}/", page.url).rstrip("/")  # where the theme looks for the sitemap
    return context


def on_post_build(config):
    for lang, nav in navigations.items():
        write_sitemap(Path(config.site_dir, lang, "sitemap.xml"), [page.canonical_url for page in nav.pages])
    if course.problems:
        log.error("The sources have faults:\n%s", report(course.problems))
    if command == "build" and (course.problems or warnings.counts):
        raise Abort("The site was built, but it is not right: see above.")


def on_serve(server, config, builder):
    quicken(server)
    return server
