"""Signals in a session of how things are done here, where it contradicts itself and nobody corrected it.

Also which requests say something by themselves, which texts are about one worktree alone, and ideas and prerequisites.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, get_args

from aicx.continuity.note import Kind
from aicx.evidence import Step
from aicx.evidence.patterns import note_rules
from aicx.evidence.statements import is_announcement
from aicx.evidence.texts import sentences, words
from aicx.text import shorten
from aicx.types import PROMPTS

Topic = Literal["package_manager", "search_tool", "canonical_store", "retrieval_flow", "route_order"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
NAMES: dict[Topic, str] = {
    "package_manager": "the package manager",
    "search_tool": "the tool to search with",
    "canonical_store": "the canonical store",
    "retrieval_flow": "the retrieval flow",
    "route_order": "the order of routes",
}
_CHOICES: dict[Topic, str] = {
    "package_manager": "pnpm|npm|yarn|bun|uv|pip|poetry|conda|pipenv",
    "search_tool": "ripgrep|rg|ag|ack|git grep|grep",
}
_SAME = {"ripgrep": "rg"}
# Managers of other languages do not contradict each other.
_KINDS = (frozenset({"pnpm", "npm", "yarn", "bun"}), frozenset({"uv", "pip", "poetry", "conda", "pipenv"}))
_USES = (
    r"(?:us(?:e|es|ed|ing)|prefer|with|via|switch(?:ed)? to|migrated? to|run|stick to|(?:manager|tool) is"
    r"|使用|改用|用|nimm|verwende[nt]?)"
)
_NOT = r"(?:n.?t|not|never|no longer|stop|avoid|不再|不要|nicht)\s+(?:be\s+)?(?:us(?:e|ing)\s+)?"
_INSTALLS = re.compile(r"(?:^|[\s;&|(])(?P<value>pnpm|npm|yarn|bun)\s+(?:install|i|ci|add)\b")
_MAX_READ = 20_000
_VALUE = 60  # characters that are shown of one


def contradictions(steps: Sequence[Step]) -> dict[Topic, list[str]]:
    """The things said of each topic and not taken back, the last said last, where they are more than one."""
    standing: dict[Topic, dict[str, str]] = {topic: {} for topic in TOPICS}
    for step in steps:
        if step.phase == "call":
            for used in _INSTALLS.finditer(step.command):
                _keep(standing["package_manager"], used["value"], used["value"])
        elif (step.role == "assistant" or step.origin in PROMPTS) and note_rules().mentions.search(
            step.text, 0, _MAX_READ
        ):
            for said in sentences(step.text[:_MAX_READ]):
                _take(said.text, standing)
    found = {topic: list(values.values()) for topic, values in standing.items() if len(values) > 1}
    return {topic: said for topic, said in found.items() if topic != "package_manager" or _of_one_language(said)}


def _take(text: str, standing: dict[Topic, dict[str, str]]) -> None:
    corrects = note_rules().correction.search(text) is not None
    for topic in TOPICS:
        used, refused = _values(topic, text)
        values = standing[topic]
        if used and corrects:
            values.clear()
        for value in refused:
            values.pop(_key(value), None)
        for value in used:
            _keep(values, _key(value), value)


def _values(topic: Topic, text: str) -> tuple[list[str], list[str]]:
    """Returns what a sentence says is used, and what it says is not."""
    if topic in _CHOICES:
        names = _CHOICES[topic]
        refused = re.findall(rf"{_NOT}({names})\b", text, re.IGNORECASE)
        refused += re.findall(
            rf"\b(?:instead of|rather than|statt|而不是)\s*(?:us(?:e|ing) )?({names})\b", text, re.IGNORECASE
        )
        used = re.findall(rf"{_USES}\s*(?:the )?`?({names})\b", text, re.IGNORECASE)
        return [value for value in used if value not in refused], refused
    said: re.Pattern[str] = getattr(note_rules(), topic)
    return [" ".join(found["value"].split()) for found in said.finditer(text)], []


def _keep(values: dict[str, str], key: str, value: str) -> None:
    values.pop(key, None)  # said again, it is the last said
    values[key] = shorten(value, _VALUE)


def _key(value: str) -> str:
    plain = " ".join(words(value))
    return _SAME.get(plain, plain)


def _of_one_language(values: Iterable[str]) -> bool:
    names = {value.casefold() for value in values}
    return any(len(names & kind) > 1 for kind in _KINDS)


def closed_values(values: Iterable[str]) -> Iterator[str]:
    """The values that are words of ours rather than of the session: these may be kept where no text is."""
    known = set("|".join(_CHOICES.values()).split("|"))
    return (value.casefold() for value in values if value.casefold() in known)


_MIN_LENGTH, _MAX_LENGTH = 10, 400  # characters of a sentence worth keeping
_MAX_READ = 20_000  # characters of one message that are read
_LAST_SIGNS = " \t\n.!?,;:…\u3002\uff01\uff1f\uff0c\uff1b"
_PROPOSED = re.compile(r"<proposed_plan>.*?(?:</proposed_plan>|\Z)", re.DOTALL)
_SPLIT = re.compile("(?<=[\u3002\uff01\uff1f\uff1b])")


class DerivedStatement(NamedTuple):
    """A statement, when it was made, and the references of what it is from: the session where there are none."""

    kind: Kind
    text: str
    at: datetime
    refs: tuple[str, ...] = ()


def is_vague(text: str) -> bool:
    """Whether a text is nothing but an order to go on, to check again or to have a look."""
    plain = " ".join(text.split()).strip(_LAST_SIGNS + "¿¡")
    return not plain or note_rules().vague.fullmatch(plain) is not None


def is_local(text: str) -> bool:
    """Whether a text is about one worktree: it names files from its root, or the worktree or its branch."""
    return note_rules().local.search(text) is not None


def is_noise(text: str) -> bool:
    """Whether a text is from a prompt to a reviewer or a subagent."""
    return note_rules().noise.search(text) is not None


def ideas_in(steps: Sequence[Step]) -> tuple[list[DerivedStatement], int]:
    """Finds what was named and not tried, and what has to be there first, the latest first; counts the noise passed."""
    found: dict[str, DerivedStatement] = {}
    noise = 0
    for step in reversed(steps):
        said = step.role == "assistant" or (step.role == "user" and step.origin in PROMPTS)
        if not said or not _worth_a_look(step.text):
            continue
        if is_noise(step.text[:_MAX_READ]):
            noise += 1
            continue
        for text in reversed(list(_sentences(_PROPOSED.sub("", step.text[:_MAX_READ])))):
            if (kind := _kind(text)) is not None:
                found.setdefault(text, DerivedStatement(kind, text, step.at))
    return list(found.values()), noise


def _worth_a_look(text: str) -> bool:
    rules = note_rules()
    return bool(rules.untried.search(text, 0, _MAX_READ) or rules.environment.search(text, 0, _MAX_READ))


def _sentences(text: str) -> Iterator[str]:
    """Sentences, also those of languages that put no space between them."""
    for said in sentences(text):
        if note_rules().weighed.search(said.heading):
            continue
        yield from (part.strip() for part in _SPLIT.split(said.text) if part.strip())


def _kind(text: str) -> Literal["untried", "environment"] | None:
    # A sign of Chinese says as much as a short word.
    length = len(text) + sum(ord(sign) > 0x2E7F for sign in text)
    if not _MIN_LENGTH <= length <= _MAX_LENGTH or is_announcement(text) or is_vague(text):
        return None
    rules = note_rules()
    if rules.untried.search(text):
        return "untried"
    asked = text.endswith(("?", "\uff1f"))
    needed = not asked and rules.environment.search(text) and not rules.not_environment.search(text)
    return "environment" if needed else None
