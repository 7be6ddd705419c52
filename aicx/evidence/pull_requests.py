"""Which pull requests were merged: then what was said to be left for them is done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from aicx.evidence.commits import Answered
from aicx.evidence.patterns import Pattern, command_rules, statement_rules
from aicx.evidence.texts import sentences
from aicx.evidence.transcript import Step


def number_of(address: str) -> str:
    """The number of the pull request at ``address``."""
    return address.rpartition("/")[2]


def merged_requests(steps: Sequence[Step], calls: Answered) -> set[str]:
    """The numbers of the pull requests that a session merged, or of which it was told that they are merged."""
    rules = command_rules()
    found = {number for _, answers in calls for result in answers for number in _numbers(rules.merged, result.text)}
    for call, answers in calls:
        asked = rules.asks_request.search(call.command)
        if asked and any(rules.is_merged.search(result.text) for result in answers):
            found.add(asked[1])
    for step in steps:
        if step.role == "assistant" and "merge" in step.text.lower():
            found |= set(_said_merged(step))
    return found


def merged_by(subjects: Iterable[str]) -> set[str]:
    """The numbers of the pull requests that the commits with these subjects brought in."""
    return {number for subject in subjects for number in _numbers(command_rules().merging, subject)}


def is_about_finished(text: str, own: Collection[str], merged: Collection[str]) -> bool:
    """Whether what is said to be left concerns only pull requests that are merged.

    ``own`` are those of the session, which are meant where no number is named.
    """
    rules = command_rules()
    named = set(_numbers(rules.names_request, text))
    if not named and statement_rules().about_request.search(text):
        named = set(own)
    return bool(named) and named <= set(merged)


def _said_merged(step: Step) -> Iterator[str]:
    rules = statement_rules()
    for said in sentences(step.text):
        if rules.merged.search(said.text) and not rules.not_merged.search(said.text):
            yield from _numbers(command_rules().names_request, said.text)


def _numbers(pattern: Pattern, text: str) -> list[str]:
    return [next(filter(None, found.groups())) for found in pattern.finditer(text)]
