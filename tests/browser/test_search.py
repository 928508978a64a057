"""The search dialog in Chromium, in both languages, by keyboard, mouse and touch, on the deployed site below a sub-path."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import LESSON, PHONE, built_site

pytestmark = pytest.mark.browser

OTHER = {"es": "ru", "ru": "es"}
WORD = {"es": "atención", "ru": "внимание"}
MASKS = "lessons/masks/"


def find(page, query: str, key: str = "/") -> list[dict]:
    """Open the dialog, write, and wait: the pages found, each with `title`, `path` and `sections`."""
    if not page.locator("dialog.course-search[open]").count():
        page.keyboard.press(key)
    field = page.locator(".course-search__input")
    field.fill("")
    page.wait_for_function("!document.querySelector('.course-search__status').textContent")
    field.fill(query)  # at once: on a busy machine half a word would be answered first
    page.wait_for_function("""() => !document.querySelector('.course-search__results').hidden
                              || !document.querySelector('.course-search__advice').hidden""")
    return page.evaluate("""() => [...document.querySelectorAll('.course-search__page')].map((group) => {
      const [top, ...sections] = [...group.querySelectorAll('a')].map((link) => ({
        title: link.querySelector('.course-search__title').textContent,
        path: link.href, text: link.textContent, marks: [...link.querySelectorAll('mark')].map((mark) => mark.textContent),
      }));
      return {...top, sections};
    })""")


def status(page) -> str:
    return page.locator(".course-search__status").text_content()


def is_open(page) -> bool:
    return page.locator("dialog.course-search[open]").count() == 1


def chosen(page) -> str:
    """Address of the result that a screen reader is told of: the field names it."""
    return page.evaluate("""() => {
      const field = document.querySelector('.course-search__input');
      const [one, ...more] = document.querySelectorAll('.course-search [aria-selected=true]');
      if (more.length || one?.id !== field.getAttribute('aria-activedescendant')) throw new Error('two are chosen');
      return one.href;
    }""")


# --- What is found -----------------------------------------------------------------------------------------------------


@pytest.mark.case(number="C20")
@pytest.mark.case(number="C32")
@pytest.mark.case(number="C64")
@pytest.mark.parametrize(("code", "query", "mark"), [
    ("ru", "внимания", "вним"), ("ru", "вниманием", "вним"), ("ru", "ВНИМАНИЕ", "вним"), ("ru", "еще", "ещё"), ("ru", "ещё", "ещё"),
    ("ru", "причинный", "причин"), ("ru", "матрицей", "матриц"), ("ru", "√d", "√d"), ("ru", "softmax", "softmax"),
    ("ru", "вним", "вним"), ("ru", "key_padding_mask", "key_padding_mask"),
    ("es", "atencion", "atenci"), ("es", "ATENCIÓN", "atenci"), ("es", "mascaras", "máscara"), ("es", "función", "funci"),
    ("es", "funciones", "funci"), ("es", "√d", "√d"), ("es", "self-attention", "self-attention"),
])
def test_forms_accents_and_signs(open_page, code, query, mark):
    """Each form of a word finds pages, every one with the word marked, and no page of another language."""
    page = open_page(f"{code}/{LESSON}")
    found = find(page, query)
    assert found
    for result in found:
        assert f"/course/{code}/" in result["path"]
        marks = [one.lower() for part in (result, *result["sections"]) for one in part["marks"]]
        assert marks
        assert all(mark in one for one in marks), marks
    assert str(len(found)) in status(page)
    assert page.seen["errors"] == []


@pytest.mark.case(number="C32")
@pytest.mark.parametrize("query", ["xyzzyx", "qqqq"])
def test_words_that_are_nowhere_and_of_the_other_language_find_nothing(open_page, language, query):
    """Not even pages that share a beginning: Pagefind alone would shorten a word until something matches."""
    page = open_page(f"{language}/{LESSON}")
    words = {"es": ["внимание", "внимания", "ещё", "маска"], "ru": ["atención", "atencion", "máscara", "diccionario"]}
    for one in [query, *words[language]]:
        assert find(page, one) == []
        assert one in status(page)
    advice = page.locator(".course-search__advice")
    assert advice.is_visible()
    assert advice.locator("li").count() == 3
    glossary, lessons = (link.get_attribute("href") for link in advice.locator("a").all())
    assert glossary.endswith(f"/course/{language}/glossary/")
    assert lessons.endswith(f"/course/{language}/")
    assert page.locator(".course-search__results").is_hidden()
    assert page.locator(".course-search__input").get_attribute("aria-expanded") == "false"


def test_a_word_that_is_nowhere_is_told_and_the_others_are_found(open_page, language):
    page = open_page(f"{language}/")
    assert find(page, "softmax xyzzyx")
    assert "«xyzzyx»" in status(page)
    assert "softmax" not in status(page)


@pytest.mark.parametrize(("code", "question"), [
    ("es", "¿Por qué sale NaN al enmascarar?"), ("ru", "Откуда NaN после маски?"),
])
def test_a_question_is_answered_by_its_section(open_page, code, question):
    best = find(open_page(f"{code}/"), question)[0]
    assert best["path"].endswith(f"/{code}/{MASKS}")
    section = best["sections"][0]
    assert section["path"].endswith(f"/{code}/{MASKS}#nan")
    assert section["title"] == question


def test_results_are_grouped_by_page_with_sections(open_page, language):
    page = open_page(f"{language}/")
    found = find(page, "softmax")
    assert len({result["path"] for result in found}) == len(found) > 3
    for result in found:
        assert "#" not in result["path"]
        assert len(result["sections"]) <= 3
        assert all(section["path"].startswith(result["path"] + "#") for section in result["sections"])
    groups = page.locator(".course-search [role=listbox] > [role=group]")
    assert [group.get_attribute("aria-label") for group in groups.all()] == [result["title"] for result in found]
    text = " ".join(section["text"] for result in found for section in result["sections"])
    assert "import numpy" not in text, "code is not searched"
    assert "¶" not in text
    assert "\\" not in text, "formulas are plain text"


def test_homes_and_notebooks_are_not_found(open_page, language):
    paths = [result["path"] for result in find(open_page(f"{language}/"), WORD[language])]
    assert not [path for path in paths if path.endswith(f"/course/{language}/") or "/notebooks/" in path]


# --- Keyboard ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_keyboard_from_opening_to_the_section(open_page, language, key):
    page = open_page(f"{language}/{LESSON}")
    found = find(page, "softmax", key)
    links = [part["path"] for result in found for part in (result, *result["sections"])]
    assert chosen(page) == links[0]
    page.keyboard.press("ArrowDown")
    assert chosen(page) == links[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert chosen(page) == links[-1], "round the end"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    target = found[0]["sections"][0]["path"]
    assert chosen(page) == target
    assert page.evaluate("document.activeElement.getAttribute('role')") == "combobox", "the field keeps the focus"
    page.keyboard.press("Enter")
    page.wait_for_url(target)
    page.wait_for_function("id => document.getElementById(id)?.getBoundingClientRect().top < innerHeight", arg=target.split("#")[1])
    assert not is_open(page)
    assert page.seen["errors"] == []


def test_enter_at_once_waits_for_the_result(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.keyboard.press("/")
    page.keyboard.type({"es": "máscara causal", "ru": "причинная маска"}[language])
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname.endsWith('/glossary/') || location.pathname.endsWith('/masks/')")
    assert not is_open(page)


def test_escape_returns_the_focus_and_the_query_stays(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.locator("article a").first.focus()
    before = page.evaluate("document.activeElement.href")
    find(page, "softmax")
    page.keyboard.press("Escape")
    assert not is_open(page)
    assert page.evaluate("document.activeElement.href") == before
    page.keyboard.press("/")
    assert page.locator(".course-search__input").input_value() == "softmax"
    assert page.evaluate("getSelection().toString()") == "softmax", "the next key begins anew"
    assert page.locator(".course-search__results").is_visible()


def test_the_russian_layout_has_its_point_on_the_key(open_page):
    """There the theme would take the point for its key of the next page."""
    page = open_page(f"ru/{LESSON}")
    address = page.url
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '.', code: 'Slash', bubbles: true, cancelable: true}))")
    assert is_open(page)
    page.keyboard.press("Escape")
    page.evaluate("""document.body.dispatchEvent(new KeyboardEvent('keydown',
      {key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true}))""")
    assert is_open(page)
    assert page.url == address


def test_a_slash_that_is_written_is_a_slash(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.evaluate("document.querySelector('article').prepend(document.createElement('textarea'))")
    page.locator("article textarea").press_sequentially("1/2")
    assert page.locator("article textarea").input_value() == "1/2"
    assert not is_open(page)
    page.keyboard.press("Control+k")
    page.locator(".course-search__input").press_sequentially("q/k")
    assert page.locator(".course-search__input").input_value() == "q/k"


# --- Mouse, touch, screen readers --------------------------------------------------------------------------------------


def test_mouse(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.locator(".course-search-button").click()
    assert is_open(page)
    page.mouse.click(5, 500)
    assert not is_open(page), "a click beside it closes it"
    found = find(page, "softmax")
    page.locator(".course-search__page a").nth(1).click()
    page.wait_for_url(found[0]["sections"][0]["path"])
    assert not is_open(page)


def test_phone(open_page, language):
    page = open_page(f"{language}/{LESSON}", **PHONE)
    page.locator(".course-search-button").tap()
    box = page.locator("dialog.course-search").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)
    field = page.locator(".course-search__input")
    assert float(field.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 16, "or iOS zooms"
    assert field.evaluate("e => e === document.activeElement")
    found = find(page, WORD[language])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("dialog.course-search").evaluate("e => e.scrollWidth <= e.clientWidth")
    for link in page.locator(".course-search__page a").all():
        assert link.bounding_box()["height"] >= 24, "big enough for a finger"
    page.locator(".course-search__close").tap()
    assert not is_open(page)
    page.locator(".course-search-button").tap()
    page.locator(".course-search__page a").first.tap()
    page.wait_for_url(found[0]["path"])
    assert not is_open(page)


def test_what_a_screen_reader_is_told(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    button = page.get_by_role("button", name={"es": "Buscar", "ru": "Поиск"}[language])
    assert button.get_attribute("aria-haspopup") == "dialog"
    button.click()
    field = page.get_by_role("combobox")
    assert field.get_attribute("aria-expanded") == "false"
    found = find(page, "softmax")
    assert field.get_attribute("aria-expanded") == "true"
    listbox = page.locator("#" + field.get_attribute("aria-controls"))
    assert listbox.get_attribute("role") == "listbox"
    assert page.get_by_role("status").text_content() == {"es": "Páginas encontradas: ", "ru": "Найдено страниц: "}[language] + str(len(found))


# --- Wherever the site is ----------------------------------------------------------------------------------------------


def test_nothing_is_loaded_before_it_is_opened(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.wait_for_load_state("networkidle")
    assert not [url for url in page.seen["requests"] if "pagefind" in url or "search-engine" in url]
    find(page, "softmax")
    loaded = [url for url in page.seen["requests"] if "pagefind" in url]
    assert loaded
    assert all("/course/pagefind/" in url for url in loaded), "below the sub-path"
    assert not [url for url in loaded if re.search(rf"/(index|fragment)/{OTHER[language]}_|wasm\.{OTHER[language]}", url)]


@pytest.mark.case(number="C32")
def test_after_instant_navigation_and_in_the_other_language(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.evaluate("window.sameDocument = true")
    found = find(page, "softmax")
    page.keyboard.press("Enter")
    page.wait_for_url(found[0]["path"])
    assert page.evaluate("window.sameDocument"), "this is instant navigation"
    assert find(page, WORD[language])
    link = page.locator(".course-search__advice a").last
    assert link.evaluate("e => e.href").endswith(f"/course/{language}/"), "its links still lead home"
    page.keyboard.press("Escape")

    other = OTHER[language]
    page.locator(".course-languages a").click()
    page.wait_for_url(re.compile(f"/course/{other}/"))
    found = find(page, WORD[other])
    assert found
    assert all(f"/course/{other}/" in result["path"] for result in found)
    assert str(len(found)) in status(page)
    assert {"es": "Páginas", "ru": "страниц"}[other] in status(page), "words and index are of the same language"
    assert find(page, WORD[language]) == []


def test_without_javascript_there_is_the_list_of_lessons(open_page, language):
    page = open_page(f"{language}/{LESSON}", java_script_enabled=False)
    assert page.locator(".course-search-button").is_hidden()
    fallback = page.locator(".course-search-fallback")
    assert "JavaScript" in fallback.text_content()
    assert fallback.locator("a").is_visible()
    fallback.locator("a").click()
    page.wait_for_url(f"**/course/{language}/")


def test_an_index_that_does_not_load_is_told(open_page, language):
    page = open_page(f"{language}/{LESSON}")
    page.route("**/pagefind/**", lambda route: route.abort())
    page.keyboard.press("/")
    page.locator(".course-search__advice").wait_for()
    assert {"es": "Recarga", "ru": "Обновите"}[language] in status(page)
    page.unroute("**/pagefind/**")
    assert is_open(page)


def test_a_site_that_does_not_know_its_address(chromium, tmp_path, language):
    """As `mkdocs serve` and a plain build: no instant navigation, no whole addresses."""
    with built_site(tmp_path, knows_its_address=False) as site:
        page = chromium.new_page()
        page.goto(f"{site.address}{language}/{LESSON}")
        found = find(page, "softmax")
        page.keyboard.press("Enter")
        page.wait_for_url(found[0]["path"])
        page.close()
