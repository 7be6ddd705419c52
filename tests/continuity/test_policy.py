"""What a memory policy excludes is not taken over into a note."""

from __future__ import annotations

import json

import pytest

from tests.continuity.builders import FIRST, NotePlace

POLICY = ".aicx/memory-policy.toml"


@pytest.fixture
def told(place: NotePlace) -> NotePlace:
    """A session that wants something, ran something, and says what it decided."""
    said = "I decided to use swordfish because it is faster. Next: write the docs of carp."
    calls = (("pytest -k swordfish", "1 passed", False), ("make test", "ok", False))
    place.session(FIRST, "Ship the swordfish export for large files", calls=calls, said=said)
    return place


def test_statements_that_a_policy_excludes_are_in_no_note(told: NotePlace) -> None:
    told("save")
    assert "swordfish" in told.project.read_text() + told.local.read_text()
    told("clear")
    told.write(POLICY, 'exclude_patterns = ["swordfish"]\n')
    answer = told("save")
    notes = told.project.read_text() + told.local.read_text()
    assert "swordfish" not in notes + json.dumps(answer)
    assert "make test" in notes
    assert told.goal() is None


def test_nothing_of_a_session_that_a_policy_excludes_is_in_a_note(told: NotePlace) -> None:
    told.write(POLICY, 'exclude_sources = ["session:claude:*"]\n')
    told("save")
    layers = told.layers()
    assert [layers.merged.goal, *layers.merged.sections.values()] == [None]


@pytest.mark.parametrize("rule", ['exclude_patterns = ["swordfish"]', 'exclude_sources = ["session:claude:*"]'])
def test_a_summarizer_is_not_given_what_a_policy_excludes(told: NotePlace, rule: str) -> None:
    asked = told.folder / "asked"
    script = told.folder / "summarize.sh"
    script.write_text(f"#!/bin/sh\ncat > {asked}\necho '{{}}'\n")
    script.chmod(0o755)
    told.home.mkdir(exist_ok=True)
    (told.home / "config.toml").write_text(f'summarizer_command = "{script}"\n')
    told("save")
    assert "swordfish" in asked.read_text()
    asked.write_text("")
    told.write(POLICY, rule + "\n")
    told("refresh")
    assert "swordfish" not in asked.read_text()


def test_nothing_is_saved_under_a_malformed_policy(told: NotePlace) -> None:
    told.write(POLICY, "exclude_paths = [")
    assert told.failed("save")["code"] == 9
    assert not told.project.exists()
