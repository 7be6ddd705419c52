"""Antigravity: brain folders with artifacts and transcripts, and conversations that cannot be read."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.errors import SourceUnreadable
from aicx.sources.antigravity import SOURCE, extract_target
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.types import AgentHomes

ID = "5d0c4a1e-2b3f-4c6d-8e9f-a0b1c2d3e4f5"
CHILD = "11111111-2222-4333-8444-555555555555"


def homes(folder: Path) -> AgentHomes:
    return AgentHomes(folder / "claude", folder / "codex", folder / "gemini")


def brain(folder: Path, home: str = "antigravity") -> Path:
    return folder / "gemini" / home / "brain" / ID


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def at(minute: int) -> str:
    return f"2026-03-01T10:{minute:02d}:00.123456700Z"


def write_artifact(folder: Path, name: str, text: str | None, minute: int | None = 0, **about: Any) -> None:
    if text is not None:
        write(brain(folder) / name, text)
    metadata = {"artifactType": "ARTIFACT_TYPE_TASK", "summary": "What to do", "version": "3", **about}
    if minute is not None:
        metadata["updatedAt"] = at(minute)
    write(brain(folder) / f"{name}.metadata.json", json.dumps(metadata))


def step(index: Any, source: str, type: str, content: Any = "", minute: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "step_index": index,
        "source": source,
        "type": type,
        "status": "DONE",
        "created_at": at(minute),
        "content": content,
        **more,
    }


def asked(text: str, index: int = 0, rest: str = "") -> dict[str, Any]:
    return step(index, "USER_EXPLICIT", "USER_INPUT", f"<USER_REQUEST>\n{text}\n</USER_REQUEST>{rest}")


def planned(index: int, text: str = "", **more: Any) -> dict[str, Any]:
    return step(index, "MODEL", "PLANNER_RESPONSE", text, **more)


def write_transcript(folder: Path, *steps: Any, name: str = "transcript_full.jsonl") -> Path:
    lines = [value if isinstance(value, str) else json.dumps(value) for value in steps]
    return write(brain(folder) / ".system_generated" / "logs" / name, "\n".join(lines) + "\n")


def logs(folder: Path) -> list[LogFile]:
    return [found for found in SOURCE.discover(homes(folder)) if isinstance(found, LogFile)]


def items(folder: Path) -> list[SourceItem]:
    return [item for log in logs(folder) for item in SOURCE.read(log)]


def entries(folder: Path) -> list[TimelineEntry]:
    return [item for item in items(folder) if isinstance(item, TimelineEntry)]


def said(folder: Path) -> list[tuple[str, str]]:
    return [(entry.role, entry.text) for entry in entries(folder)]


def skipped(folder: Path) -> dict[str, int]:
    return {item.reason: item.count for item in items(folder) if isinstance(item, SkippedRecords)}


def bad(folder: Path) -> list[BadRecord]:
    return [item for item in items(folder) if isinstance(item, BadRecord)]


def body(entry: TimelineEntry) -> str:
    return entry.text.split("\n\n", 1)[1]


# --- discovery


@pytest.mark.parametrize("home", ["antigravity", "antigravity-cli", "antigravity-ide"])
def test_a_brain_folder_is_one_log(tmp_path: Path, home: str) -> None:
    write(brain(tmp_path, home) / "task.md", "- [ ] x")
    (log,) = logs(tmp_path)
    assert (log.agent, log.format, log.path, log.size) == (
        "gemini-antigravity",
        "antigravity-brain",
        brain(tmp_path, home),
        7,
    )


def test_an_empty_brain_folder_is_no_log(tmp_path: Path) -> None:
    (brain(tmp_path) / ".system_generated").mkdir(parents=True)
    assert list(SOURCE.discover(homes(tmp_path))) == []


def test_a_missing_home_yields_nothing(tmp_path: Path) -> None:
    assert list(SOURCE.discover(homes(tmp_path / "nowhere"))) == []


def test_a_file_named_like_a_brain_folder_is_reported(tmp_path: Path) -> None:
    write(brain(tmp_path), "not a folder")
    assert [type(found) for found in SOURCE.discover(homes(tmp_path))] == [BadRecord]


def test_the_fingerprint_stays_while_nothing_changes(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "- [ ] x")
    assert logs(tmp_path) == logs(tmp_path)


def test_the_fingerprint_changes_with_an_artifact(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "- [ ] x")
    before = logs(tmp_path)[0].fingerprint
    write_artifact(tmp_path, "task.md", "- [x] x and more")
    assert logs(tmp_path)[0].fingerprint != before


def test_the_fingerprint_ignores_what_is_not_read(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "- [ ] x")
    before = logs(tmp_path)[0].fingerprint
    write(brain(tmp_path) / "screenshot.png", "PNG")
    assert logs(tmp_path)[0].fingerprint == before


@pytest.mark.parametrize("suffix", [".pb", ".db"])
def test_a_conversation_without_a_brain_folder_is_named_with_the_places_looked_at(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / "gemini/antigravity/conversations" / f"{ID}{suffix}", "\x00\x01")
    (found,) = SOURCE.discover(homes(tmp_path))
    assert isinstance(found, BadRecord)
    assert found.path == str(path)
    assert "encrypted" in found.reason
    assert str(brain(tmp_path)) in found.reason
    assert str(brain(tmp_path, "antigravity-cli")) in found.reason


def test_a_conversation_with_a_brain_folder_is_not_reported(tmp_path: Path) -> None:
    write(tmp_path / "gemini/antigravity/conversations" / f"{ID}.pb", "\x00")
    write_artifact(tmp_path, "task.md", "x")
    assert [type(found) for found in SOURCE.discover(homes(tmp_path))] == [LogFile]


def test_the_conversation_that_could_not_be_read_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "gemini/antigravity/conversations" / f"{ID}.pb", "\x00")
    write_artifact(tmp_path, "task.md", "x")
    assert skipped(tmp_path) == {"conversation itself: encrypted or opaque": 1}


# --- identity


def test_identity_is_the_folders_name_and_the_first_date(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "x", 9)
    write_transcript(tmp_path, "{broken", step(0, "MODEL", "PLANNER_RESPONSE", "x", 4))
    identity = SOURCE.identify(logs(tmp_path)[0])
    assert identity.session_id == ID
    assert identity.started_at is not None
    assert identity.started_at.minute == 4


def test_a_folder_without_dates_has_an_identity(tmp_path: Path) -> None:
    write(brain(tmp_path) / "task.md", "x")
    assert SOURCE.identify(logs(tmp_path)[0]).started_at is None


# --- artifacts


def test_an_artifact_is_introduced_by_type_name_and_summary(tmp_path: Path) -> None:
    write_artifact(tmp_path, "plan.md", "# Plan", artifactType="ARTIFACT_TYPE_IMPLEMENTATION_PLAN")
    (entry,) = entries(tmp_path)
    assert entry.text == "Artifact plan.md (implementation plan): What to do\n\n# Plan"
    assert (entry.role, entry.origin, entry.session_id) == ("artifact", "artifact", ID)


def test_the_date_is_the_metadatas_not_the_files(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "x", 7)
    os.utime(brain(tmp_path) / "task.md", (0, 0))
    assert entries(tmp_path)[0].at.isoformat() == "2026-03-01T10:07:00.123456+00:00"


def test_the_working_text_is_newer_than_the_resolved_one(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "now")
    write(brain(tmp_path) / "task.md.resolved", "before")
    assert body(entries(tmp_path)[0]) == "now"


def test_the_unnumbered_resolved_text_is_newer_than_the_numbered_ones(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", None)
    for name, text in (("resolved", "last"), ("resolved.0", "first"), ("resolved.1", "second")):
        write(brain(tmp_path) / f"task.md.{name}", text)
    assert [body(entry) for entry in entries(tmp_path)] == ["last"]


def test_versions_are_compared_as_numbers(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", None)
    for number in (2, 10, 9):
        write(brain(tmp_path) / f"task.md.resolved.{number}", f"version {number}")
    assert [body(entry) for entry in entries(tmp_path)] == ["version 10"]


def test_older_versions_are_counted(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "now")
    for number in range(3):
        write(brain(tmp_path) / f"task.md.resolved.{number}", "before")
    assert skipped(tmp_path) == {"older version of an artifact": 3}


def test_artifacts_come_by_their_last_change(tmp_path: Path) -> None:
    write_artifact(tmp_path, "a.md", "late", 9)
    write_artifact(tmp_path, "b.md", "early", 1)
    assert [body(entry) for entry in entries(tmp_path)] == ["early", "late"]


def test_an_edited_artifact_has_another_id(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "- [ ] x")
    before = entries(tmp_path)[0].record_id
    write_artifact(tmp_path, "task.md", "- [x] x")
    assert entries(tmp_path)[0].record_id != before


def test_provenance_of_an_artifact_is_its_own_file(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "grüße")
    path = brain(tmp_path) / "task.md"
    ref = entries(tmp_path)[0].ref
    assert (ref.path, ref.start, ref.end) == (str(path), 0, 7)
    assert ref.sha256 == sha256(path.read_bytes()).hexdigest()


def test_an_artifact_without_a_date_takes_the_nearest_ones(tmp_path: Path) -> None:
    write_artifact(tmp_path, "a.md", "x", 1)
    write_artifact(tmp_path, "b.md", "y", None)
    write_artifact(tmp_path, "c.md", "z", 9)
    assert [entry.at.minute for entry in entries(tmp_path)] == [1, 1, 9]


def test_an_artifact_without_a_date_takes_the_transcripts_last_one(tmp_path: Path) -> None:
    write(brain(tmp_path) / "task.md", "x")
    write_transcript(tmp_path, asked("hi"), step(1, "MODEL", "PLANNER_RESPONSE", "ok", 6))
    assert entries(tmp_path)[-1].at.minute == 6


def test_an_artifact_in_a_folder_without_dates_is_dated_by_its_file(tmp_path: Path) -> None:
    os.utime(write(brain(tmp_path) / "task.md", "x"), (1_772_000_000, 1_772_000_000))
    (item,) = items(tmp_path)
    assert isinstance(item, TimelineEntry)
    assert item.at.timestamp() == 1_772_000_000


def test_broken_metadata_is_reported_and_the_text_kept(tmp_path: Path) -> None:
    write_artifact(tmp_path, "a.md", "fine")
    write(brain(tmp_path) / "b.md", "kept")
    path = write(brain(tmp_path) / "b.md.metadata.json", "{")
    assert [body(entry) for entry in entries(tmp_path)] == ["fine", "kept"]
    assert [item.path for item in bad(tmp_path)] == [str(path)]


def test_a_folder_named_like_an_artifact_costs_only_itself(tmp_path: Path) -> None:
    write_artifact(tmp_path, "a.md", "fine")
    (brain(tmp_path) / "b.md").mkdir()
    assert body(entries(tmp_path)[0]) == "fine"
    assert [item.path for item in bad(tmp_path)] == [str(brain(tmp_path) / "b.md")]


def test_a_described_picture_becomes_a_mark(tmp_path: Path) -> None:
    write_artifact(tmp_path, "home.png", "\x00PNG", artifactType="ARTIFACT_TYPE_OTHER", summary="The start page")
    assert entries(tmp_path)[0].text == "Artifact home.png (other): The start page\n\n[image: home.png]"


def test_files_that_are_no_artifacts_are_counted(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "x")
    write(brain(tmp_path) / "click.png", "PNG")
    write(brain(tmp_path) / "scratch.py", "print()")
    assert skipped(tmp_path) == {"image or recording": 1, "file that is no artifact": 1}


# --- the project folder


def cwd_for(folder: Path, *links: str) -> str | None:
    write_artifact(folder, "task.md", "\n".join(f"see [it]({link})" for link in links))
    return entries(folder)[0].cwd


def test_two_links_agree_on_a_folder(tmp_path: Path) -> None:
    assert cwd_for(tmp_path, "file:///home/me/lamp/src/a.py", "file:///home/me/lamp/README.md#L3") == "/home/me/lamp"


def test_links_may_hold_spaces_and_a_windows_drive(tmp_path: Path) -> None:
    links = ("file:///c:/Users/me/my%20lamp/a.py", "file:///C:/Users/me/my lamp/src/b.py")
    assert cwd_for(tmp_path, *links) == "C:/Users/me/my lamp"


def test_one_link_is_not_enough(tmp_path: Path) -> None:
    assert cwd_for(tmp_path, "file:///home/me/lamp/a.py", "file:///home/me/lamp/a.py#L9") is None


def test_one_link_into_a_recognisable_layout_is_enough(tmp_path: Path) -> None:
    assert cwd_for(tmp_path, "file:///home/me/github/acme/lamp/src/a.py") == "/home/me/github/acme/lamp"


def test_a_home_folder_is_no_project(tmp_path: Path) -> None:
    assert cwd_for(tmp_path, "file:///home/me/lamp/a.py", "file:///home/me/desk/b.py") is None


def test_links_into_the_brain_folder_say_nothing(tmp_path: Path) -> None:
    inside = "file:///C:/Users/me/.gemini/antigravity/brain/x"
    assert cwd_for(tmp_path, f"{inside}/a.py", f"{inside}/b.py") is None


def test_links_of_the_resolved_text_count(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "see `a.py` and `b.py`")
    write(brain(tmp_path) / "task.md.resolved", "see [a](file:///srv/x/lamp/a.py) and [b](file:///srv/x/lamp/b.py)")
    assert entries(tmp_path)[0].cwd == "/srv/x/lamp"


# --- transcripts


def test_the_full_transcript_is_preferred(tmp_path: Path) -> None:
    write_transcript(tmp_path, asked("short"), name="transcript.jsonl")
    write_transcript(tmp_path, asked("full"))
    assert said(tmp_path) == [("user", "full")]


def test_the_short_transcript_is_read_where_there_is_no_other(tmp_path: Path) -> None:
    write_transcript(tmp_path, asked("short"), name="transcript.jsonl")
    assert said(tmp_path) == [("user", "short")]


def test_a_turn_reads_as_request_thought_answer_call_and_result(tmp_path: Path) -> None:
    calls = [{"name": "view_file", "args": {"AbsolutePath": '"/srv/x/lamp/a.py"'}}]
    write_transcript(
        tmp_path,
        asked("what is in a.py?"),
        planned(1, "I will look.", thinking="Read it first.", tool_calls=calls),
        step(2, "MODEL", "VIEW_FILE", "Created At: 2026-03-01T10:00:00Z\nCompleted At: 2026-03-01T10:00:01Z\nx = 1\n"),
    )
    assert said(tmp_path) == [
        ("user", "what is in a.py?"),
        ("reasoning", "Read it first."),
        ("assistant", "I will look."),
        ("tool", "view_file /srv/x/lamp/a.py"),
        ("tool", "x = 1"),
    ]


def test_only_the_request_of_a_prompt_is_kept(tmp_path: Path) -> None:
    rest = "\n<ADDITIONAL_METADATA>\nThe local time is noon.\n</ADDITIONAL_METADATA>"
    write_transcript(tmp_path, asked("go on", rest=rest))
    assert said(tmp_path) == [("user", "go on")]
    assert skipped(tmp_path) == {"scaffolding inside a text": 1}


def test_a_prompt_without_the_request_mark_loses_only_its_wrapper(tmp_path: Path) -> None:
    text = "go on\n<ADDITIONAL_METADATA>\nnoise\n</ADDITIONAL_METADATA>"
    write_transcript(tmp_path, step(0, "USER_EXPLICIT", "USER_INPUT", text))
    assert said(tmp_path) == [("user", "go on")]


def test_the_chosen_model_holds_from_there_on(tmp_path: Path) -> None:
    chosen = (
        "<USER_SETTINGS_CHANGE>\nThe user changed setting `Model Selection` from None to Gemini 3.5 Flash (Low). "
        "No need to comment.\n</USER_SETTINGS_CHANGE>"
    )
    write_transcript(tmp_path, planned(0, "before"), asked("hi", 1, chosen), planned(2, "after"))
    assert [entry.model for entry in entries(tmp_path)] == [None, None, "Gemini 3.5 Flash (Low)"]


def test_arguments_are_unquoted(tmp_path: Path) -> None:
    calls = [{"name": "run_command", "args": {"CommandLine": '"echo \\"hi\\""', "Cwd": '"/srv/x/lamp"'}}]
    write_transcript(tmp_path, planned(0, tool_calls=calls))
    (entry,) = entries(tmp_path)
    assert entry.tool is not None
    assert (entry.tool.command, entry.cwd) == ('echo "hi"', "/srv/x/lamp")


def test_results_answer_the_calls_in_their_order(tmp_path: Path) -> None:
    calls = [{"name": "run_command", "args": {"CommandLine": name}} for name in ("one", "two")]
    write_transcript(
        tmp_path,
        planned(4, tool_calls=calls),
        step(5, "MODEL", "GENERIC", "The command exited with code 0.\nOutput: 1"),
        step(6, "MODEL", "GENERIC", "The command failed with exit code: 3\nOutput: 2"),
    )
    tools = [entry.tool for entry in entries(tmp_path) if entry.tool and entry.tool.phase == "result"]
    assert [(t.name, t.call_id, t.exit_code, t.failed) for t in tools] == [
        ("run_command", "4.0", 0, False),
        ("run_command", "4.1", 3, True),
    ]


def test_a_result_without_a_call_goes_by_its_type(tmp_path: Path) -> None:
    write_transcript(tmp_path, planned(0, "ok"), step(1, "MODEL", "LIST_DIRECTORY", "a.py"))
    tool = entries(tmp_path)[1].tool
    assert tool is not None
    assert tool.name == "list_directory"


def test_an_error_is_a_failed_result_with_its_message(tmp_path: Path) -> None:
    write_transcript(tmp_path, {**step(1, "MODEL", "VIEW_FILE", ""), "status": "ERROR", "error": "no such file"})
    (entry,) = entries(tmp_path)
    assert entry.tool is not None
    assert (entry.text, entry.tool.failed) == ("no such file", True)


def test_every_entry_of_a_transcript_has_its_own_id(tmp_path: Path) -> None:
    calls = [{"name": "ls", "args": {}}, {"name": "ls", "args": {}}]
    outputs = [step(index, "MODEL", "GENERIC", "x") for index in (2, 3)]
    write_transcript(tmp_path, asked("hi"), planned(1, "ok", thinking="hm", tool_calls=calls), *outputs)
    ids = [entry.record_id for entry in entries(tmp_path)]
    assert len(set(ids)) == len(ids) == 7


def test_the_last_version_of_a_step_counts(tmp_path: Path) -> None:
    running = {**step(1, "MODEL", "RUN_COMMAND", "half"), "status": "RUNNING"}
    write_transcript(tmp_path, running, step(1, "MODEL", "RUN_COMMAND", "whole"))
    assert said(tmp_path) == [("tool", "whole")]
    assert skipped(tmp_path) == {"earlier version of a step": 1}


def test_a_checkpoint_is_a_compaction(tmp_path: Path) -> None:
    write_transcript(tmp_path, step(0, "SYSTEM", "CHECKPOINT", "{{ CHECKPOINT 0 }}\nso far"))
    assert [(entry.role, entry.origin) for entry in entries(tmp_path)] == [("system", "compaction")]


def test_system_steps_are_counted_by_type(tmp_path: Path) -> None:
    write_transcript(tmp_path, step(0, "SYSTEM", "CONVERSATION_HISTORY"), asked("hi", 1))
    assert skipped(tmp_path)["system step: CONVERSATION_HISTORY"] == 1


def test_a_subagent_is_named_by_the_step_that_starts_it(tmp_path: Path) -> None:
    write_transcript(tmp_path, step(0, "MODEL", "INVOKE_SUBAGENT", f'{{"conversationId": "{CHILD}"}}'))
    assert SessionEvent(CHILD, parent_session=ID, lane="subagent") in items(tmp_path)


def test_a_bad_line_does_not_stop_the_transcript(tmp_path: Path) -> None:
    write_transcript(tmp_path, asked("one"), "{broken", "7", asked("two", 1))
    assert said(tmp_path) == [("user", "one"), ("user", "two")]
    assert [item.line for item in bad(tmp_path)] == [2, 3]


def test_strange_values_everywhere_do_not_stop_the_transcript(tmp_path: Path) -> None:
    strange = [None, 7, True, "x", [], [[1]], {"a": 1}, [{"name": 3, "args": [1]}], [{"args": {"Cwd": 5}}]]
    steps = [step(v, "MODEL", "PLANNER_RESPONSE", v, thinking=v, tool_calls=v) for v in strange]
    steps += [{**step(v, "MODEL", "GENERIC", v, error=v), "type": v, "status": v, "created_at": v} for v in strange]
    steps += [step(None, "USER_EXPLICIT", "USER_INPUT", v) for v in strange]
    write_transcript(tmp_path, *steps, asked("the end", 99))
    assert said(tmp_path)[-1] == ("user", "the end")
    assert bad(tmp_path) == []


def test_a_step_without_a_time_takes_the_one_before(tmp_path: Path) -> None:
    write_transcript(tmp_path, step(0, "MODEL", "PLANNER_RESPONSE", "a", 4), {**planned(1, "b"), "created_at": None})
    assert [entry.at.minute for entry in entries(tmp_path)] == [4, 4]


def test_a_transcript_without_any_time_yields_bad_records(tmp_path: Path) -> None:
    write_transcript(tmp_path, {**planned(0, "a"), "created_at": "soon"})
    assert [(type(item), getattr(item, "line", None)) for item in items(tmp_path)] == [(BadRecord, 1)]


def test_the_folder_of_a_command_holds_for_what_follows(tmp_path: Path) -> None:
    calls = [[{"name": "run_command", "args": {"Cwd": folder}}] for folder in ("/srv/x/lamp", "/srv/x/desk")]
    steps = [asked("hi"), *(planned(index + 1, tool_calls=call) for index, call in enumerate(calls))]
    write_transcript(tmp_path, *steps, planned(3, "done"))
    assert [entry.cwd for entry in entries(tmp_path)] == ["/srv/x/lamp", "/srv/x/lamp", "/srv/x/desk", "/srv/x/desk"]


def test_growth_of_a_transcript_only_adds_to_the_tail(tmp_path: Path) -> None:
    write_transcript(tmp_path, asked("one"), planned(1, "two"))
    before = entries(tmp_path)
    write_transcript(tmp_path, asked("one"), planned(1, "two"), asked("three", 2))
    assert entries(tmp_path)[: len(before)] == before


# --- the fallback


def write_output(folder: Path, number: int | str, text: str) -> Path:
    return write(brain(folder) / ".system_generated" / "steps" / str(number) / "output.txt", text)


def test_step_outputs_are_the_fallback_in_numeric_order(tmp_path: Path) -> None:
    for number in (10, 9, "notes"):
        write_output(tmp_path, number, f"Created At: 2026-03-01T10:00:00Z\nout {number}")
    found = entries(tmp_path)
    assert [body(entry) for entry in found] == ["out 9", "out 10"]
    assert {(entry.role, entry.origin) for entry in found} == {("artifact", "artifact")}


def test_a_fallback_says_that_it_is_one(tmp_path: Path) -> None:
    write_output(tmp_path, 3, "Created At: 2026-03-01T10:00:00Z\nout")
    assert entries(tmp_path)[0].text.startswith("[Fallback: output of step 3; no full transcript")


def test_step_outputs_take_the_date_of_metadata(tmp_path: Path) -> None:
    write_output(tmp_path, 1, "out")
    write_artifact(tmp_path, "home.png", "\x00", 8)
    assert entries(tmp_path)[-1].at.minute == 8


def test_a_step_output_without_any_date_is_dated_by_its_file(tmp_path: Path) -> None:
    os.utime(write_output(tmp_path, 1, "out"), (1_772_000_000, 1_772_000_000))
    assert [entry.at.timestamp() for entry in entries(tmp_path)] == [1_772_000_000]


def test_step_outputs_are_not_read_beside_artifacts(tmp_path: Path) -> None:
    write_output(tmp_path, 1, "out")
    write_artifact(tmp_path, "task.md", "x")
    assert [body(entry) for entry in entries(tmp_path)] == ["x"]
    assert skipped(tmp_path) == {"step output": 1}


# --- from a conversation file to its brain folder


def test_a_conversation_leads_to_its_brain_folder(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "x")
    assert extract_target(tmp_path / "gemini/antigravity/conversations" / f"{ID}.pb") == brain(tmp_path)


def test_a_conversation_leads_to_a_brain_folder_of_the_other_build(tmp_path: Path) -> None:
    write(brain(tmp_path, "antigravity-cli") / "task.md", "x")
    path = tmp_path / "gemini/antigravity/conversations" / f"{ID}.pb"
    assert extract_target(path) == brain(tmp_path, "antigravity-cli")


def test_a_brain_folder_leads_to_itself(tmp_path: Path) -> None:
    write_artifact(tmp_path, "task.md", "x")
    assert extract_target(brain(tmp_path)) == brain(tmp_path)


def test_a_missing_brain_folder_is_an_error_that_lists_the_places(tmp_path: Path) -> None:
    path = tmp_path / "gemini/antigravity/conversations" / f"{ID}.pb"
    with pytest.raises(SourceUnreadable) as error:
        extract_target(path)
    assert str(brain(tmp_path)) in error.value.message
    assert error.value.hint
