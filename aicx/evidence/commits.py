"""The commits and pull requests a session made, from what git and the forge printed, and which of them are others'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile

from aicx.corpus.places.identity import from_remote
from aicx.evidence.calls import LOOKED_AT, folders_of
from aicx.evidence.patterns import Pattern, command_rules, statement_rules
from aicx.evidence.texts import sentences
from aicx.evidence.transcript import Statement, Step
from aicx.folders import relative
from aicx.git.roots import Roots
from aicx.refs import Ref
from aicx.shell import simple_commands
from aicx.text import shorten
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class OtherRepositories:
    """What is known of other repositories: ``folders`` are theirs, ``roots`` this one's and its worktrees'."""

    project: str | None
    roots: Roots
    folders: tuple[str, ...] = ()

    def holds(self, folder: str) -> bool | None:
        """Whether the nearest known folder at or above ``folder`` is another repository's; None where none is known."""
        own, other = _nearest(folder, self.roots.folders), _nearest(folder, self.folders)
        return other > own if own or other else None

    def is_remote(self, url: str) -> bool:
        """Whether what is pushed to ``url`` is another repository; a fork of this one has its name."""
        found = from_remote(url)
        if found is None or self.project is None:
            return False
        return found.rpartition("/")[2] != self.project.rpartition("/")[2]


def _nearest(folder: str, known: Iterable[str]) -> int:
    """How long the longest known folder is that ``folder`` lies in."""
    return max((len(root) for root in known if relative(folder, root) is not None), default=0)


Answered = Sequence[tuple[Step, Sequence[Step]]]

_SUBJECT_LENGTH = 120
# A call without these words makes no commit; the subject that git gives to one that takes another back.
_COMMITS = re.compile("commit|revert")
_COMMIT = re.compile(r"git (?:-\S+ (?:[^-\s]\S* )?)*commit\b")
_REVERT = re.compile(r'Revert "(.+)"')
# What brings work into a history, or before others.
_LANDS = re.compile(rf"{_COMMIT.pattern}|git (?:-\S+ (?:[^-\s]\S* )?)*push\b|\bgh pr (?:create|merge)\b")


def broke_off_landing(steps: Sequence[Step]) -> bool:
    """Whether the log of a session ends at a call that commits, pushes or opens a pull request, without its answer.

    Tools that keep logs with commits cut them there: whether it went through, and what came after, is not known.
    """
    last = takewhile(lambda step: step.phase == "call", reversed(steps))
    return any(_LANDS.search(step.command) for step in last)


def commits_of(calls: Answered, elsewhere: OtherRepositories) -> list[Statement]:
    """The commits a session made in this repository, the last first.

    Of several with one subject the last stands: it was made anew on another base. What was amended, or taken back by a
    reset or a revert, is left out. Where nothing is known of the folder that a call works in, its commits count.
    """
    rules = command_rules()
    others = {folder for call, answers in calls for folder in _pushed_elsewhere(call, answers, elsewhere)}
    found: dict[str, Statement] = {}
    latest: dict[str, str] = {}  # the subject of each branch's last commit
    for call, answers in calls:
        folders = folders_of(call)
        if folders and all(elsewhere.holds(one) or one in others for one in folders):
            continue
        if not any(result.failed for result in answers):
            for back, carets in rules.takes_back.findall(call.command):
                for _ in range(min(len(found), len(carets) or int(back or 1))):
                    found.popitem()
        if not _COMMITS.search(call.text):
            continue
        for result in answers:
            # A repository that begins here is made for a trial.
            if result.failed or rules.first_commit.search(result.text):
                continue
            printed = list(rules.commit.finditer(result.text))
            for made, amends in zip(printed, _amending(call, len(printed)), strict=True):
                commit, subject = made.groups()
                text = shorten(subject.strip(), _SUBJECT_LENGTH)
                branch = made[0].partition(commit)[0]
                if amends and text not in found:
                    found.pop(latest.get(branch, ""), None)
                latest[branch] = text
                if (reverted := _REVERT.fullmatch(text)) and found.pop(reverted[1], None):
                    continue
                found.pop(text, None)
                found[text] = Statement(text, result.at, (str(Ref("commit", commit)), str(Ref("chunk", result.chunk))))
    return list(reversed(found.values()))


def _amending(call: Step, count: int) -> list[bool]:
    """Which of the ``count`` commits that git printed for a call take the place of the one before."""
    made = [part.text for part in simple_commands(call.command) if _COMMIT.match(part.text)]
    flags = ["--amend" in text.split() for text in made]
    if len(flags) != count:
        # Of a loop or a script it is not known which one it was.
        return [bool(flags) and all(flags)] * count
    return flags


def pull_requests_of(calls: Answered) -> list[Statement]:
    """The pull requests a session opened or merged, the last first."""
    rules = command_rules()
    found: dict[str, Statement] = {}
    for call, answers in calls:
        asked = call.text[:LOOKED_AT]
        # A program's own answer names the request alone in a line; a service's stands in JSON, with much else.
        patterns = [rules.pull_request] if rules.may_create.search(asked) else []
        patterns += [rules.pull_request_field] if rules.creates.search(asked) else []
        for result in answers:
            if result.failed:
                continue
            for address in (address for pattern in patterns for address in pattern.findall(result.text)):
                found[address] = Statement(address, result.at, (str(Ref("chunk", result.chunk)),))
    return list(reversed(found.values()))


def _pushed_elsewhere(call: Step, answers: Sequence[Step], elsewhere: OtherRepositories) -> set[str]:
    """The folders of which a call shows that they are another repository's: all that it pushed went there."""
    pushed = [url for result in answers for url in command_rules().pushed_to.findall(result.text)]
    if not pushed or not all(map(elsewhere.is_remote, pushed)):
        return set()
    return {folder for folder in folders_of(call) if elsewhere.holds(folder) is None}


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
