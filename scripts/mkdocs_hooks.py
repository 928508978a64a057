"""MkDocs builds the course through this thin adapter: lessonkit does the work, and knows nothing of MkDocs."""

from __future__ import annotations

import functools
import logging
from pathlib import Path

from mkdocs.exceptions import Abort
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.pages import _RelativePathTreeprocessor as LinkResolver
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler, get_relative_url

from lessonkit.builder import Builder
from lessonkit.live_reload import quicken
from lessonkit.markup import LessonExtension
from lessonkit.navigation import split_by_language
from lessonkit.page_context import page_context
from lessonkit.page_store import PageStore, StoredPage
from lessonkit.pages import Page
from lessonkit.problems import report
from lessonkit.project import PageName, Project
from lessonkit.publishing import Publication, PublishedPage
from lessonkit.rendering import put_items
from lessonkit.templates import shared_environment

log = logging.getLogger("mkdocs.hooks.lessonkit")
project = Project(Path(__file__).resolve().parent.parent)
extension = LessonExtension()
store = PageStore(project.cache / "pages")
warnings = CountHandler(level=logging.WARNING)  # MkDocs's own: a dead link, a missing anchor
serving, builder, course, navigations, publishing = False, None, None, {}, None


def on_startup(command, dirty):
    globals().update(serving=command == "serve", builder=Builder(project).prepare())
    logging.getLogger("mkdocs").addHandler(warnings)


def on_shutdown():
    builder.close()


def on_config(config):
    if not config.use_directory_urls:
        raise Abort("mkdocs.yml: the course's addresses end in “/”. Take out “use_directory_urls: false”.")
    config.markdown_extensions.append(extension)
    make, folders = config.theme.get_env, tuple(config.theme.dirs)
    config.theme.get_env = functools.partial(shared_environment, make, folders, project.cache / "templates")
    warnings.counts.clear()


def on_files(files, config):
    globals().update(course=builder.build(with_notes=serving))
    log.info(builder.summary)


def on_nav(nav, config, files):
    own = split_by_language(nav, Navigation)
    pages = [PublishedPage.of(page, read) for one in own.values() for page in one.pages if (read := lesson_page(page))]
    publication = Publication(project, course, pages, Path(config.site_dir), config.site_url or "", serving)
    globals().update(navigations=own, publishing=publication.begin())


def lesson_page(page) -> Page | None:
    return course.sources.pages.get(PageName.of(page.file.src_uri))


def on_pre_page(page, config, files):
    if lesson_page(page):
        page.render = functools.partial(render, page)


def on_page_read_source(page, config):
    return getattr(lesson_page(page), "text", None)


def on_page_markdown(markdown, page, config, files):
    read = lesson_page(page)
    page.meta = dict(read.meta) if read else page.meta
    return read.markdown if read else markdown


def render(page, config, files):
    """Convert a page, or take its HTML from the store."""
    read = lesson_page(page)
    key = store.key(read, course, [page.file.dest_uri, Path(config.config_file_path).read_bytes()])
    if (stored := store.load(key)) and stored.restore(page, get_toc, LinkResolver(page.file, files, config)):
        return
    before = sum(warnings.counts.values())
    with extension.converting(read, course) as links:
        SitePage.render(page, config, files)
    page.content = page.content or put_items("", read, course)  # Markdown skips an empty page, which has a reason
    if sum(warnings.counts.values()) == before:
        store.save(key, StoredPage.of(page, links))


def on_page_context(context, page, config, nav):
    if name := PageName.of(page.file.src_uri):
        config.theme["language"] = name.language
        config.load_dict(config.extra["languages"][name.language])  # its site_name, its copyright
        root = get_relative_url(f"{name.language}/", page.url).rstrip("/")  # the theme looks for its sitemap there
        own = page_context(name, publishing.publication.pages)
        context |= {**own, "nav": navigations[name.language], "base_url": root}
    return context


def on_post_build(config):
    problems = publishing.finish()
    store.sweep()
    if problems:
        log.error("The sources have faults:\n%s", report(problems))
    if not serving and (problems or warnings.counts):
        raise Abort("The site was built, but it is not right: see above.")


def on_serve(server, config, builder):
    return quicken(server)
