"""Codex logs of every vintage, each fixture with something in it that a careless reader gets wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aicx.sources.codex import HISTORY, INDEX, ROLLOUT, ROLLOUT_JSON, SOURCE
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.sources.records import stat_log
from aicx.types import AgentHomes

ID = "019a0000-1111-7222-8333-444455556666"
PARENT = "019a0000-9999-7222-8333-444455556666"
TURN = "019a0000-aaaa-7222-8333-444455556666"
NAME = f"rollout-2026-03-04T10-00-00-{ID}.jsonl"
AGENTS_MD = "# AGENTS.md instructions for /w/shop\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
ENVIRONMENT = "<environment_context>\n  <cwd>/w/shop</cwd>\n</environment_context>"
PNG = "data:image/png;base64," + "iVBORw0KGgo" * 40

Line = dict[str, Any]


def at(second: int) -> str:
    return f"2026-03-04T10:00:{second:02d}.000Z"


def item(second: int, kind: str, /, **payload: Any) -> Line:
    return {"timestamp": at(second), "type": "response_item", "payload": {"type": kind, **payload}}


def event(second: int, kind: str, /, **payload: Any) -> Line:
    return {"timestamp": at(second), "type": "event_msg", "payload": {"type": kind, **payload}}


def user(second: int, *texts: str, **payload: Any) -> Line:
    parts = [{"type": "input_text", "text": text} for text in texts]
    return item(second, "message", role="user", content=parts, **payload)


def typed(second: int, text: str, **payload: Any) -> Line:
    return event(second, "user_message", message=text, **payload)


def prompt(second: int, text: str) -> list[Line]:
    return [user(second, text), typed(second, text)]


def answer(second: int, text: str, **payload: Any) -> Line:
    return item(second, "message", role="assistant", content=[{"type": "output_text", "text": text}], **payload)


def shown(second: int, text: str) -> Line:
    return event(second, "agent_message", message=text)


def thought(second: int, *texts: str) -> Line:
    return item(second, "reasoning", summary=[{"type": "summary_text", "text": text} for text in texts])


def call(second: int, name: str, arguments: Any, call_id: str = "call_1", **payload: Any) -> Line:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item(second, "function_call", name=name, arguments=text, call_id=call_id, **payload)


def output(second: int, value: Any, call_id: str = "call_1") -> Line:
    return item(second, "function_call_output", call_id=call_id, output=value)


def meta(second: int = 0, **payload: Any) -> Line:
    return {"timestamp": at(second), "type": "session_meta", "payload": {"id": ID, "cwd": "/w/shop", **payload}}


def turn_context(second: int = 0, **payload: Any) -> Line:
    return {"timestamp": at(second), "type": "turn_context", "payload": {"turn_id": TURN, "cwd": "/w/shop", **payload}}


class Logs:
    """Writes logs into a folder of the test's own, and reads them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, lines: list[Line | str], name: str = NAME, form: str = ROLLOUT) -> LogFile:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        log = stat_log("codex", form, path)
        assert isinstance(log, LogFile)
        return log

    def items(self, lines: list[Line | str], name: str = NAME, form: str = ROLLOUT) -> list[SourceItem]:
        return list(SOURCE.read(self.write(lines, name, form)))

    def entries(self, *lines: Line | str) -> list[TimelineEntry]:
        return [found for found in self.items(list(lines)) if isinstance(found, TimelineEntry)]

    def texts(self, *lines: Line | str) -> list[tuple[str, str]]:
        return [(entry.role, entry.text) for entry in self.entries(*lines)]

    def one(self, *lines: Line | str) -> TimelineEntry:
        (entry,) = self.entries(*lines)
        return entry

    def skipped(self, *lines: Line | str) -> dict[str, int]:
        return {found.reason: found.count for found in self.items(list(lines)) if isinstance(found, SkippedRecords)}

    def facts(self, *lines: Line | str) -> list[SessionEvent]:
        return [found for found in self.items(list(lines)) if isinstance(found, SessionEvent)]

    def bad(self, *lines: Line | str) -> list[BadRecord]:
        return [found for found in self.items(list(lines)) if isinstance(found, BadRecord)]

    def identity(self, *lines: Line | str, name: str = NAME) -> LogIdentity:
        return SOURCE.identify(self.write(list(lines), name))


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


class TestDiscover:
    def found(self, home: Path) -> list[LogFile | BadRecord]:
        return list(SOURCE.discover(AgentHomes(home / "claude", home, home / "gemini")))

    def formats(self, home: Path) -> dict[str, str]:
        return {found.path.name: found.format for found in self.found(home) if isinstance(found, LogFile)}

    def test_a_missing_home_yields_nothing(self, tmp_path: Path) -> None:
        assert self.found(tmp_path / "nowhere") == []

    def test_every_kind_of_log_is_found_with_its_format(self, logs: Logs, tmp_path: Path) -> None:
        for name in (
            f"sessions/2026/03/04/{NAME}",
            "sessions/odd.jsonl",
            "sessions/rollout-2025-04-01-old.json",
            "archived_sessions/rollout-archived.jsonl",
            "history.jsonl",
            "session_index.jsonl",
        ):
            logs.write([], name)
        assert self.formats(tmp_path) == {
            NAME: ROLLOUT,
            "odd.jsonl": ROLLOUT,
            "rollout-2025-04-01-old.json": ROLLOUT_JSON,
            "rollout-archived.jsonl": ROLLOUT,
            "history.jsonl": HISTORY,
            "session_index.jsonl": INDEX,
        }

    def test_other_files_of_the_home_are_no_logs(self, logs: Logs, tmp_path: Path) -> None:
        for name in ("config.toml", "log/codex-tui.log", "sessions/notes.json", "other/rollout-x.jsonl"):
            logs.write([], name)
        assert self.found(tmp_path) == []

    def test_a_folder_named_like_a_log_costs_only_itself(self, logs: Logs, tmp_path: Path) -> None:
        (tmp_path / "sessions" / "rollout-folder.jsonl").mkdir(parents=True)
        logs.write([], "sessions/rollout-good.jsonl")
        folder, good = self.found(tmp_path)
        assert folder == BadRecord(str(tmp_path / "sessions/rollout-folder.jsonl"), "is a folder, not a log")
        assert isinstance(good, LogFile)

    def test_a_rollout_in_an_unknown_form_is_reported(self, logs: Logs, tmp_path: Path) -> None:
        logs.write([], "sessions/rollout-x.jsonl.zst")
        (found,) = self.found(tmp_path)
        assert isinstance(found, BadRecord)

    def test_a_dangling_link_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "sessions").mkdir()
        (tmp_path / "sessions" / "rollout-gone.jsonl").symlink_to(tmp_path / "gone")
        (found,) = self.found(tmp_path)
        assert isinstance(found, BadRecord)

    def test_a_link_to_a_folder_above_is_not_followed_for_ever(self, logs: Logs, tmp_path: Path) -> None:
        logs.write([], "sessions/2026/rollout-a.jsonl")
        (tmp_path / "sessions" / "2026" / "loop").symlink_to(tmp_path / "sessions")
        assert {found.path.name for found in self.found(tmp_path) if isinstance(found, LogFile)} == {"rollout-a.jsonl"}


class TestIdentify:
    def test_the_id_in_the_name_wins_over_a_copied_head(self, logs: Logs) -> None:
        assert logs.identity(meta(id=PARENT), meta(forked_from_id=PARENT)).session_id == ID

    def test_a_fork_has_the_session_it_left_as_parent(self, logs: Logs) -> None:
        assert logs.identity(meta(id=PARENT), meta(forked_from_id=PARENT)).parent_session == PARENT

    def test_a_fork_by_a_person_is_not_a_subagent(self, logs: Logs) -> None:
        assert logs.identity(meta(forked_from_id=PARENT)).lane == "primary"

    @pytest.mark.parametrize(
        "head",
        [
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}},
            {"source": {"subagent": "review"}, "parent_thread_id": PARENT},
            {"source": "cli", "thread_source": "subagent", "session_id": PARENT},
        ],
    )
    def test_a_subagent_is_known_with_its_parent(self, logs: Logs, head: Line) -> None:
        identity = logs.identity(meta(**head))
        assert (identity.lane, identity.parent_session) == ("subagent", PARENT)

    def test_a_thread_that_another_one_only_opened_is_no_subagent_of_it(self, logs: Logs) -> None:
        head = meta(id=PARENT, session_id=PARENT, source="vscode", thread_source="subagent")
        assert (logs.identity(head).lane, logs.identity(head).parent_session) == ("primary", None)

    def test_without_an_id_in_the_name_the_first_head_names_the_session(self, logs: Logs) -> None:
        assert logs.identity(meta(id="abc"), name="renamed.jsonl").session_id == "abc"

    def test_without_any_id_the_name_is_the_session(self, logs: Logs) -> None:
        assert logs.identity(shown(1, "Hi"), name="renamed.jsonl").session_id == "renamed"

    def test_a_session_starts_when_its_own_head_says(self, logs: Logs) -> None:
        head = meta(5, timestamp="2026-03-04T09:59:00Z")
        assert logs.identity(meta(5, id=PARENT), head).started_at == datetime(2026, 3, 4, 9, 59, tzinfo=UTC)

    def test_a_session_without_a_head_starts_with_its_first_readable_time(self, logs: Logs) -> None:
        lines = ["{broken", {"type": "event_msg", "timestamp": "soon", "payload": {}}, shown(7, "Hi")]
        assert logs.identity(*lines).started_at == datetime(2026, 3, 4, 10, 0, 7, tzinfo=UTC)

    @pytest.mark.parametrize("form", [HISTORY, INDEX])
    def test_a_log_of_many_sessions_names_none(self, logs: Logs, form: str) -> None:
        assert SOURCE.identify(logs.write([], "some.jsonl", form)).session_id is None


class TestPrompts:
    def test_a_prompt_and_its_clean_copy_are_one(self, logs: Logs) -> None:
        assert logs.texts(*prompt(1, "Fix the till")) == [("user", "Fix the till")]

    def test_a_clean_copy_before_its_item_is_one_too(self, logs: Logs) -> None:
        assert logs.texts(typed(1, "Fix the till"), user(1, "Fix the till")) == [("user", "Fix the till")]

    def test_the_same_reply_given_twice_stays_twice(self, logs: Logs) -> None:
        lines = [*prompt(1, "yes"), answer(2, "Done."), *prompt(3, "yes")]
        assert logs.texts(*lines) == [("user", "yes"), ("assistant", "Done."), ("user", "yes")]

    def test_the_same_reply_given_twice_stays_twice_without_copies(self, logs: Logs) -> None:
        assert logs.texts(user(1, "yes"), answer(2, "Done."), user(3, "yes"))[::2] == [("user", "yes")] * 2

    def test_two_prompts_in_a_row_with_late_copies_are_two(self, logs: Logs) -> None:
        lines = [user(1, "yes"), user(1, "yes"), typed(1, "yes"), typed(1, "yes")]
        assert logs.texts(*lines) == [("user", "yes"), ("user", "yes")]

    def test_two_prompts_in_a_row_are_both_typed(self, logs: Logs) -> None:
        lines = [user(1, "yes"), user(1, "yes"), typed(1, "yes"), typed(1, "yes"), answer(2, "Done.")]
        assert [entry.origin for entry in logs.entries(*lines)] == ["typed", "typed", "agent"]

    def test_a_prompt_without_an_item_is_told(self, logs: Logs) -> None:
        assert logs.texts(typed(1, "Only shown")) == [("user", "Only shown")]

    def test_items_are_the_prompts_where_no_copies_exist(self, logs: Logs) -> None:
        entries = logs.entries(user(1, AGENTS_MD, ENVIRONMENT), user(2, "Fix the till"), answer(3, "Done."))
        assert [(entry.text, entry.origin) for entry in entries] == [("Fix the till", "typed"), ("Done.", "agent")]

    def test_a_typed_prompt_is_typed(self, logs: Logs) -> None:
        assert logs.one(*prompt(1, "Fix the till")).origin == "typed"

    def test_copies_may_differ_in_white_space(self, logs: Logs) -> None:
        assert logs.texts(user(1, "Fix\nthe till\n"), typed(1, "Fix the till")) == [("user", "Fix\nthe till")]

    def test_an_item_with_more_than_its_copy_is_one_prompt(self, logs: Logs) -> None:
        lines = [user(1, f"{ENVIRONMENT}\nFix the till"), typed(1, "Fix the till")]
        assert logs.texts(*lines) == [("user", "Fix the till")]

    def test_a_copy_with_more_than_its_item_is_one_prompt(self, logs: Logs) -> None:
        lines = [user(1, "<skill>\nsweep\n</skill>", "Fix it"), typed(1, "<skill>\nsweep\n</skill>\nFix it")]
        assert logs.texts(*lines, answer(2, "Done.")) == [("user", "Fix it"), ("assistant", "Done.")]

    @pytest.mark.parametrize(
        "text",
        [
            AGENTS_MD,
            ENVIRONMENT,
            "<user_instructions>\nBe kind.\n</user_instructions>",
            "<permissions instructions>\nAsk.\n</permissions instructions>",
            "<skills_instructions>\n- sweep\n</skills_instructions>",
            "<skill>\n<name>sweep</name>\n</skill>",
            "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
            "<recommended_plugins>\nHere is a list\n</recommended_plugins>",
        ],
    )
    def test_scaffolding_is_counted_and_not_told(self, logs: Logs, text: str) -> None:
        lines = [user(1, text), *prompt(2, "Fix the till")]
        assert logs.texts(*lines) == [("user", "Fix the till")]
        assert logs.skipped(*lines)["scaffolding"] == 1

    def test_scaffolding_shown_as_a_prompt_is_not_told(self, logs: Logs) -> None:
        lines = [typed(1, "<context/>", kind="environment_context"), typed(2, ENVIRONMENT)]
        assert logs.texts(*lines) == []

    def test_developer_messages_are_scaffolding(self, logs: Logs) -> None:
        line = item(1, "message", role="developer", content=[{"type": "input_text", "text": "Rules."}])
        assert logs.skipped(line) == {"scaffolding": 1}

    def test_unknown_markup_without_a_copy_is_scaffolding_where_prompts_have_copies(self, logs: Logs) -> None:
        lines = [*prompt(1, "Hi"), user(2, "<new_thing>x</new_thing>"), answer(3, "Hello")]
        assert logs.texts(*lines) == [("user", "Hi"), ("assistant", "Hello")]

    def test_markup_a_person_typed_is_a_prompt(self, logs: Logs) -> None:
        assert logs.texts(*prompt(1, "<b>why bold?</b>")) == [("user", "<b>why bold?</b>")]

    def test_plain_text_without_a_copy_is_kept_but_not_as_typed(self, logs: Logs) -> None:
        entries = logs.entries(*prompt(1, "Hi"), user(2, "Summarise now."), answer(3, "Summary."))
        assert [entry.origin for entry in entries] == ["typed", "injected", "agent"]

    def test_a_last_prompt_whose_copy_is_yet_to_come_is_told(self, logs: Logs) -> None:
        assert logs.texts(*prompt(1, "Hi"), user(2, "And this"))[-1] == ("user", "And this")

    def test_the_editors_context_is_cut_from_a_prompt(self, logs: Logs) -> None:
        text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it"
        assert logs.texts(*prompt(1, text)) == [("user", "Fix it")]
        assert logs.skipped(*prompt(1, text))["scaffolding inside a text"] == 1

    def test_a_prompt_behind_the_instructions_is_told(self, logs: Logs) -> None:
        assert logs.texts(user(1, f"{AGENTS_MD}\n\nFix it"), answer(2, "Done."))[0] == ("user", "Fix it")

    def test_a_reminder_inside_a_prompt_is_cut_out(self, logs: Logs) -> None:
        assert logs.texts(typed(1, "Go <system-reminder>Stay calm.</system-reminder>on")) == [("user", "Go on")]

    def test_images_become_marks(self, logs: Logs) -> None:
        parts = [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_text", "text": '<image name=[Image #1] path="/tmp/a.png">'},
            {"type": "input_image", "image_url": PNG},
            {"type": "input_text", "text": "</image>"},
        ]
        lines = [item(1, "message", role="user", content=parts), typed(1, "What is this?", images=[PNG])]
        assert logs.texts(*lines) == [("user", "What is this?\n[image]")]

    def test_an_image_without_words_is_a_prompt(self, logs: Logs) -> None:
        assert logs.texts(typed(1, "", local_images=["/tmp/a.png"])) == [("user", "[image]")]

    def test_an_automations_prompt_is_not_typed(self, logs: Logs) -> None:
        assert logs.one(*prompt(1, "<heartbeat>\nLook again\n</heartbeat>")).origin == "injected"

    def test_the_task_of_a_subagent_is_a_models_text(self, logs: Logs) -> None:
        assert logs.one(meta(parent_thread_id=PARENT), *prompt(1, "Search the logs")).origin == "agent"

    def test_prompts_copied_into_a_subagents_log_stay_typed(self, logs: Logs) -> None:
        lines = [meta(parent_thread_id=PARENT), meta(id=PARENT), *prompt(1, "Fix the till")]
        assert logs.one(*lines).origin == "typed"

    def test_a_command_the_person_ran_is_a_tool_result(self, logs: Logs) -> None:
        text = (
            "<user_shell_command>\n<command>\nmake\n</command>\n<result>\n"
            "Exit code: 2\nDuration: 0.1 seconds\nOutput:\nno rule\n</result>\n</user_shell_command>"
        )
        entry = logs.one(
            user(1, text), event(1, "exec_command_end", call_id="u", source="user_shell", stdout="no rule")
        )
        assert entry.tool is not None
        assert (entry.role, entry.tool.command, entry.tool.exit_code) == ("tool", "make", 2)

    def test_a_subagents_report_is_injected(self, logs: Logs) -> None:
        text = '<subagent_notification>\n{"status":"done"}\n</subagent_notification>'
        assert [(entry.role, entry.origin) for entry in logs.entries(user(1, text))] == [("system", "injected")]

    def test_prompts_shown_only_as_finished_items_are_told(self, logs: Logs) -> None:
        finished = {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": "Fix the till"}]}
        lines = [user(1, ENVIRONMENT), user(1, "Fix the till"), event(1, "item_completed", item=finished)]
        assert logs.texts(*lines, answer(2, "Done.")) == [("user", "Fix the till"), ("assistant", "Done.")]


class TestAnswers:
    def test_an_answer_and_its_display_copy_are_one(self, logs: Logs) -> None:
        assert logs.texts(shown(1, "Done."), answer(1, "Done.")) == [("assistant", "Done.")]

    def test_a_display_copy_after_its_answer_is_one_too(self, logs: Logs) -> None:
        assert logs.texts(answer(1, "Done."), shown(1, "Done.")) == [("assistant", "Done.")]

    def test_the_item_is_the_one_told(self, logs: Logs) -> None:
        assert logs.one(shown(1, "Done."), answer(2, "Done.", id="msg_7")).record_id == "msg_7"

    def test_three_copies_of_an_answer_are_one(self, logs: Logs) -> None:
        finished = {"type": "AgentMessage", "id": "1", "content": [{"type": "Text", "text": "Done."}]}
        lines = [shown(1, "Done."), answer(1, "Done."), event(1, "item_completed", item=finished)]
        assert logs.texts(*lines) == [("assistant", "Done.")]

    def test_the_same_answer_given_twice_stays_twice(self, logs: Logs) -> None:
        lines = [shown(1, "Still running."), answer(1, "Still running.")]
        assert logs.texts(*lines, *lines) == [("assistant", "Still running.")] * 2

    def test_a_display_copy_without_an_item_is_told(self, logs: Logs) -> None:
        assert logs.texts(shown(1, "Working."), *prompt(2, "go on")) == [("assistant", "Working."), ("user", "go on")]

    def test_a_display_copy_at_the_very_end_is_told(self, logs: Logs) -> None:
        assert logs.texts(*prompt(1, "Hi"), shown(2, "Working."))[-1] == ("assistant", "Working.")

    def test_an_answer_in_an_earlier_turn_does_not_swallow_a_display_copy(self, logs: Logs) -> None:
        lines = [answer(1, "Done."), event(2, "task_started", turn_id="2"), shown(3, "Done.")]
        assert logs.texts(*lines) == [("assistant", "Done.")] * 2

    def test_a_context_repeated_within_a_turn_does_not_part_copies(self, logs: Logs) -> None:
        lines = [turn_context(1), answer(1, "Done."), turn_context(2), shown(2, "Done.")]
        assert logs.texts(*lines) == [("assistant", "Done.")]

    def test_a_display_copy_may_be_less_than_its_answer(self, logs: Logs) -> None:
        whole = "Done.\n<oai-mem-citation>notes</oai-mem-citation>"
        assert logs.texts(shown(1, "Done."), answer(1, whole)) == [("assistant", whole)]

    def test_a_late_item_does_not_repeat_a_display_copy(self, logs: Logs) -> None:
        lines = [shown(1, "Look:"), call(2, "shell", {"command": "ls"}), answer(3, "Look:")]
        assert [role for role, _ in logs.texts(*lines)] == ["assistant", "tool"]

    def test_a_plan_is_part_of_the_answer_that_holds_it(self, logs: Logs) -> None:
        finished = event(1, "item_completed", item={"type": "Plan", "id": "p", "text": "1. Sweep\n"})
        whole = "<proposed_plan>\n1. Sweep\n</proposed_plan>"
        assert logs.texts(finished, answer(1, whole)) == [("assistant", whole)]
        assert logs.texts(answer(1, whole), finished) == [("assistant", whole)]

    def test_a_thought_and_its_headline_are_one(self, logs: Logs) -> None:
        lines = [event(1, "agent_reasoning", text="**Plan**"), thought(1, "**Plan**")]
        assert logs.texts(*lines) == [("reasoning", "**Plan**")]

    def test_headlines_repeated_within_a_turn_are_told_once(self, logs: Logs) -> None:
        lines = [thought(1, "**Plan**"), event(2, "agent_reasoning", text="**Plan**"), thought(2, "**Plan**", "**Do**")]
        assert logs.texts(*lines) == [("reasoning", "**Plan**"), ("reasoning", "**Do**")]

    def test_a_headline_of_a_later_turn_is_told_again(self, logs: Logs) -> None:
        lines = [thought(1, "**Plan**"), turn_context(2), thought(2, "**Plan**")]
        assert logs.texts(*lines) == [("reasoning", "**Plan**")] * 2

    def test_a_headline_without_an_item_is_told(self, logs: Logs) -> None:
        assert logs.texts(event(1, "agent_reasoning", text="**Plan**")) == [("reasoning", "**Plan**")]

    def test_readable_reasoning_content_is_told(self, logs: Logs) -> None:
        line = item(1, "reasoning", summary=[], content=[{"type": "reasoning_text", "text": "Hm."}])
        assert logs.texts(line) == [("reasoning", "Hm.")]

    def test_encrypted_reasoning_is_counted(self, logs: Logs) -> None:
        line = item(1, "reasoning", summary=[], content=None, encrypted_content="gAAAA")
        assert logs.items([line]) == [SkippedRecords(str(logs.folder / NAME), "encrypted reasoning", 1)]

    def test_mail_between_agents_says_who_wrote_it(self, logs: Logs) -> None:
        parts = [{"type": "input_text", "text": "Two tests fail."}]
        line = item(1, "agent_message", author="/root/tests", recipient="/root", content=parts)
        assert logs.texts(line) == [("assistant", "[from /root/tests to /root]\nTwo tests fail.")]

    def test_mail_that_brings_a_task_is_what_the_subagent_was_asked(self, logs: Logs) -> None:
        body = "Message Type: NEW_TASK\nTask name: /root/tests\nPayload:\nCount the tests."
        parts = [{"type": "input_text", "text": body}]
        line = item(1, "agent_message", author="/root", recipient="/root/tests", content=parts)
        assert logs.texts(line) == [("user", f"[from /root to /root/tests]\n{body}")]

    def test_encrypted_mail_is_counted(self, logs: Logs) -> None:
        parts = [{"type": "encrypted_content", "encrypted_content": "gAAAA"}]
        assert logs.skipped(item(1, "agent_message", content=parts)) == {"empty or encrypted": 1}


class TestCalls:
    def test_arguments_are_json_in_a_string(self, logs: Logs) -> None:
        entry = logs.one(call(1, "exec_command", {"cmd": "ls -l", "yield_time_ms": 1000}))
        assert entry.tool is not None
        assert (entry.text, entry.tool.command) == ("exec_command\n$ ls -l", "ls -l")

    def test_arguments_that_are_no_json_are_kept(self, logs: Logs) -> None:
        assert logs.one(call(1, "exec_command", '{"cmd": "ls')).text == 'exec_command\n{"cmd": "ls'

    def test_a_working_folder_is_told_when_it_is_another(self, logs: Logs) -> None:
        here, there = ({"cmd": "ls", "workdir": folder} for folder in ("/w/shop", "/w/till"))
        entries = logs.entries(meta(), call(1, "exec_command", here, "a"), call(2, "exec_command", there, "b"))
        assert ["workdir" in entry.text for entry in entries] == [False, True]

    def test_a_shell_wrapper_is_left_out_of_the_command(self, logs: Logs) -> None:
        entry = logs.one(call(1, "shell", {"command": ["bash", "-lc", "make test"]}))
        assert entry.tool is not None
        assert entry.tool.command == "make test"

    def test_a_local_shell_call_runs_its_action(self, logs: Logs) -> None:
        entry = logs.one(item(1, "local_shell_call", call_id="c", action={"type": "exec", "command": ["ls", "a b"]}))
        assert entry.tool is not None
        assert (entry.tool.name, entry.tool.command) == ("local_shell", "ls 'a b'")

    def test_a_patch_names_its_files(self, logs: Logs) -> None:
        patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
        entry = logs.one(item(1, "custom_tool_call", name="apply_patch", call_id="c", input=patch))
        assert entry.tool is not None
        assert entry.tool.files == ("a.py", "b.py")

    def test_a_script_names_the_commands_and_files_inside_it(self, logs: Logs) -> None:
        script = (
            'const p = "*** Begin Patch\\n*** Add File: c.py\\n+x\\n*** End Patch";\n'
            'await tools.exec_command({cmd:"echo \\"hi\\"", "workdir":"/w"});\n'
            "await tools.exec_command({ cmd: 'ls' });"
        )
        entry = logs.one(item(1, "custom_tool_call", name="exec", call_id="c", input=script))
        assert entry.tool is not None
        assert (entry.tool.command, entry.tool.files) == ('echo "hi"\nls', ("c.py",))

    def test_the_tool_of_a_server_has_both_names(self, logs: Logs) -> None:
        entry = logs.one(call(1, "_find", {}, namespace="mcp__wiki"))
        assert entry.tool is not None
        assert entry.tool.name == "mcp__wiki__find"

    def test_a_web_search_says_what_was_sought(self, logs: Logs) -> None:
        line = item(1, "web_search_call", id="ws_1", action={"type": "search", "query": "brass till"})
        assert (
            "query: brass till" in logs.one(line, event(1, "web_search_end", call_id="ws_1", query="brass till")).text
        )

    def test_a_plan_update_reads_as_a_list(self, logs: Logs) -> None:
        plan = [{"status": "completed", "step": "Sweep"}, {"status": "pending", "step": "Mop"}]
        assert logs.one(call(1, "update_plan", {"plan": plan})).text == (
            "update_plan\n- [completed] Sweep\n- [pending] Mop"
        )

    def test_call_and_result_have_different_ids(self, logs: Logs) -> None:
        entries = logs.entries(call(1, "shell", {"command": "ls"}), output(2, "a.py"))
        assert [entry.record_id for entry in entries] == ["call_1:call", "call_1:result"]

    def test_a_result_has_the_name_of_its_call(self, logs: Logs) -> None:
        first, other = call(1, "shell", {"command": "ls"}, "a"), call(1, "view_image", {"path": "/a"}, "b")
        entry = logs.entries(first, other, output(2, "x", "b"), output(2, "y", "a"))[2]
        assert entry.tool is not None
        assert entry.tool.name == "view_image"

    @pytest.mark.parametrize(
        ("value", "exit_code", "failed"),
        [
            ("Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno", 3, True),
            ("Exit code: 0\nWall time: 0 seconds\nOutput:\nok", 0, False),
            ("Chunk ID: 1f\nProcess running with session ID 7\nOutput:\nProcess exited with code 9", None, None),
            ("Exit code of what?", None, None),
            ('{"output":"no","metadata":{"exit_code":2,"duration_seconds":0.1}}', 2, True),
            ([{"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"}], None, True),
            ([{"type": "input_text", "text": '{"chunk_id":"1","exit_code":1,"output":"no"}'}], 1, True),
            ("apply_patch verification failed: no such line", None, True),
            ('{"content":[{"type":"text","text":"no"}],"isError":true}', None, True),
            ({"content": "no", "success": False}, None, True),
            ("Plan updated", None, None),
        ],
    )
    def test_the_end_of_a_call_is_read_from_its_output(
        self, logs: Logs, value: Any, exit_code: int | None, failed: bool | None
    ) -> None:
        tool = logs.one(output(1, value)).tool
        assert tool is not None
        assert (tool.exit_code, tool.failed) == (exit_code, failed)

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ('{"output":"two\\nlines","metadata":{"exit_code":0}}', "two\nlines"),
            ('{"output":"x","mine":1}', '{"output":"x","mine":1}'),
            ('[{"type":"file","name":"a"}]', '[{"type":"file","name":"a"}]'),
            ('{"output": "cut', '{"output": "cut'),
            ([{"type": "input_text", "text": "a\n"}, {"type": "input_image", "image_url": PNG}], "a\n[image]"),
            ({"unheard": [1]}, '{"unheard":[1]}'),
            ('{"chunk_id":"1","session_id":7,"output":"so far"}', "Process running with session ID 7\nso far"),
            ('{"content":[{"type":"text","text":"Done."}],"structuredContent":{"url":"x"}}', 'Done.\n{"url":"x"}'),
            ('{"content":[{"type":"text","text":"{\\"a\\": 1}"}],"structuredContent":{"a":1}}', '{"a": 1}'),
            ('{"content":[{"type":"text","text":"Done."}],"structuredContent":{"result":"Done."}}', "Done."),
            ('{"content":[],"structuredContent":{"a":1}}', '{"a":1}'),
            (None, ""),
        ],
    )
    def test_an_output_keeps_its_text(self, logs: Logs, value: Any, text: str) -> None:
        assert logs.one(output(1, value)).text == text

    def test_no_base64_reaches_a_text(self, logs: Logs) -> None:
        entry = logs.one(output(1, f"see {PNG} and {'QUJD' * 2000} end"))
        assert entry.text == "see [image] and [binary data] end"

    def test_the_end_event_of_a_command_gives_way_to_its_output(self, logs: Logs) -> None:
        lines = [
            call(1, "shell", {"command": "ls"}),
            event(2, "exec_command_end", call_id="call_1", aggregated_output="a.py", exit_code=0),
            output(2, "Exit code: 0\nOutput:\na.py"),
        ]
        assert [text for _, text in logs.texts(*lines)] == ["shell\n$ ls", "Exit code: 0\nOutput:\na.py"]

    def test_the_end_event_of_a_command_is_told_where_it_has_no_output(self, logs: Logs) -> None:
        lines = [
            call(1, "shell", {"command": "ls"}),
            event(2, "exec_command_end", call_id="call_1", command=["ls"], aggregated_output="no", exit_code=2),
            answer(3, "Hm."),
        ]
        result = logs.entries(*lines)[1]
        assert result.tool is not None
        assert (result.text, result.tool.name, result.tool.exit_code) == ("no", "shell", 2)

    def test_an_end_event_after_the_output_is_a_copy(self, logs: Logs) -> None:
        lines = [
            call(1, "shell", {"command": "ls"}),
            output(2, "a.py"),
            event(2, "exec_command_end", call_id="call_1", aggregated_output="a.py", exit_code=0),
        ]
        assert [text for _, text in logs.texts(*lines)] == ["shell\n$ ls", "a.py"]

    def test_parallel_calls_are_each_answered_once(self, logs: Logs) -> None:
        lines = [
            *(call(1, "shell", {"command": name}, name) for name in "ab"),
            *(event(2, "exec_command_end", call_id=name, aggregated_output=name, exit_code=0) for name in "ab"),
            *(output(3, name, name) for name in "ab"),
        ]
        results = [entry for entry in logs.entries(*lines) if entry.tool and entry.tool.phase == "result"]
        assert sorted((entry.tool.call_id, entry.text) for entry in results if entry.tool) == [("a", "a"), ("b", "b")]

    def test_a_patch_run_by_a_script_is_told_by_its_end(self, logs: Logs) -> None:
        line = event(
            1, "patch_apply_end", call_id="exec-1", stdout="M a.py", stderr="", success=True, changes={"a.py": {}}
        )
        entry = logs.one(line)
        assert entry.tool is not None
        assert (entry.tool.name, entry.tool.files, entry.tool.failed) == ("apply_patch", ("a.py",), False)

    @pytest.mark.parametrize(
        ("result", "text", "failed"),
        [
            ({"Ok": {"content": [{"type": "text", "text": "found"}], "isError": False}}, "found", False),
            ({"Err": "timed out"}, "timed out", True),
        ],
    )
    def test_a_server_call_run_by_a_script_says_what_it_was(
        self, logs: Logs, result: Line, text: str, failed: bool
    ) -> None:
        invocation = {"server": "wiki", "tool": "find", "arguments": {"page": "till"}}
        entry = logs.one(event(1, "mcp_tool_call_end", call_id="exec-1", invocation=invocation, result=result))
        assert entry.tool is not None
        assert (entry.text, entry.tool.failed) == (f"mcp__wiki__find\npage: till\n{text}", failed)


class TestSession:
    def test_folder_branch_and_model_are_those_of_the_moment(self, logs: Logs) -> None:
        lines = [
            meta(git={"branch": "main"}),
            turn_context(1, model="m1"),
            answer(1, "a"),
            turn_context(2, model="m2", cwd="/w/till"),
            answer(2, "b"),
            meta(3, cwd="/w/till", git={"branch": "fix"}),
            answer(3, "c"),
        ]
        assert [(entry.cwd, entry.branch, entry.model) for entry in logs.entries(*lines)] == [
            ("/w/shop", "main", "m1"),
            ("/w/till", None, "m2"),
            ("/w/till", "fix", "m2"),
        ]

    def test_the_branch_is_the_one_that_git_printed_last(self, logs: Logs) -> None:
        lines = [
            meta(git={"branch": "main"}),
            call(1, "exec_command", '{"cmd": "git switch -c wax && git commit -m Melt"}'),
            output(2, "Switched to a new branch 'wax'\n[wax 1234abc] Melt"),
            answer(3, "a"),
            call(4, "exec_command", '{"cmd": "git commit -m Till", "workdir": "/w/till"}', "call_2"),
            output(5, "[till 1234abd] Till", "call_2"),
            answer(6, "b"),
        ]
        assert [entry.branch for entry in logs.entries(*lines)] == ["main", *["wax"] * 5]

    def test_an_environment_block_does_not_move_a_session_that_names_its_folder(self, logs: Logs) -> None:
        lines = [turn_context(1, cwd="/w/till"), user(1, ENVIRONMENT), answer(2, "a")]
        assert logs.one(*lines).cwd == "/w/till"

    def test_the_remote_is_told_with_its_folder_once(self, logs: Logs) -> None:
        head = meta(git={"commit_hash": "c0ffee", "repository_url": "git@x:w/shop.git"})
        assert logs.facts(head, head) == [
            SessionEvent(ID, remote_url="git@x:w/shop.git", cwd="/w/shop", commit="c0ffee")
        ]

    def test_a_fork_tells_its_parent(self, logs: Logs) -> None:
        lines = [meta(forked_from_id=PARENT), meta(id=PARENT)]
        assert logs.facts(*lines) == [SessionEvent(ID, parent_session=PARENT)]

    def test_a_subagent_tells_its_lane(self, logs: Logs) -> None:
        assert logs.facts(meta(parent_thread_id=PARENT)) == [SessionEvent(ID, parent_session=PARENT, lane="subagent")]

    def test_copied_history_is_told_in_the_folder_it_was_made_in(self, logs: Logs) -> None:
        lines = [meta(forked_from_id=PARENT), meta(id=PARENT, cwd="/w/old"), *prompt(1, "before the fork")]
        assert [(entry.session_id, entry.cwd) for entry in logs.entries(*lines)] == [(ID, "/w/old")]

    def test_a_copied_prompt_has_the_id_it_has_in_its_parent(self, logs: Logs) -> None:
        original = logs.one(turn_context(1), *prompt(1, "yes"))
        copied = logs.one(meta(9, id=PARENT), turn_context(9), *prompt(9, "yes"))
        assert original.record_id == copied.record_id == f"{TURN}:user#1"

    def test_messages_of_one_turn_have_different_ids(self, logs: Logs) -> None:
        entries = logs.entries(turn_context(1), *prompt(1, "yes"), answer(2, "a"), *prompt(3, "yes"), answer(4, "b"))
        assert len({entry.record_id for entry in entries}) == 4

    def test_a_title_is_a_fact(self, logs: Logs) -> None:
        line = event(1, "thread_name_updated", thread_id=ID, thread_name="The till")
        assert logs.facts(line) == [SessionEvent(ID, title="The till")]

    def test_a_summary_of_a_compaction_is_told_without_its_copies(self, logs: Logs) -> None:
        payload = {"message": "So far: the till.", "replacement_history": [user(1, "Fix the till")["payload"]]}
        entry = logs.one({"timestamp": at(1), "type": "compacted", "payload": payload})
        assert (entry.role, entry.origin, entry.text) == ("system", "compaction", "So far: the till.")

    def test_a_compaction_without_a_summary_is_counted(self, logs: Logs) -> None:
        line = {"timestamp": at(1), "type": "compacted", "payload": {"message": "", "replacement_history": []}}
        assert logs.skipped(line) == {"compaction without a summary": 1}

    @pytest.mark.parametrize(
        ("line", "text"),
        [
            (event(1, "turn_aborted", reason="interrupted"), "[Turn aborted: interrupted]"),
            (event(1, "context_compacted"), "[Context compacted]"),
            (event(1, "error", message="Quota exceeded"), "[Error] Quota exceeded"),
            (event(1, "thread_rolled_back", num_turns=2), "[Rolled back 2 turns]"),
        ],
    )
    def test_events_the_person_saw_are_short_entries(self, logs: Logs, line: Line, text: str) -> None:
        assert logs.texts(line) == [("system", text)]

    def test_bookkeeping_and_unknown_types_are_counted_by_name(self, logs: Logs) -> None:
        lines = [
            event(1, "token_count"),
            event(2, "token_count"),
            event(3, "moon_phase"),
            item(4, "hologram"),
            {"timestamp": at(5), "type": "world_state", "payload": {"full": AGENTS_MD}},
            {"timestamp": at(6), "type": "quantum", "payload": {}},
            {"timestamp": at(7), "type": "token_usage_record", "payload": {"input_tokens": 10}},
        ]
        assert logs.skipped(*lines) == {
            "token_count": 2,
            "unknown type: event_msg/moon_phase": 1,
            "unknown type: response_item/hologram": 1,
            "world_state": 1,
            "unknown type: quantum": 1,
            "token_usage_record": 1,
        }


class TestDamage:
    def test_a_bad_line_does_not_stop_the_file(self, logs: Logs) -> None:
        lines = [answer(1, "a"), '{"timestamp": "2026-', answer(2, "b")]
        assert [text for _, text in logs.texts(*lines)] == ["a", "b"]
        assert [bad.line for bad in logs.bad(*lines)] == [2]

    def test_two_objects_on_one_line_are_both_read(self, logs: Logs) -> None:
        line = json.dumps(answer(1, "a")) + json.dumps(answer(2, "b"))
        assert [text for _, text in logs.texts(line)] == ["a", "b"]

    @pytest.mark.parametrize(
        "line",
        [
            {"timestamp": at(1), "type": "response_item", "payload": None},
            {"timestamp": at(1), "type": "event_msg", "payload": {}},
            {"timestamp": at(1), "type": 7, "id": "x"},
            {"timestamp": at(1)},
            event(1, "item_completed", item=None),
        ],
    )
    def test_a_record_without_its_parts_is_reported(self, logs: Logs, line: Line) -> None:
        assert [bad.line for bad in logs.bad(line)] == [1]

    @pytest.mark.parametrize("value", [None, 7, True, "x", [], [None, 7, [], {"type": None}], {"a": {}}])
    def test_no_value_in_a_wrong_place_stops_the_file(self, logs: Logs, value: Any) -> None:
        keys = ("id", "call_id", "name", "arguments", "output", "input", "action", "content", "summary", "role")
        keys += ("message", "text", "result", "changes", "git", "cwd", "turn_id", "images", "item", "namespace")
        kinds = ("message", "reasoning", "agent_message", "function_call", "function_call_output", "custom_tool_call")
        kinds += ("local_shell_call", "web_search_call", "tool_search_call", "image_generation_call")
        events = ("user_message", "agent_message", "agent_reasoning", "exec_command_end", "patch_apply_end")
        events += ("mcp_tool_call_end", "item_completed", "turn_aborted", "error", "thread_name_updated")
        odd = dict.fromkeys(keys, value)
        lines: list[Line | str] = [item(1, kind, **odd) for kind in kinds]
        lines += [item(1, "message", role=role, content=value) for role in ("user", "assistant")]
        lines += [event(1, kind, **odd) for kind in events]
        heads = ("session_meta", "turn_context", "compacted", "inter_agent_communication")
        lines += [{"timestamp": at(1), "type": kind, "payload": odd} for kind in heads]
        assert logs.texts(*lines, answer(2, "still here"))[-1] == ("assistant", "still here")

    def test_a_record_without_a_time_has_that_of_the_one_before(self, logs: Logs) -> None:
        late = {**answer(0, "b"), "timestamp": "never"}
        assert [entry.at.second for entry in logs.entries(answer(5, "a"), late)] == [5, 5]

    def test_a_first_record_without_a_time_has_the_next_one(self, logs: Logs) -> None:
        early = {**answer(0, "a"), "timestamp": None}
        assert [entry.at.second for entry in logs.entries(early, answer(5, "b"))] == [5, 5]

    def test_a_log_without_any_time_yields_only_reports(self, logs: Logs) -> None:
        lines = [{**answer(0, "a"), "timestamp": None}]
        assert logs.entries(*lines) == []
        assert [bad.line for bad in logs.bad(*lines)] == [1]

    def test_an_entry_points_at_its_bytes(self, logs: Logs) -> None:
        entry = logs.one(event(1, "token_count"), answer(2, "Grüße"))
        raw = (logs.folder / NAME).read_bytes()[entry.ref.start : entry.ref.end]
        assert json.loads(raw)["payload"]["content"][0]["text"] == "Grüße"

    def test_growth_only_adds_to_the_end(self, logs: Logs) -> None:
        lines = [
            meta(git={"repository_url": "u"}),
            user(1, AGENTS_MD, ENVIRONMENT),
            turn_context(1),
            user(1, "<new_thing>x</new_thing>"),
            *prompt(1, "Fix the till"),
            thought(2, "**Plan**"),
            call(3, "shell", {"command": "ls"}),
            output(4, "a.py"),
            answer(5, "Done."),
            shown(5, "Done."),
            *prompt(6, "yes"),
            answer(7, "Done."),
        ]
        told = [found for found in logs.items(lines) if not isinstance(found, SkippedRecords)]
        for length in range(len(lines)):
            part = [found for found in logs.items(lines[:length]) if not isinstance(found, SkippedRecords)]
            assert part == told[: len(part)]

    def test_the_output_of_exec_is_not_a_rollout(self, logs: Logs) -> None:
        lines = [{"type": "thread.started", "thread_id": "x"}, {"type": "item.completed", "item": {"type": "error"}}]
        (found,) = logs.items(lines)
        assert isinstance(found, BadRecord)
        assert "codex exec --json" in found.reason


OLD_HEAD: Line = {"id": ID, "timestamp": at(3), "instructions": None, "git": {"branch": "main", "repository_url": "u"}}
OLD_ITEMS: tuple[Line, ...] = (
    {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": ENVIRONMENT}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List"}]},
    {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": '{"output":"a.py","metadata":{"exit_code":0}}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One file."}]},
)


class TestOldForms:
    def test_bare_items_are_read(self, logs: Logs) -> None:
        assert logs.texts(OLD_HEAD, {"record_type": "state"}, *OLD_ITEMS) == [
            ("user", "List"),
            ("tool", "shell\n$ ls"),
            ("tool", "a.py"),
            ("assistant", "One file."),
        ]

    def test_bare_items_have_the_time_of_the_head(self, logs: Logs) -> None:
        assert {entry.at.second for entry in logs.entries(OLD_HEAD, *OLD_ITEMS)} == {3}

    def test_bare_items_have_the_folder_of_the_environment_block(self, logs: Logs) -> None:
        assert {entry.cwd for entry in logs.entries(OLD_HEAD, *OLD_ITEMS)} == {"/w/shop"}

    def test_the_oldest_environment_block_names_the_folder_in_words(self, logs: Logs) -> None:
        text = "<environment_context>\nCurrent working directory: /w/my till\n</environment_context>"
        assert logs.one(OLD_HEAD, user(1, text), answer(1, "Hi")).cwd == "/w/my till"

    def test_state_markers_are_counted(self, logs: Logs) -> None:
        assert logs.skipped(OLD_HEAD, {"record_type": "state"}) == {"record_type: state": 1}

    def test_the_bare_head_names_the_session(self, logs: Logs) -> None:
        assert logs.identity(OLD_HEAD, name="renamed.jsonl").session_id == ID

    def test_the_bare_head_tells_the_remote(self, logs: Logs) -> None:
        assert logs.facts(OLD_HEAD)[0].remote_url == "u"

    def whole(self, logs: Logs, value: Any) -> list[SourceItem]:
        return logs.items([json.dumps(value, indent=1)], f"rollout-2025-04-01-{ID}.json", ROLLOUT_JSON)

    def test_a_session_in_one_object_is_read(self, logs: Logs) -> None:
        found = self.whole(logs, {"session": OLD_HEAD, "items": list(OLD_ITEMS)})
        texts = [entry.text for entry in found if isinstance(entry, TimelineEntry)]
        assert texts == ["List", "shell\n$ ls", "a.py", "One file."]

    def test_an_entry_of_one_object_points_at_its_element(self, logs: Logs) -> None:
        found = self.whole(logs, {"session": OLD_HEAD, "items": list(OLD_ITEMS)})
        refs = [entry.ref for entry in found if isinstance(entry, TimelineEntry)]
        assert [(ref.start, ref.end) for ref in refs] == [(1, 2), (2, 3), (3, 4), (4, 5)]

    def test_an_element_that_is_no_object_costs_itself(self, logs: Logs) -> None:
        found = self.whole(logs, {"session": OLD_HEAD, "items": ["?", *OLD_ITEMS]})
        assert [bad.reason for bad in found if isinstance(bad, BadRecord)] == ["item 0 is a str"]
        assert sum(isinstance(entry, TimelineEntry) for entry in found) == 4

    @pytest.mark.parametrize("value", [{"session": OLD_HEAD}, [1], {"session": OLD_HEAD, "items": None}])
    def test_one_object_of_another_shape_is_reported(self, logs: Logs, value: Any) -> None:
        assert [type(found) for found in self.whole(logs, value) if not isinstance(found, SessionEvent)] == [BadRecord]


class TestHistoryAndIndex:
    def test_history_lines_are_typed_prompts_of_their_sessions(self, logs: Logs) -> None:
        lines: list[Line | str] = [{"session_id": "s1", "ts": 1772618400, "text": "yes"}]
        (entry,) = logs.items(lines, "history.jsonl", HISTORY)
        assert isinstance(entry, TimelineEntry)
        assert (entry.session_id, entry.text, entry.origin, entry.cwd, entry.record_id) == (
            "s1",
            "yes",
            "typed",
            None,
            None,
        )
        assert entry.at == datetime(2026, 3, 4, 10, tzinfo=UTC)

    def test_a_bad_history_line_costs_itself(self, logs: Logs) -> None:
        good = {"session_id": "s1", "ts": 1772618400, "text": "yes"}
        lines: list[Line | str] = ["{", {**good, "session_id": None}, {**good, "text": None}, good]
        kinds = [type(found) for found in logs.items(lines, "history.jsonl", HISTORY)]
        assert kinds == [BadRecord, BadRecord, BadRecord, TimelineEntry]

    def test_the_index_gives_titles(self, logs: Logs) -> None:
        lines: list[Line | str] = [{"id": ID, "thread_name": "The till", "updated_at": at(1)}, {"id": ID}, {"x": 1}]
        title, bad = logs.items(lines, "session_index.jsonl", INDEX)
        assert title == SessionEvent(ID, title="The till")
        assert isinstance(bad, BadRecord)


class TestUntyped:
    """Records that do not say in today's words what they are."""

    def untyped(self, second: int, **payload: Any) -> Line:
        return {"timestamp": at(second), "type": "response_item", "payload": payload}

    def test_messages_without_a_type_are_read(self, logs):
        asked = self.untyped(1, role="user", content=[{"type": "input_text", "text": "Fix it"}])
        answered = self.untyped(2, role="assistant", content=[{"type": "output_text", "text": "Done"}])
        assert logs.texts(meta(), asked, answered) == [("user", "Fix it"), ("assistant", "Done")]

    def test_a_call_and_its_output_without_a_type_are_read(self, logs):
        asked = self.untyped(1, name="shell", arguments=json.dumps({"command": "ls"}), call_id="c1")
        call_, result = logs.entries(meta(), asked, self.untyped(2, call_id="c1", output="a.py"))
        assert (call_.tool.name, call_.tool.command, call_.record_id) == ("shell", "ls", "c1:call")
        assert (result.tool.name, result.text) == ("shell", "a.py")

    def test_an_item_that_does_not_say_what_it_is_is_reported(self, logs):
        (bad,) = logs.bad(meta(), self.untyped(1, colour="blue"))
        assert (bad.line, bad.reason) == (2, "response_item that does not say what it is")

    @pytest.mark.parametrize("enveloped", [True, False])
    def test_tool_calls_and_results_of_older_names_are_read(self, logs, enveloped):
        asked = {"type": "tool_call", "tool": "shell", "input": {"command": "make"}, "id": "c1"}
        answered = {"type": "tool_result", "tool_call_id": "c1", "content": "no rule", "is_error": True}
        wrap = (lambda second, value: self.untyped(second, **value)) if enveloped else (lambda _, value: value)
        call_, result = logs.entries(meta(), wrap(1, asked), wrap(2, answered))
        assert (call_.tool.name, call_.tool.command) == ("shell", "make")
        assert (result.tool.name, result.tool.failed, result.text) == ("shell", True, "no rule")

    @pytest.mark.parametrize(
        "line",
        [
            {"role": "human", "content": "Fix it"},
            {"sender": "user", "text": "Fix it"},
            {"type": "user", "content": "Fix it"},
            {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}]}},
            {"type": "message", "role": "user", "text": "Fix it"},
            {"type": "user_message", "message": "Fix it"},
        ],
    )
    def test_old_prompt_lines_are_read(self, logs, line):
        assert logs.texts(meta(), {"timestamp": at(1), **line}) == [("user", "Fix it")]

    @pytest.mark.parametrize(
        "line",
        [
            {"role": "model", "content": "Done"},
            {"type": "assistant", "message": "Done"},
            {"type": "agent_message", "message": "Done"},
        ],
    )
    def test_old_answer_lines_are_read(self, logs, line):
        assert logs.texts(meta(), {"timestamp": at(1), **line}) == [("assistant", "Done")]

    def test_the_output_of_a_tool_by_role_is_read(self, logs):
        line = {"timestamp": at(2), "role": "tool", "tool_call_id": "call_1", "content": "a.py"}
        assert logs.texts(meta(), call(1, "shell", {"command": "ls"}), line)[1] == ("tool", "a.py")


class TestPrograms:
    @pytest.mark.parametrize(
        ("head", "origin", "why"),
        [
            ({"originator": "codex_exec", "source": "exec"}, "program", "started by codex exec"),
            ({"originator": "codex_cli_rs", "source": "mcp"}, "program", "started by a client of Codex's MCP server"),
            (
                {"originator": "codex_sdk_ts", "source": "cli"},
                "program",
                "started through the Codex SDK (codex_sdk_ts)",
            ),
            ({"originator": "codex-tui", "source": "cli"}, "typed", None),
            ({"originator": "Codex Desktop", "source": "vscode"}, "typed", None),
        ],
    )
    def test_a_prompt_of_a_program_is_told_from_one_of_a_person(self, tmp_path, head, origin, why):
        logs = Logs(tmp_path)
        lines = [meta(0, **head), *prompt(1, "Seal the cell")]
        assert logs.one(*lines).origin == origin
        assert [fact.automated for fact in logs.facts(*lines) if fact.automated] == ([why] if why else [])

    @pytest.mark.parametrize(
        ("subagent", "why"),
        [
            ("review", ["a review, started by Codex Desktop"]),
            ({"other": "guardian"}, ["an approval review, started by Codex Desktop"]),
            ({"other": "janitor"}, ["janitor, started by Codex Desktop"]),
            ({"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}, []),
        ],
    )
    def test_a_helper_of_codex_is_automated_and_its_task_the_agents(self, tmp_path, subagent, why):
        logs = Logs(tmp_path)
        head = meta(0, originator="Codex Desktop", source={"subagent": subagent}, thread_source="subagent")
        lines = [head, *prompt(1, "Review the cell")]
        assert logs.one(*lines).origin == "agent"
        assert [fact.automated for fact in logs.facts(*lines) if fact.automated] == why

    def test_a_prompt_that_a_fork_copied_stays_typed(self, tmp_path):
        heads = [meta(0, originator="codex_exec", source="exec", forked_from_id=PARENT), meta(0, id=PARENT)]
        assert Logs(tmp_path).one(*heads, *prompt(1, "Seal the cell")).origin == "typed"
