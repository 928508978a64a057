"""The benchmark's lessons build in this course: else it would measure a broken site."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from tests.bench import corpus_format
from tests.conftest import ROOT

CORPUS = ROOT.parent / "shared/bench/corpus.py"


@pytest.mark.skipif(not CORPUS.exists(), reason="the benchmark's corpus is not beside this checkout (CI has it)")
def test_two_neutral_lessons_build_with_every_output_and_figure(checkout):
    spec = importlib.util.spec_from_file_location("corpus", CORPUS)
    corpus = sys.modules["corpus"] = importlib.util.module_from_spec(spec)  # its dataclasses look themselves up there
    spec.loader.exec_module(corpus)
    lessons = corpus.Corpus(lessons=2, snippets=3).lessons
    corpus_format.clear_lessons(checkout.root)
    for lesson in lessons:
        corpus_format.write_lesson(checkout.root, lesson)
    done = checkout.build()
    assert (done.returncode, done.stderr) == (0, "")
    for lesson in lessons:
        page = (checkout.site / corpus_format.page_path(lesson)).read_text(encoding="utf-8")
        assert all(snippet.marker in page for snippet in lesson.snippets)
        assert page.count('<figure class="lesson-figure"') == lesson.n_figures
