"""Reads the records of one Codex rollout in file order; what a record means depends on the ones before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aicx.sources.codex.items import CallOutcome, describe_call_item, outcome_of_event, read_outcome
from aicx.sources.codex.messages import CodexMessages
from aicx.sources.codex.texts import content_texts, reasoning_texts, typed_item
from aicx.sources.codex.timeline import COPY, CodexTimeline
from aicx.sources.door import asks_git_here, printed_branch
from aicx.sources.items import CONTEXT_COMPACTED, LogIdentity, SessionEvent, SourceItem, ToolUse
from aicx.sources.records import LogRecord
from aicx.sources.values import object_of, quoted, string_of, text_of

# Live progress, bookkeeping, and events that say less than the items they go with.
_NOISE = frozenset(
    (
        *("agent_message_content_delta", "agent_message_delta", "agent_reasoning_delta"),
        *("agent_reasoning_section_break", "background_event", "entered_review_mode", "exec_command_begin"),
        *("exec_command_output_delta", "exited_review_mode", "image_generation_end", "item_started"),
        *("mcp_startup_complete", "mcp_tool_call_begin", "patch_apply_begin", "plan_update", "session_configured"),
        *("stream_error", "sub_agent_activity", "task_complete", "thread_goal_updated", "thread_settings_applied"),
        *("token_count", "turn_complete", "turn_diff", "view_image_tool_call", "warning", "web_search_begin"),
        *("web_search_end",),
    )
)
_SILENT_ITEMS = frozenset(
    (
        *("additional_tools", "compaction", "compaction_summary", "compaction_trigger", "context_compaction"),
        *("ghost_snapshot", "tool_search_output"),
    )
)
_BOOKKEEPING = frozenset({"world_state", "inter_agent_communication_metadata", "token_usage_record"})
_BARE_EVENTS = frozenset({"user_message", "agent_message"})  # what clients showed, written without an envelope


class Rollout:
    """The state between the records of one rollout."""

    def __init__(self, path: str, identity: LogIdentity) -> None:
        self._timeline = CodexTimeline(path, identity)
        self.ready: list[SourceItem] = self._timeline.ready  # what the records taken yielded; the caller empties it
        self._messages = CodexMessages(self._timeline)
        self._calls: dict[str, str] = {}  # the name of each call, by its id
        self._asks_git: set[str] = set()  # calls of git in the session's folder
        self._answered: set[str] = set()  # calls whose output item was told
        self._ended: set[str] = set()  # calls whose end was told, or waits to be, by an event

    def take(self, record: LogRecord) -> None:
        """Reads one record."""
        self._timeline.begin(record)
        value = record.value
        kind, payload = value.get("type"), value.get("payload")
        if not isinstance(kind, str):
            self._take_untyped(value)
        elif (handler := _ENVELOPES.get(kind)) is not None:
            if isinstance(payload, dict):
                handler(self, payload)
            else:
                self._timeline.report(f"{kind} without a payload")
        elif kind in _BOOKKEEPING:
            self._timeline.skip(kind)
        elif kind in _BARE_EVENTS and isinstance(value.get("message"), str):
            self._take_event(value)
        elif kind in _ITEMS or kind in _SILENT_ITEMS:
            self._take_item(value)  # items had no envelope before mid-2025
        elif (item := typed_item(value)) is not None:
            self._take_item(item)
        else:
            self._timeline.skip(f"unknown type: {quoted(kind)}")

    def finish(self) -> None:
        """Yields what waited for a record that never came, and the counts of what was passed over."""
        self._timeline.finish()

    def _take_untyped(self, value: dict[str, Any]) -> None:
        if "record_type" in value:
            self._timeline.skip(f"record_type: {quoted(value['record_type'])}")
        elif (item := typed_item(value)) is not None:
            self._take_item(item)
        elif "type" not in value and isinstance(value.get("id"), str):
            self._take_head(value)
        else:
            self._timeline.report("has no type")

    def _take_head(self, value: dict[str, Any]) -> None:
        """A ``session_meta`` payload, or the first line of the logs that had none. A fork copies its parent's too."""
        timeline, identity = self._timeline, self._timeline.identity
        self._messages.is_copied = value.get("id") not in (None, timeline.session_id)
        if identity.parent_session or identity.lane != "primary":
            lane = None if identity.lane == "primary" else identity.lane
            timeline.state(SessionEvent(timeline.session_id, parent_session=identity.parent_session, lane=lane))
        if not self._messages.is_copied:
            evidence = _how_started(value)
            self._messages.is_by_program = evidence is not None and identity.lane == "primary"
            if evidence:
                timeline.state(SessionEvent(timeline.session_id, automated=evidence))
        timeline.move(value.get("cwd"))
        git = value.get("git")
        if isinstance(git, dict):
            timeline.branches[timeline.cwd] = text_of(git.get("branch"))
            remote, commit = text_of(git.get("repository_url")), text_of(git.get("commit_hash"))
            if remote or commit:
                timeline.state(SessionEvent(timeline.session_id, remote_url=remote, cwd=timeline.cwd, commit=commit))

    def _take_turn_context(self, payload: dict[str, Any]) -> None:
        self._messages.knows_cwd = True
        self._timeline.move(payload.get("cwd"))
        self._timeline.model = text_of(payload.get("model")) or self._timeline.model
        self._begin_turn(payload)

    def _begin_turn(self, payload: dict[str, Any]) -> None:
        turn = text_of(payload.get("turn_id"))
        if turn != self._timeline.turn:
            self._timeline.turn = turn
            self._messages.begin_turn()

    def _take_compaction(self, payload: dict[str, Any]) -> None:
        # replacement_history holds the turns above once more.
        if text := text_of(payload.get("message")):
            self._timeline.emit("system", text, "compaction")
        else:
            self._timeline.skip("compaction without a summary")

    def _take_item(self, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if isinstance(kind, str) and kind in _SILENT_ITEMS:
            self._timeline.skip(kind)
            return
        if not isinstance(kind, str) or kind not in _ITEMS or (kind == "message" and "content" not in payload):
            payload = typed_item(payload) or payload
        handler = _ITEMS.get(payload["type"]) if isinstance(payload.get("type"), str) else None
        if handler is not None:
            handler(self, payload)
        elif isinstance(kind, str):
            self._timeline.skip(f"unknown type: response_item/{kind[:80]}")
        else:
            self._timeline.report("response_item that does not say what it is")

    def _take_call(self, payload: dict[str, Any]) -> None:
        text, use = describe_call_item(payload, self._timeline.cwd)
        if use.call_id:
            self._calls[use.call_id] = use.name
            if asks_git_here(text, use.command, self._timeline.cwd):
                self._asks_git.add(use.call_id)
        self._timeline.emit("tool", text, "tool", record_id=_phase_id(use.call_id, "call"), tool=use)

    def _take_output(self, payload: dict[str, Any]) -> None:
        call_id = text_of(payload.get("call_id"))
        if call_id is not None:
            ends = self._timeline.waiting.take("tool", lambda key: key == call_id)
            if call_id in self._ended:
                self._timeline.skip(COPY)
                if not ends:
                    return
            self._answered.add(call_id)
        outcome, record_id = read_outcome(payload.get("output")), _phase_id(call_id, "result")
        use = self._result(outcome, call_id, "unknown")
        self._timeline.emit("tool", outcome.text, "tool", record_id=record_id, tool=use)

    def _take_end(self, payload: dict[str, Any]) -> None:
        """The end of a call as an event: told only where no output item follows that tells it."""
        call_id = text_of(payload.get("call_id"))
        if call_id in self._answered or call_id in self._ended or payload.get("source") == "user_shell":
            self._timeline.skip(COPY)  # what the person ran comes to the model as a <user_shell_command>
            return
        name, request = _request_of(payload)
        outcome = outcome_of_event(payload)
        use, record_id = self._result(outcome, call_id, name), _phase_id(call_id, "result")
        if call_id is not None:
            self._ended.add(call_id)
        if call_id is not None and call_id in self._calls:
            self._timeline.emit("tool", outcome.text, "tool", record_id=record_id, tool=use, waits_for=call_id)
        else:  # with the call nowhere in the log, its end must say what was asked
            text = f"{request}\n{outcome.text}" if request else outcome.text
            self._timeline.emit("tool", text, "tool", record_id=record_id, tool=use)

    def _result(self, outcome: CallOutcome, call_id: str | None, name: str) -> ToolUse:
        if call_id in self._asks_git and not self._messages.is_copied and (branch := printed_branch(outcome.text)):
            self._timeline.branches[self._timeline.cwd] = branch
        called = self._calls.get(call_id, name) if call_id else name
        return ToolUse(
            called, "result", call_id, None, outcome.files, outcome.failed, outcome.exit_code, outcome.seconds
        )

    def _take_event(self, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if not isinstance(kind, str):
            self._timeline.report("event_msg without a type")
        elif kind in _NOISE:
            self._timeline.skip(kind)
        elif (handler := _EVENTS.get(kind)) is not None:
            handler(self, payload)
        else:
            self._timeline.skip(f"unknown type: event_msg/{quoted(kind)}")

    def _take_thought(self, payload: dict[str, Any]) -> None:
        self._messages.take_thought_copies([string_of(payload.get("text"))])

    def _take_finished(self, payload: dict[str, Any]) -> None:
        """An item as clients show it. The newest logs have these where the other events stood."""
        item = payload.get("item")
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(kind, str):
            self._timeline.report("item_completed without an item")
        elif kind == "UserMessage":
            self._messages.take_prompt_copy(content_texts(item.get("content")), "finished")
        elif kind == "AgentMessage":
            self._messages.take_answer_copy("\n".join(content_texts(item.get("content"))), "finished")
        elif kind == "Plan":
            self._messages.take_plan_copy(text_of(item.get("text")))
        elif kind == "Reasoning":
            self._messages.take_thought_copies(reasoning_texts(item))
        elif kind == "CommandExecution":
            self._take_end({**item, "call_id": item.get("id")})
        else:
            self._timeline.skip(f"item_completed: {quoted(kind)}")

    def _take_abort(self, payload: dict[str, Any]) -> None:
        reason = text_of(payload.get("reason")) or "no reason given"
        record_id = _phase_id(text_of(payload.get("turn_id")), "aborted")
        self._tell_event(f"[Turn aborted: {reason}]", record_id)

    def _take_name(self, payload: dict[str, Any]) -> None:
        if title := text_of(payload.get("thread_name")):
            session_id = text_of(payload.get("thread_id")) or self._timeline.session_id
            self._timeline.state(SessionEvent(session_id, title=title))

    def _tell_event(self, text: str, record_id: str | None = None) -> None:
        self._timeline.emit("system", text, "injected", record_id=record_id)


def _how_started(head: dict[str, Any]) -> str | None:
    """The evidence that a program started a session, in a few words; None where a person did, or it is not said."""
    originator, source = text_of(head.get("originator")), head.get("source")
    if isinstance(source, dict):
        kind = source.get("subagent")
        # Codex's own helpers have a name; a subagent that an agent started says whose it is in its place.
        name = text_of(object_of(kind).get("other")) or text_of(kind)
        what = {"review": "a review", "guardian": "an approval review"}.get(name or "", name)
        return f"{what}, started by {originator or 'Codex'}" if name else None
    if source == "exec" or originator == "codex_exec":
        return "started by codex exec"
    if source == "mcp":
        return "started by a client of Codex's MCP server"
    return f"started through the Codex SDK ({originator})" if originator and "_sdk_" in originator else None


def _phase_id(record_id: str | None, phase: str) -> str | None:
    return None if record_id is None else f"{record_id}:{phase}"


def _request_of(payload: dict[str, Any]) -> tuple[str, str]:
    """The tool whose end an event tells, and what was asked of it."""
    kind, invocation, command = payload.get("type"), payload.get("invocation"), payload.get("command")
    if isinstance(invocation, dict):
        item = {"type": "function_call", "name": invocation.get("tool"), "arguments": invocation.get("arguments")}
        text, use = describe_call_item({**item, "namespace": f"mcp__{invocation.get('server')}"}, None)
        return use.name, text
    if command is not None:
        text, use = describe_call_item({"type": "local_shell_call", "action": {"command": command}}, None)
        return use.name, text
    return ("apply_patch" if kind == "patch_apply_end" else "unknown"), ""


_Handler = Callable[[Rollout, dict[str, Any]], None]

_ENVELOPES: dict[str, _Handler] = {
    "session_meta": Rollout._take_head,
    "turn_context": Rollout._take_turn_context,
    "compacted": Rollout._take_compaction,
    "response_item": Rollout._take_item,
    "event_msg": Rollout._take_event,
    "inter_agent_communication": lambda rollout, payload: rollout._messages.take_mail(payload, "delivery"),
}
_ITEMS: dict[str, _Handler] = {
    "message": lambda rollout, payload: rollout._messages.take_item(payload),
    "reasoning": lambda rollout, payload: rollout._messages.take_reasoning(payload),
    "agent_message": lambda rollout, payload: rollout._messages.take_mail(payload, "item"),
    **dict.fromkeys(("function_call", "custom_tool_call", "local_shell_call"), Rollout._take_call),
    **dict.fromkeys(("web_search_call", "tool_search_call", "image_generation_call"), Rollout._take_call),
    **{f"{kind}_output": Rollout._take_output for kind in ("function_call", "custom_tool_call", "local_shell_call")},
}
_EVENTS: dict[str, _Handler] = {
    "user_message": lambda rollout, payload: rollout._messages.take_prompt_event(payload),
    "agent_message": lambda rollout, payload: rollout._messages.take_answer_copy(
        text_of(payload.get("message")), "event"
    ),
    "agent_reasoning": Rollout._take_thought,
    "agent_reasoning_raw_content": Rollout._take_thought,
    **dict.fromkeys(("exec_command_end", "patch_apply_end", "mcp_tool_call_end"), Rollout._take_end),
    "item_completed": Rollout._take_finished,
    "task_started": Rollout._begin_turn,
    "turn_started": Rollout._begin_turn,
    "turn_aborted": Rollout._take_abort,
    "context_compacted": lambda rollout, _: rollout._tell_event(CONTEXT_COMPACTED),
    "thread_rolled_back": lambda rollout, payload: rollout._tell_event(
        f"[Rolled back {payload.get('num_turns', '?')} turns]"
    ),
    "error": lambda rollout, payload: rollout._tell_event(
        f"[Error] {text_of(payload.get('message')) or 'without a message'}"
    ),
    "thread_name_updated": Rollout._take_name,
}
