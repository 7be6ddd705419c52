"""The messages of a rollout: each prompt, answer and thought once, though the log holds up to three copies of it."""

from __future__ import annotations

import re
from typing import Any

from aicx.sources.codex.items import read_outcome
from aicx.sources.codex.texts import (
    clean_prompt,
    content_texts,
    environment_cwd,
    is_scaffolding,
    reasoning_texts,
    text_key,
)
from aicx.sources.codex.timeline import COPY, NO_TEXT, SCAFFOLDING, CodexTimeline, Copies
from aicx.sources.items import ToolUse
from aicx.sources.values import items_of, quoted, text_of
from aicx.sources.voices import speaker_of
from aicx.types import Origin, Role

# What Codex tells the model, in the person's place, about things outside the conversation.
_NOTICES = ("<subagent_notification>", "<user_action>", "<user_shell_command>")
_CUT = "scaffolding inside a text"


class CodexMessages:
    """Takes message records in file order. Model items are the ones told, except prompts: those need a clean copy."""

    def __init__(self, timeline: CodexTimeline) -> None:
        self.knows_cwd = False  # before turn_context existed, the environment block alone named the folder
        self.is_by_program = False  # the session's prompts come from a program
        self.is_copied = False  # inside the history that a fork begins with
        self._timeline = timeline
        self._prompts = Copies()
        self._answers = Copies()
        self._thoughts: set[int] = set()
        self._last_answer = ""

    def begin_turn(self) -> None:
        """Copies stand within one turn: a text of an earlier one must not swallow the same text said again."""
        self._answers.forget()
        self._thoughts.clear()
        self._last_answer = ""

    def take_item(self, payload: dict[str, Any]) -> None:
        """A ``message`` item of any role."""
        role, texts = payload.get("role"), content_texts(payload.get("content"))
        if role == "assistant":
            self._take_answer_item(payload, texts)
        elif role == "user":
            self._take_user_item(payload, texts)
        elif role in ("developer", "system"):
            self._timeline.skip(SCAFFOLDING)
        else:
            self._timeline.skip(f"unknown type: message of {quoted(role)}")

    def _take_answer_item(self, payload: dict[str, Any], texts: list[str]) -> None:
        text = "\n".join(texts)
        if not text.strip():
            self._timeline.skip(NO_TEXT)
            return
        # What clients show may be less than the item: without a plan, without the references to memory.
        halves = self._timeline.waiting.take("assistant", lambda key: key in text)
        self._timeline.skip(COPY, len(halves))
        if self._answers.has_told("item", text) and not halves:
            self._timeline.skip(COPY)
            return
        self._last_answer = text
        record_id = text_of(payload.get("id"))
        self._timeline.emit("assistant", text, "agent", record_id=record_id, turn=self._turn_of(payload))

    def _take_user_item(self, payload: dict[str, Any], texts: list[str]) -> None:
        """Scaffolding, notices, and perhaps a prompt, which then waits for the clean copy that proves it one."""
        typed = []
        for text in texts:
            if "<environment_context>" in text and not self.knows_cwd:
                self._timeline.move(environment_cwd(text))
            if text.lstrip().startswith(_NOTICES):
                self._take_notice(text.strip())
            elif is_scaffolding(text):
                self._timeline.skip(SCAFFOLDING)
            else:
                typed.append(text)
        if not typed:
            return
        key = text_key(typed)
        text, is_cut = self._cleaned(typed)
        if not text:
            return
        if self._prompts.has_told("item", key):
            self._timeline.skip(COPY)
            return
        self._timeline.skip(_CUT, is_cut)
        origin = self._origin(text)
        record_id = text_of(payload.get("id"))
        self._timeline.emit("user", text, origin, record_id=record_id, turn=self._turn_of(payload), waits_for=key)
        self.begin_turn()

    def _take_notice(self, text: str) -> None:
        if text.startswith("<user_shell_command>"):
            command, outcome = _inside(text, "command"), read_outcome(_inside(text, "result"))
            use = ToolUse("user_shell", "result", None, command, (), outcome.failed, outcome.exit_code, outcome.seconds)
            self._timeline.emit("tool", f"$ {command}\n{outcome.text}", "tool", tool=use)
        else:
            self._timeline.emit("system", text, "injected")

    def take_reasoning(self, payload: dict[str, Any]) -> None:
        """A ``reasoning`` item. Within a turn it may begin with the headlines of the one before it."""
        texts = reasoning_texts(payload)
        if not texts:
            self._timeline.skip("encrypted reasoning")
            return
        halves = {held.key for held in self._timeline.waiting.take("reasoning", lambda key: key in texts)}
        self._timeline.skip(COPY, len(halves))
        fresh = [text for text in dict.fromkeys(texts) if text in halves or hash(text) not in self._thoughts]
        self._thoughts.update(map(hash, texts))
        if not fresh:
            self._timeline.skip(COPY)
            return
        text, record_id = "\n\n".join(fresh), text_of(payload.get("id"))
        self._timeline.emit("reasoning", text, "agent", record_id=record_id, turn=self._turn_of(payload))

    def take_mail(self, payload: dict[str, Any], channel: str) -> None:
        """A message between the agents of a session, in the log of the one that got it: a model wrote it."""
        body = "\n".join(content_texts(payload.get("content")))
        if not body.strip() or body == "[encrypted]":
            self._timeline.skip(NO_TEXT)
            return
        text = f"[from {payload.get('author') or 'an agent'} to {payload.get('recipient') or 'an agent'}]\n{body}"
        if self._answers.has_told(channel, text):
            self._timeline.skip(COPY)
            return
        record_id = text_of(payload.get("id"))
        role: Role = "user" if "Message Type: NEW_TASK" in body else "assistant"
        self._timeline.emit(role, text, "agent", record_id=record_id, turn=self._turn_of(payload))

    def take_prompt_event(self, payload: dict[str, Any]) -> None:
        """A ``user_message`` event: the prompt as it was typed."""
        if payload.get("kind") in ("environment_context", "user_instructions"):
            self._timeline.skip(SCAFFOLDING)
            return
        images = ["[image]"] * sum(len(items_of(payload.get(key))) for key in ("images", "local_images"))
        message = text_of(payload.get("message"))
        self.take_prompt_copy([message, *images] if message else images, "event")

    def take_prompt_copy(self, texts: list[str], channel: str) -> None:
        """A prompt as clients show it: confirms the item that waits for it, or is told where there is none."""
        text, is_cut = self._cleaned(texts)
        if not text:
            return
        key = text_key(texts)
        self._timeline.prompts_have_copies = True
        is_other_half = self._timeline.waiting.confirm("user", key)
        if self._prompts.has_told(channel, key) or is_other_half:
            self._timeline.skip(COPY)
            return
        self._timeline.skip(_CUT, is_cut)
        self._timeline.emit("user", text, self._origin(text), turn=self._timeline.turn)
        self.begin_turn()

    def take_answer_copy(self, text: str | None, channel: str) -> None:
        """An answer as clients show it: told only where no item follows that tells it."""
        if text is None or not text.strip():
            self._timeline.skip(NO_TEXT)
        elif self._answers.has_told(channel, text):
            self._timeline.skip(COPY)
        else:
            self._timeline.emit("assistant", text, "agent", turn=self._timeline.turn, waits_for=text.strip())

    def take_plan_copy(self, plan: str | None) -> None:
        """A plan cut out of an answer: told only where no answer holds it."""
        text = (plan or "").strip()
        if not text or text in self._last_answer:
            self._timeline.skip(COPY if text else NO_TEXT)
        else:
            self._timeline.emit("assistant", text, "agent", turn=self._timeline.turn, waits_for=text)

    def take_thought_copies(self, texts: list[str]) -> None:
        """Thoughts as clients show them, a headline at a time: told only where no item follows that tells them."""
        for text in (text.strip() for text in texts):
            if not text:
                self._timeline.skip(NO_TEXT)
            elif hash(text) in self._thoughts:
                self._timeline.skip(COPY)
            else:
                self._thoughts.add(hash(text))
                self._timeline.emit("reasoning", text, "agent", turn=self._timeline.turn, waits_for=text)

    def _cleaned(self, texts: list[str]) -> tuple[str, bool]:
        """The person's part of a prompt, empty when there is none, and whether that is less than the whole."""
        text, is_cut = clean_prompt("\n".join(texts))
        if not text:
            self._timeline.skip(SCAFFOLDING if is_cut else NO_TEXT)
        return text, is_cut

    def _origin(self, prompt: str) -> Origin:
        if (speaker := speaker_of(prompt)) not in (None, "pasted"):
            return speaker
        if self.is_copied:
            return speaker or "typed"
        if self._timeline.identity.lane == "subagent":
            return "agent"
        return "program" if self.is_by_program else speaker or "typed"

    def _turn_of(self, payload: dict[str, Any]) -> str | None:
        for key in ("internal_chat_message_metadata_passthrough", "metadata"):
            metadata = payload.get(key)
            if isinstance(metadata, dict) and (turn := text_of(metadata.get("turn_id"))):
                return turn
        return self._timeline.turn


def _inside(text: str, tag: str) -> str:
    found = re.search(f"<{tag}>\n?(.*)\n?</{tag}>", text, re.DOTALL)
    return found[1].rstrip("\n") if found else ""
