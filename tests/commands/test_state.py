"""`aicx status` through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home, strip_tool_facts

SECRET = "ghp_" + "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA3bC6"
KEYS = [
    "schema",
    "home",
    "chunks",
    "sessions",
    "messages",
    "redactions",
    "corpus_bytes",
    "ignored_chunks",
    "chunks_without_tool_facts",
    "first",
    "last",
    "logs_read",
    "log_bytes_read",
    "logs_with_bad_records",
    "fallback_reason",
    "notes",
    "views",
]


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = Home(tmp_path).used(monkeypatch)
    user.claude(ClaudeLog(SESSION).prompt(f"Use {SECRET}", 0).answer("Done.", 1))
    user.codex(CodexLog(OTHER).prompt("Three", 60))
    user.store()
    return user


def state(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["state", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(state(capsys, *arguments, "--json")[1])
    return found


def views(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    return {one["view"]: one for one in as_json(capsys)["views"]}


def test_all_that_is_kept_has_a_line(user, capsys):
    out = state(capsys)[1]
    assert [name for name in ("index", "memory", "work", "recall", "share") if f" {name}  " not in out] == []
    assert "needs you  nothing" in out


def test_a_line_names_the_command_that_shows_the_rest(user, capsys):
    for one in views(capsys).values():
        assert run([*one["more"].split()[1:], "--help"]) == 0


@pytest.mark.needs("git")
def test_what_waits_for_a_person_is_told_with_the_command(user, capsys, monkeypatch):
    monkeypatch.chdir(user.repository("orbit"))
    assert run(["memory", "put", "Retries are capped at 5", "--kind", "fact", "--topic", "retries"]) == 0
    assert run(["task", "start", "Mend the lexer"]) == 0
    capsys.readouterr()
    found = views(capsys)
    assert found["memory"]["said"] == "1 record, 0 agreed"
    assert found["memory"]["waits"] == "1 record to decide about: aicx memory candidates queue"
    assert found["work"]["said"] == "1 open task, the last changed “Mend the lexer”"
    assert "needs you  1 record to decide about" in state(capsys)[1]


@pytest.mark.needs("git")
def test_what_is_wrong_with_one_part_leaves_the_others(user, capsys, monkeypatch):
    orbit = user.repository("orbit")
    monkeypatch.chdir(orbit)
    policy = Path(orbit, ".aicx", "memory-policy.toml")
    policy.parent.mkdir()
    policy.write_text("[")
    found = views(capsys)
    assert "memory-policy.toml" in found["memory"]["waits"]
    assert found["work"]["said"] == "0 open tasks"


def test_it_answers_in_a_folder_that_was_deleted(user, capsys, monkeypatch):
    gone = user.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = as_json(capsys)
    assert found["chunks"] == 2
    assert [one["view"] for one in found["views"]] == ["index", "memory", "work", "recall", "share"]


def test_of_one_agents_logs_there_are_counters_alone(user, capsys):
    assert "views" not in as_json(capsys, "-a", "claude")
    assert "needs you" not in state(capsys, "-a", "claude")[1]


def test_the_json_has_these_fields(user, capsys):
    found = as_json(capsys)
    assert list(found) == KEYS
    assert found["schema"] == "aicx.state/1"


def test_everything_is_counted(user, capsys):
    logs = [*user.root.rglob("*.jsonl")]
    assert {name: value for name, value in as_json(capsys).items() if name not in ("schema", "home", "views")} == {
        "chunks": 2,
        "sessions": 2,
        "messages": 3,
        "redactions": 1,
        "corpus_bytes": sum((user.corpus / path).stat().st_size for path in user.chunks()),
        "ignored_chunks": 0,
        "chunks_without_tool_facts": 0,
        "first": "2026-03-01T10:00:00.000Z",
        "last": "2026-03-01T10:01:00.000Z",
        "logs_read": 2,
        "log_bytes_read": sum(path.stat().st_size for path in logs),
        "logs_with_bad_records": 2,
        "fallback_reason": None,
        "notes": [],
    }


def test_people_get_a_line_for_each(user, capsys):
    code, out, err = state(capsys)
    assert (code, err) == (0, "Times are UTC.\n")
    lines = dict(line.strip().split("  ", 1) for line in out.splitlines())
    assert (lines["chunks"], lines["messages"], lines["secrets redacted"]) == ("2", "3", "1")
    assert lines["first message"].strip() == "2026-03-01 10:00"


def test_people_get_sizes_in_their_units(user, capsys):
    lines = dict(line.strip().split("  ", 1) for line in state(capsys)[1].splitlines())
    assert lines["size of logs read"].endswith(" KB")


def test_chunks_of_an_earlier_version_are_counted_with_the_next_step(user, capsys):
    user.claude(ClaudeLog(SESSION).prompt("Test it", 70).call("Bash", 71, command="pytest").result("fine", 72))
    user.store()
    strip_tool_facts(user.corpus)
    found = as_json(capsys)
    assert found["chunks_without_tool_facts"] == 1
    assert "`aicx store --full-rescan` adds facts" in found["notes"][0]
    _, out, err = state(capsys)
    assert ("without tool facts  1" in out, found["notes"][0] in err) == (True, True)


def test_without_the_catalogue_the_corpus_is_counted_all_the_same(user, capsys):
    before = as_json(capsys)
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()
    after = as_json(capsys)
    names = ("chunks", "sessions", "messages", "redactions", "corpus_bytes", "first", "last")
    assert [after[name] for name in names] == [before[name] for name in names]
    assert "catalogue is missing" in after["fallback_reason"]
    assert "catalogue is missing" in state(capsys)[2]


def test_nothing_stored_yet_is_exit_three(user, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
    assert state(capsys)[0] == 3


class TestReset:
    def test_it_makes_the_next_run_read_everything_again(self, user, capsys):
        assert as_json(capsys, "--reset") == {"schema": "aicx.state/1", "reset": 2}
        before = user.files()
        assert user.store().logs_read == 2
        assert user.files() == before

    def test_it_can_be_for_one_agent(self, user, capsys):
        assert as_json(capsys, "--reset", "-a", "codex")["reset"] == 1
        assert user.store().logs_read == 1

    def test_it_says_so(self, user, capsys):
        assert state(capsys, "--reset")[2] == "2 logs will be read again by the next `aicx store`.\n"

    def test_an_unknown_agent_is_exit_two(self, user, capsys):
        assert state(capsys, "--reset", "-a", "clippy")[0] == 2

    def test_what_is_stored_stays(self, user, capsys):
        before = user.files()
        state(capsys, "--reset")
        assert user.files() == before
        assert as_json(capsys)["chunks"] == 2


def test_agent_has_figures_of_its_own(user, capsys):
    found = as_json(capsys, "-a", "codex")
    assert (found["sessions"], found["logs_read"], found["redactions"]) == (1, 1, 0)


def test_several_agents_are_counted_together(user, capsys):
    found = as_json(capsys)
    del found["views"]
    assert as_json(capsys, "-a", "codex", "-a", "claude") == found


def test_unknown_agent_is_refused_with_the_known(user, capsys):
    code, _, err = state(capsys, "-a", "foo")
    assert code == 2
    assert "unknown agent 'foo'\n next: known agents: claude, codex" in err
