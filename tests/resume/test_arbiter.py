"""The arbiter of the files to begin with: what it is asked, what its answers change, and what its failures do not."""

from __future__ import annotations

import json
import shlex
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from aicx.cli import run
from tests.lifecycle.conftest import Place, place

pytestmark = pytest.mark.slow

__all__ = ["place"]
GENERIC = "AICX_GENERIC_ENTRYPOINT_ARBITER_COMMAND"
PLAIN = "AICX_ENTRYPOINT_ARBITER_COMMAND"


def begin_here(place: Place) -> None:
    folder = place.repository.folder
    edits = [("Edit", {"file_path": f"{folder}/src/{name}.py", "new_string": "x"}) for name in ("token", "cookie")]
    for name in ("token", "cookie"):
        place.repository.commit(f"src/{name}.py")
    place.session("22222222-2222-4222-8222-222222222222", *edits)


@pytest.fixture
def ask(place: Place, tmp_path, monkeypatch, capsys):
    """`aicx resume --json` with an arbiter that runs a program; its JSON without the time, and the notes."""
    now = datetime.now(UTC)
    monkeypatch.setattr("aicx.options.now", lambda: now)

    def asking(program: str | None = None, *options: str, variable: str = GENERIC) -> tuple[dict[str, Any], str]:
        for name in (GENERIC, PLAIN):
            monkeypatch.delenv(name, raising=False)
        if program is not None:
            script = tmp_path / "arbiter.py"
            script.write_text(f"import json, sys, time\nasked = json.load(sys.stdin)\n{program}")
            monkeypatch.setenv(variable, shlex.join([sys.executable, str(script)]))
        capsys.readouterr()
        assert run(["resume", "--task", "go on", "--json", *options]) == 0
        out, err = capsys.readouterr()
        return json.loads(out), err

    return asking


def first(answer: dict[str, Any]) -> list[str]:
    found: list[str] = answer["execution_contract"]["expected_first_files"]
    return found


def test_without_a_command_rules_decide_and_nothing_is_said(ask):
    answer, notes = ask()
    assert answer["entry_points_by"] == "rules"
    assert "arbiter" not in notes
    assert len(first(answer)) == 3


def test_a_file_that_is_dropped_is_none_to_begin_with(ask):
    before = first(ask()[0])
    program = f"print(json.dumps({{'keep': asked['candidate']['path'] != {before[0]!r}, 'confidence': 0.9}}))"
    answer, notes = ask(program)
    assert answer["entry_points_by"] == "arbiter"
    assert first(answer) == before[1:]
    assert before[0] not in [point["path"] for point in answer["capsule"]["entry_points"]]
    assert "the arbiter kept 2 and dropped 1 of the files to begin with" in notes


def test_the_question_has_the_documented_fields(ask, tmp_path):
    ask(f"open({str(tmp_path / 'asked')!r}, 'w').write(json.dumps(asked)); print('{{}}')")
    asked = json.loads((tmp_path / "asked").read_text())
    assert list(asked) == ["version", "task", "candidate", "handoff", "instruction"]
    assert list(asked["task"]) == ["request_text", "task_category", "request_terms", "explicit_continuation"]
    assert {"path", "reason", "heuristic_relevance", "heuristic_signals", "path_category", "in_repo_map"} <= set(
        asked["candidate"]
    )
    assert list(asked["instruction"]) == ["goal", "output_schema", "rules"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("sys.exit(1)", "it ended with exit code 1"),
        ("print('nothing')", "its answer is not JSON"),
        ("print(json.dumps({'keep': 'yes', 'confidence': 0.9}))", "its answer does not fit the schema"),
        ("print(json.dumps({'keep': True, 'confidence': 1.5}))", "its answer does not fit the schema"),
        ("time.sleep(30)", "no answer within 2 s"),
        ("print(json.dumps({'keep': False, 'confidence': 0.54}))", "the arbiter is not sure"),
        (
            "if 'token' in asked['candidate']['path']: sys.exit(1)\nprint('{\"keep\": false, \"confidence\": 1}')",
            "exit code 1",
        ),
    ],
)  # fmt: skip
def test_what_fails_or_is_not_sure_changes_nothing_and_is_named(ask, program, reason):
    before, _ = ask()
    after, notes = ask(program)
    assert after == before
    assert "note: files to begin with are by rules: the arbiter" in notes
    assert reason in notes


@pytest.mark.parametrize(
    ("answer", "dropped"),
    [
        ({"relation": "unrelated", "confidence": 0.9, "reason_short": "another part"}, True),
        ({"relation": "adjacent", "confidence": 0.9, "recommended_priority": "demote", "reason_short": "done"}, True),
        ({"relation": "unrelated", "confidence": 0.9, "recommended_priority": "ignore", "reason_short": "no"}, True),
        ({"relation": "continuation", "confidence": 0.9, "recommended_priority": "keep", "reason_short": "on"}, False),
        ({"relation": "adjacent", "confidence": 0.9}, False),
    ],
)
def test_an_answer_in_the_words_of_another_tool_counts(ask, answer, dropped):
    before, _ = ask()
    after, notes = ask(f"print({json.dumps(json.dumps(answer))})")
    assert after["entry_points_by"] == "arbiter"
    assert (first(after) == first(before)) != dropped
    assert ("dropped 0 of" in notes) != dropped


@pytest.mark.parametrize("said", [{"recommended_priority": 3}, {"recommended_priority": "high"}, {"relation": "near"}])
def test_an_answer_in_the_words_of_no_tool_changes_nothing(ask, said):
    before, _ = ask()
    after, notes = ask(f"print({json.dumps(json.dumps({'confidence': 0.9, **said}))})")
    assert after == before
    assert "does not fit the schema" in notes


def test_the_command_of_the_agent_goes_before_the_plain_one(ask, monkeypatch, tmp_path):
    drop = "print(json.dumps({'keep': False, 'confidence': 1.0}))"
    monkeypatch.setenv("AICX_CLAUDE_ENTRYPOINT_ARBITER_COMMAND", "/no/such/command")
    assert ask(drop, variable=PLAIN)[0]["entry_points_by"] == "arbiter"
    assert "it does not start" in ask(drop, "--agent-id", "claude", variable=PLAIN)[1]


def test_the_files_of_a_stated_task_are_never_asked_about(ask, place, tmp_path):
    assert run(["task", "start", "Mend the token", "--json"]) == 0
    assert run(["task", "update", "--json-patch", json.dumps({"active_files": ["src/token.py"]})]) == 0
    named = tmp_path / "named"
    answer, _ = ask(
        f"open({str(named)!r}, 'a').write(asked['candidate']['path'] + ' ')\n"
        "print(json.dumps({'keep': False, 'confidence': 1.0}))"
    )
    assert "src/token.py" not in named.read_text().split()
    assert first(answer)[0] == "src/token.py"


def test_a_file_that_the_task_names_is_certain(ask, tmp_path):
    named = tmp_path / "named"
    ask(
        f"open({str(named)!r}, 'a').write(asked['candidate']['path'] + ' ')\nprint('{{}}')",
        "--task",
        "rewrite src/login.py so that tokens live longer",
    )
    assert not named.exists() or "src/login.py" not in named.read_text().split()
