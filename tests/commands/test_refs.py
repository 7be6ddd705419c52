"""`aicx status --projects` through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.kept import Kept

NEXT_DAY = 14 * 3600


@pytest.fixture
def user(home: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    user = Home(kept.folder).used(monkeypatch)

    def fill() -> None:
        orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
        user.claude(ClaudeLog(SESSION, orbit).prompt("One", 0).prompt("Two", NEXT_DAY))
        user.claude(ClaudeLog(OTHER, user.repository("lamp", "git@x.org:ada/lamp.git")).prompt("Three", 7200))
        user.codex(CodexLog(THIRD, orbit).prompt("Four", 50))
        assert run(["store"]) == 0

    kept.again(fill)
    capsys.readouterr()
    return user


def refs(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["refs", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(refs(capsys, *arguments, "--json")[1])
    return found


def test_the_json_has_these_fields(user, capsys):
    found = as_json(capsys)
    assert list(found) == ["schema", "projects", "notes"]
    assert found["schema"] == "aicx.refs/1"
    assert list(found["projects"][0]) == [
        "project",
        "chunks",
        "sessions",
        "first_date",
        "last_date",
        "agents",
        "latest",
        "size",
        "first",
        "folders",
    ]


def test_a_project_is_counted(user, capsys):
    orbit = as_json(capsys)["projects"][0]
    size = sum((user.corpus / path).stat().st_size for path in user.chunks() if "/orbit/" in path)
    assert orbit == {
        "project": "ada/orbit",
        "chunks": 3,
        "sessions": 2,
        "first_date": "2026-03-01",
        "last_date": "2026-03-02",
        "agents": {"claude": 2, "codex": 1},
        "latest": "2026-03-02T00:00:00.000Z",
        "size": size,
        "first": "2026-03-01T10:00:00.000Z",
        "folders": {},
    }


def test_the_project_that_was_worked_on_last_comes_first(user, capsys):
    assert [item["project"] for item in as_json(capsys)["projects"]] == ["ada/orbit", "ada/lamp"]


@pytest.mark.parametrize(
    ("arguments", "projects"),
    [(["-p", "lamp"], ["ada/lamp"]), (["-a", "codex"], ["ada/orbit"]), (["-p", "zzz"], []), (["-H", "1"], [])],
    ids=" ".join,
)
def test_a_filter_lets_through(user, capsys, arguments, projects):
    assert [item["project"] for item in as_json(capsys, *arguments)["projects"]] == projects


def test_people_get_two_lines_a_project(user, capsys):
    code, out, err = refs(capsys, "-p", "lamp")
    assert (code, err) == (0, "Times are UTC.\n")
    first, second = out.splitlines()
    assert first == "ada/lamp  2026-03-01"
    assert second.startswith("  1 session, 1 chunk, ")
    assert second.endswith(": claude 1")


def test_folders_outside_a_repository_are_named(user, capsys):
    user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001", "/srv/notes").prompt("Five", 100))
    user.store()
    out = refs(capsys)[1].splitlines()
    at = out.index("no repository  2026-03-01")
    assert out[at + 2] == "  /srv/notes: 1 session"
    [outside] = [item for item in as_json(capsys)["projects"] if item["project"] == "non-repository-contexts"]
    assert outside["folders"] == {"/srv/notes": 1}


def test_the_paths_of_all_chunks_can_be_had(user, capsys):
    _, out, _ = refs(capsys, "--emit", "paths")
    assert sorted(out.splitlines()) == sorted(str(user.corpus / path) for path in user.chunks())


def test_nothing_found_is_said_and_no_failure(user, capsys):
    code, out, err = refs(capsys, "-p", "zzz")
    assert (code, out) == (0, "")
    assert "Nothing matches." in err
    assert "known: ada/lamp, ada/orbit" in err


@pytest.mark.parametrize("emit", ["summary", "paths"])
def test_nothing_found_is_a_failure_where_that_is_asked_for(user, capsys, emit):
    assert refs(capsys, "-p", "zzz", "--strict", "--emit", emit)[0] == 3
    assert refs(capsys, "-p", "lamp", "--strict", "--emit", emit)[0] == 0


def test_such_a_failure_prints_one_object(user, capsys):
    _, out, _ = refs(capsys, "-p", "zzz", "--strict", "--json")
    assert json.loads(out)["schema"] == "aicx.error/1"


def test_an_answer_without_the_catalogue_is_the_same_and_says_so(user, capsys):
    before = as_json(capsys)
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()
    after = as_json(capsys)
    assert after["projects"] == before["projects"]
    assert any("catalogue is missing" in note for note in after["notes"])


def test_what_is_hidden_is_not_listed(user, capsys):
    (user.corpus / ".aicxignore").write_text("store/ada/lamp\n")
    assert [item["project"] for item in as_json(capsys)["projects"]] == ["ada/orbit"]
    assert "lamp" not in refs(capsys, "--emit", "paths")[1]


def test_nothing_stored_yet_is_exit_three(user, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
    assert refs(capsys)[0] == 3


def test_an_unknown_word_to_emit_is_exit_two(user, capsys):
    assert refs(capsys, "--emit", "everything")[0] == 2
