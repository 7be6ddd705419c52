"""Stored chunks read back as the steps of a session."""

from __future__ import annotations

from pathlib import Path

from aicx.evidence import Step, in_time, read_steps
from tests.corpus.builders import ClaudeLog, Home, strip_tool_facts, when


def steps_of(home: Home, until: float | None = None) -> tuple[list[Step], list[str]]:
    layout = home.settings.layout
    return read_steps(layout, sorted(home.chunks()), when(until) if until is not None else None)


def test_messages_come_back_with_who_spoke_and_what_tools_did(tmp_path: Path) -> None:
    home = Home(tmp_path)
    log = ClaudeLog().prompt("Fix the lexer", 0).call("Bash", 1, command="pytest").result("1 failed", 2, failed=True)
    home.claude(log.answer("Fixed.", 3))
    home.store()
    steps, notes = steps_of(home)
    assert notes == []
    assert [(step.role, step.origin, step.tool, step.phase, step.failed) for step in steps] == [
        ("user", "typed", None, None, False),
        ("tool", "tool", "Bash", "call", False),
        ("tool", "tool", "Bash", "result", True),
        ("assistant", "agent", None, None, False),
    ]


def test_message_over_several_chunks_is_one_step_and_nothing_is_told_twice(tmp_path: Path) -> None:
    home = Home(tmp_path)
    long = "\n\n".join(f"Paragraph {number} of the report. " + "word " * 120 for number in range(60))
    home.claude(ClaudeLog().prompt("Report", 0).answer(long, 1).prompt("Thanks for the report", 2))
    home.store()
    assert len(home.chunks()) > 3
    steps, _ = steps_of(home)
    assert [step.text for step in steps] == ["Report", long.strip(), "Thanks for the report"]


def test_what_a_chunk_repeats_of_the_one_before_comes_back_when_asked_for(tmp_path: Path) -> None:
    home = Home(tmp_path)
    log = ClaudeLog()
    for number in range(8):
        log.prompt(f"Why did {number} fail?", 3 * number).answer("word " * 800, 3 * number + 1)
        log.answer(f"Its profile is of version {number}.", 3 * number + 2)
    home.claude(log)
    home.store()
    last = sorted(home.chunks())[-1]
    once, again = (read_steps(home.settings.layout, [last], repeated=flag)[0] for flag in (False, True))
    assert len(again) > len(once)
    assert again[-len(once) :] == once


def test_what_was_said_later_is_not_seen(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.claude(ClaudeLog().prompt("Fix the lexer", 0).answer("Fixed.", 60))
    home.store()
    assert [step.text for step in steps_of(home, until=30)[0]] == ["Fix the lexer"]


def test_answer_of_aicx_itself_is_left_out(tmp_path: Path) -> None:
    home = Home(tmp_path)
    log = ClaudeLog().prompt("Where was I?", 0).call("Bash", 1, command="aicx resume").result("an older brief", 2)
    home.claude(log)
    home.store()
    assert "an older brief" not in [step.text for step in steps_of(home)[0]]


def test_damaged_sidecar_costs_its_chunk_and_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.claude(ClaudeLog().prompt("Fix the lexer", 0))
    home.store()
    (path,) = home.chunks()
    home.settings.layout.inside(path.replace(".md", ".meta.json")).write_text("{")
    steps, notes = read_steps(home.settings.layout, [path, "store/gone.md"])
    assert steps == []
    assert ["is not JSON" in notes[0], "does not exist" in notes[1]] == [True, True]


def test_facts_of_tools_are_those_of_the_log(tmp_path: Path) -> None:
    home = Home(tmp_path)
    log = ClaudeLog().prompt("Fix the lexer", 0).call("Bash", 1, command="pytest -q\ncwd: /tmp is a trap")
    home.claude(log.result("Exit code 2\n1 failed", 2, failed=True).call("Edit", 3, file_path="src/lexer.py"))
    home.store()
    _, call, result, edit = steps_of(home)[0]
    assert call.command == "pytest -q\ncwd: /tmp is a trap"
    assert (result.exit_code, result.failed, result.call_id) == (2, True, call.call_id)
    assert edit.files == ("src/lexer.py",)


def test_chunk_stored_before_facts_were_kept_is_read_from_its_text_and_says_so(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.claude(ClaudeLog().prompt("Fix the lexer", 0).call("Bash", 1, command="pytest").result("fine", 2))
    home.store()
    (path,) = home.chunks()
    layout = home.settings.layout
    strip_tool_facts(layout.home)
    steps, notes = read_steps(layout, [path])
    assert [(step.tool, step.command) for step in steps[1:]] == [("Bash", "pytest"), ("Bash", "")]
    assert notes == ["1 chunks have no tool facts; their commands and outcomes were read from the text"]


def test_prompt_that_a_running_turn_took_in_comes_before_its_answer(tmp_path: Path) -> None:
    home = Home(tmp_path)
    log = ClaudeLog().prompt("Fix the lexer", 0).call("Bash", 1, command="pytest")
    note = '{"task_id": "b1", "description": "Compile", "task_type": "local_bash"}'
    log.add("queue-operation", 2, operation="enqueue", content=note)  # which never leaves the queue, as far as is told
    log.add("queue-operation", 3, operation="enqueue", content="Push it too")
    log.add("queue-operation", 4, operation="remove").answer("Fixed and pushed.", 9)
    home.claude(log)
    home.store()
    steps, _ = steps_of(home)
    spoken = [step.text for step in steps if step.origin in ("typed", "agent")]
    assert spoken == ["Fix the lexer", "Push it too", "Fixed and pushed."]


def test_prompt_after_which_the_clock_stayed_back_keeps_its_place() -> None:
    said = [("user", 60), ("assistant", 70), ("user", 10), ("assistant", 20)]
    steps = [Step("c", when(at), role, "typed" if role == "user" else "agent", "x") for role, at in said]
    assert in_time(steps) == steps
