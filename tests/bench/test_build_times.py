"""The benchmark of builds builds what it says, sees when a page lacks something, and prints its table."""

from __future__ import annotations

import pytest

from tests.bench import __main__ as bench
from tests.bench.generated_lessons import generate
from tests.bench.sites import Course, Static

pytestmark = pytest.mark.slow


def test_a_small_course_is_measured_beside_a_static_site(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench, "MarkdownExec", Missing)
    bench.compare(tmp_path, lessons=2, runs=1)
    bench.grow(tmp_path, lessons=2, factors=[1])
    said = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.strip()}
    for situation, most in (("unchanged", "0.8"), ("number", "1.1")):
        ours, static, ratio, budget = rows[situation]
        assert float(ratio) == pytest.approx(float(ours) / float(static), rel=0.05)
        assert budget == most
    assert rows["formulas:"][0] == "60"
    assert float(rows["served"][0]) > 0
    assert float(rows["2"][0]) > 0


class Missing:
    @staticmethod
    def is_installed() -> bool:
        return False


def test_a_page_that_lacks_an_output_a_figure_or_a_word_is_no_measurement(tmp_path):
    lessons = generate(2, programs=3)
    site = Static(tmp_path / "static", lessons)
    bench.measure(site)
    page = tmp_path / "static/site/es/lesson-000/index.html"
    html = page.read_text(encoding="utf-8")
    for lost in (lessons[0].snippets[1].marker, lessons[0].word, "<img"):
        page.write_text(html.replace(lost, ""), encoding="utf-8")
        assert len(site.faults()) == 1, lost
    (tmp_path / "static/mkdocs.yml").write_text("site_name: [", encoding="utf-8")
    with pytest.raises(SystemExit, match="was not built: status 1"):
        bench.measure(site)


def test_every_edit_shows(tmp_path):
    before, after = Course(tmp_path / "a", generate(2, programs=1)), generate(2, programs=1)
    bench.edit_number(before)
    bench.edit_word(before)
    assert before.lessons[0].snippets[0].marker != after[0].snippets[0].marker
    assert before.lessons[1].word != after[1].word
    assert f"edits = {before.lessons[0].snippets[0].edits}\n" in (
        tmp_path / "a/snippets/es/lesson-000/snippet-0.py").read_text(encoding="utf-8")
