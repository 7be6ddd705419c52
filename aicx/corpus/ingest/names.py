"""Names of a chunk in its own words, and of its session as far as is known at the chunk's end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise, zip_longest
from typing import Any

from aicx import titles
from aicx.corpus.catalog.fields import key_of_text, own_messages
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.sources.tools import changes_files
from aicx.telling import title_rules
from aicx.types import INTERRUPTED, PROMPTS, Origin, Role
from aicx.values import dataclass

# As much of a prompt as two runs of a program have in common: what differs comes behind it.
_OPENING = 240
# Of most commands nothing more has to be known.
_TELLS = re.compile(rb"commit|create|\brm\b")
_REMOVES = re.compile(r"\brm\s+(?:-\S+\s+)*([^\n;&|]+)")
UNTITLED = "Untitled session"
# How a client reports that programs of its user, which it runs at its events, failed.
_OF_HOOKS = re.compile(r"Hook\(s\) \[")
# The fields that `name_chunk` gives a sidecar.
NAMES = frozenset(("title", "topic", "topic_from", "work", "work_from", "prompt_key"))


@dataclass(frozen=True, slots=True)
class NamingMessage:
    """One message as names are made from it; ``command``, ``plan`` and the ``files`` it changes are those of a call."""

    role: Role
    origin: Origin
    text: str
    command: str | None = None
    files: Sequence[str] = ()
    plan: Sequence[str] = ()

    @classmethod
    def of(cls, draft: MessageDraft) -> NamingMessage:
        """A message that is about to be stored."""
        tool = draft.entry.tool if draft.entry.tool and draft.entry.tool.phase == "call" else None
        return cls(
            draft.entry.role,
            draft.entry.origin,
            draft.entry.text,
            draft.body.decode() if tool and tool.command and _TELLS.search(draft.body) else None,
            tool.files if tool and changes_files(tool.name, draft.entry.text) else (),
            titles.plan_of(tool.name, draft.body.decode()) if tool and tool.name in titles.PLANS else (),
        )

    @classmethod
    def stored(cls, message: Mapping[str, Any], text: str) -> NamingMessage:
        """A message of a chunk, from its entry in the sidecar and its text."""
        tool = message.get("tool") or {}
        if tool.get("phase") != "call":
            return cls(message["role"], message["origin"], text)
        name = tool.get("name") or ""
        files = tool.get("files") or () if changes_files(name, text) else ()
        command = text if tool.get("command") else None
        return cls(message["role"], message["origin"], text, command, files, titles.plan_of(name, text))


@dataclass(frozen=True, slots=True)
class Naming:
    """The name of a session as its chunks so far tell it. ``source`` says where ``topic`` is from.

    ``prompted`` and ``worked`` say whether the first prompt, and something that was done, are known already.
    """

    topic: str | None = None
    source: str | None = None  # agent, plan, prompt, thing (a prompt that refers to something), weak or said
    prompted: bool = False
    worked: bool = False


def tells_names(draft: MessageDraft) -> bool:
    """Whether a name can be made of a message: most are what tools printed and what the model thought."""
    tool = draft.entry.tool
    return tool.phase == "call" if tool else draft.entry.role != "reasoning"


def name_chunk(messages: Sequence[NamingMessage], given: str | None, before: Naming) -> tuple[dict[str, Any], Naming]:
    """The fields of a chunk's sidecar that name it and its session, and what is known behind it.

    ``given`` is the title that the log itself has for the session by the chunk's end.
    """
    asked = [one for one in messages if one.origin in PROMPTS]
    if not asked and not before.prompted:
        asked = [one for one in messages if one.role == "user" and one.origin == "agent"]  # a subagent's task
    own = _best(name for one in _carried_out(asked, messages) if (name := titles.name_of_prompt(one.text)) is not None)
    subjects = [subject for one in messages if one.command for subject in titles.subjects_of(one.command)]
    statements = (one.text for one in messages if one.role in ("assistant", "artifact"))
    notices = (
        one.text
        for one in messages
        if one.role == "system" and one.origin == "injected" and not _OF_HOOKS.match(one.text)
    )
    removed = chain.from_iterable(found.split() for one in messages for found in _REMOVES.findall(one.command or ""))
    gone = {path.rpartition("/")[2] for path in removed}
    paths = (path for one in messages for path in one.files if path.rpartition("/")[2] not in gone)
    planned, is_stopped = _planned(messages)
    work = partial(titles.name_of_work, subjects, planned, list(paths))
    known = _session(given, own, _as_said(asked), before)
    says_little = own is None or own.weak
    done, source = (work(statements) if says_little else None) or (None, None)
    if own is not None:
        title = titles.with_work(own.text, done) if own.weak and source != "files" else own.text
    else:
        title = done or known.topic or (titles.name_of_work((), (), (), notices) or ("", None))[0]
    fields: dict[str, Any] = {"title": title, "topic": known.topic, "topic_from": known.source or "none"}
    # What an agent says on its way names a part of a session; what it found at the end of a turn may name the session.
    made, made_from = work() or (None, None)
    if made_from not in ("commit", "plan") and (found := titles.name_of_work((), (), (), _concluded(messages))):
        made, made_from = found[0], "result"
    if made and (made_from == "commit" or not before.worked):
        fields |= {"work": made, "work_from": made_from}
    elif is_stopped:
        fields |= {"work": None, "work_from": "stopped"}
    if asked and not before.prompted:
        fields["prompt_key"] = key_of_text(" ".join(asked[0].text.split())[:_OPENING])
    return fields, replace(
        known,
        prompted=before.prompted or bool(asked),
        worked=(before.worked and not is_stopped) or made_from in ("commit", "plan"),
    )


def _carried_out(asked: Sequence[NamingMessage], messages: Sequence[NamingMessage]) -> list[NamingMessage]:
    """The prompts without those that were taken back: commands, and what was said again in other words."""
    told = [one for one in messages if one in asked or one.text.startswith(INTERRUPTED)]
    back = {
        id(one)
        for one, after, *then in zip_longest(told, told[1:], told[2:])
        if after and (_is_stopped(one, after, *then) or titles.takes_back(after.text[:_OPENING], one.text[:_OPENING]))
    }
    return [one for one in asked if id(one) not in back]


def _is_stopped(one: NamingMessage, after: NamingMessage, later: NamingMessage | None) -> bool:
    """Whether the person stopped the agent at a prompt that was a command, or that they said again."""
    is_again = later and titles.is_again(one.text[:_OPENING], later.text[:_OPENING], 2)
    return after.text.startswith(INTERRUPTED) and (one.text[:1] in "/$" or bool(is_again))


def _concluded(messages: Sequence[NamingMessage]) -> Iterator[str]:
    """What the agent said last before it was asked again, or at the end."""
    for one, after in pairwise((*messages, None)):
        is_last = one and one.role == "assistant" and (after is None or after.origin in PROMPTS)
        if one and is_last and titles.is_conclusion(one.text):
            yield one.text


def _planned(messages: Sequence[NamingMessage]) -> tuple[list[str], bool]:
    """The items of the plans that were made since the person last stopped the agent: what they stopped is not done.

    Also whether they stopped what was planned before these messages.
    """
    begin, is_stopped, is_asked = 0, False, False
    for number, one in enumerate(messages):
        is_asked = is_asked or one.origin in PROMPTS
        if one.text.startswith(INTERRUPTED):
            then = next((after.text for after in messages[number + 1 :] if after.origin in PROMPTS), "")
            begin = begin if titles.goes_on(then) else number
            is_stopped = is_stopped or not (is_asked or titles.goes_on(then) or not then)
        elif one.origin in PROMPTS and title_rules().refuses.match(one.text):
            begin = number
    return list(chain.from_iterable(one.plan for one in messages[begin:])), is_stopped


def _as_said(asked: Sequence[NamingMessage]) -> str:
    """The first prompt that is not a command, where there is nothing better: a greeting tells more than no title.

    Else the first command, which at least says what was begun.
    """
    plain = (titles.shorten_title(one.text) for one in asked if one.text[:1] not in "/!")
    return next(plain, "") or next((titles.shorten_title(one.text) for one in asked if one.text[:1] == "/"), "")


def _best(names: Iterator[titles.TitleLine]) -> titles.TitleLine | None:
    """The first that says enough by itself, or refers to something; else the first."""
    first: titles.TitleLine | None = None
    for name in names:
        if not name.weak or name.of_thing:
            return name
        first = first or name
    return first


def _session(given: str | None, own: titles.TitleLine | None, said: str, before: Naming) -> Naming:
    if title := titles.name_given(given):
        return replace(before, topic=title, source="agent")
    if own is None:
        return replace(before, topic=said, source="said") if said and before.topic is None else before
    if before.source not in (None, "weak", "said") or (before.source == "weak" and own.weak):
        return before
    source = "plan" if own.of_plan else "thing" if own.of_thing else "weak" if own.weak else "prompt"
    return replace(before, topic=own.text, source=source)


def own_texts(fields: Mapping[str, Any], markdown: bytes) -> Iterable[NamingMessage]:
    """The messages that begin in a stored chunk."""
    for message in own_messages(fields):
        yield NamingMessage.stored(message, markdown[slice(*message["span"])].decode("utf-8", "replace"))
