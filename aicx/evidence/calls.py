"""Tool calls of a session with their results, and what they made: files that they changed, commits, pull requests.

Commits are known from what git and the forge printed, which also tells of them which are those of others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from aicx.corpus.places.identity import from_remote
from aicx.evidence import Statement, Step
from aicx.evidence.patterns import command_rules, statement_rules
from aicx.evidence.texts import sentences
from aicx.folders import relative
from aicx.git import Roots
from aicx.refs import Ref
from aicx.shell import simple_commands
from aicx.sources.tools import changes_files
from aicx.text import shorten
from aicx.titles import subjects_of
from aicx.values import dataclass, regex

# How much of a call tells what it is for, and where it works.
LOOKED_AT = 4000
_Numbered = tuple[int, Step]


def answered_calls(steps: Sequence[Step]) -> list[tuple[Step, Step | None]]:
    """Every tool call in order, with its result; None where it printed nothing and so has none stored.

    Call and result are linked by the id that the log gave both. What has none is paired by order: results of one tool
    come in the order of its calls; where there are fewer results than calls between two moments at which the model or a
    person spoke, a result belongs to the latest call before it.
    """
    results = {step.call_id: step for step in steps if step.phase == "result" and step.call_id}
    called = {step.call_id for step in steps if step.phase == "call" and step.call_id}
    linked = [
        (number, step, results.get(step.call_id))
        for number, step in enumerate(steps)
        if step.phase == "call" and step.call_id
    ]
    unlinked = [pair for calls, answers in _batches(steps, called) for pair in _pair(calls, answers)]
    return [(call, result) for _, call, result in sorted([*linked, *unlinked], key=lambda pair: pair[0])]


def folders_of(call: Step) -> set[str]:
    """The folders in which a call says that it works: in its commands, else in its arguments."""
    return set(_folders_in(call.text[:LOOKED_AT]))


@lru_cache(4096)  # each call of a session is asked several times
def _folders_in(text: str) -> frozenset[str]:
    rules = command_rules()
    found = rules.goes_to.findall(text) or rules.works_in.findall(text)
    return frozenset(folder.rstrip("/\\") for folders in found for folder in folders if folder)


def _batches(steps: Sequence[Step], linked: Collection[str]) -> Iterator[tuple[list[_Numbered], list[_Numbered]]]:
    """Calls and results that no id links, by tool, between two moments at which somebody spoke."""
    batch: dict[str, tuple[list[_Numbered], list[_Numbered]]] = {}
    for number, step in enumerate(steps):
        if step.tool is None:
            yield from batch.values()
            batch = {}
        elif step.call_id is None or step.call_id not in linked:
            calls, results = batch.setdefault(step.tool, ([], []))
            (calls if step.phase == "call" else results).append((number, step))
    yield from batch.values()


def _pair(calls: list[_Numbered], results: list[_Numbered]) -> list[tuple[int, Step, Step | None]]:
    if len(calls) == len(results):
        return [(number, call, result) for (number, call), (_, result) in zip(calls, results, strict=True)]
    answers: dict[int, Step] = {}
    for place, result in results:
        free = [number for number, _ in calls if number < place and number not in answers]
        if free:
            answers[free[-1]] = result
    return [(number, call, answers.get(number)) for number, call in calls]


_PROSE = regex(r"\.(?:adoc|md|mdx|rst|txt)$", re.IGNORECASE)


class FileEdit(NamedTuple):
    """A file that was changed, ``times`` times, last ``at`` then in ``chunk``. The path is relative to the root."""

    path: str
    times: int
    at: datetime
    chunk: str


def is_prose(path: str) -> bool:
    """Whether a file is only read by people."""
    return _PROSE.search(path) is not None


def is_edit(call: Step) -> bool:
    """Whether a call changes files."""
    return changes_files(call.tool, call.text)


def edits_of(calls: Iterable[tuple[Step, Step | None]], roots: Roots, folder: str | None) -> list[FileEdit]:
    """The files inside the repository that a session changed, the last changed first. Failed edits do not count."""
    found: dict[str, FileEdit] = {}
    for call, result in calls:
        if result is not None and result.failed:
            continue
        if not is_edit(call):
            continue
        for path in call.files:
            relative = roots.relative(path, folder)
            if relative is not None:
                count = found.pop(relative).times if relative in found else 0
                found[relative] = FileEdit(relative, count + 1, call.at, call.chunk)
    return list(reversed(found.values()))


@dataclass(frozen=True, slots=True)
class OtherRepositories:
    """Other repositories as far as known: ``folders`` are theirs, ``roots`` this one's and its worktrees'."""

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
_COMMITS = regex("commit|revert")
_COMMIT = regex(r"git (?:-\S+ (?:[^-\s]\S* )?)*commit\b")
_REVERT = regex(r'Revert "(.+)"')
# A commit that a rebase folds into the one that it names.
_FOLDS = regex(r"^(?:amend|fixup|squash)! ")
# What brings work into a history, or before others.
# Behind a program that tells shortly how another one ended.
_COMMITS_BY = regex(rf"[\w-]+ {_COMMIT.pattern}(?!.* --dry-run\b)", re.DOTALL)
_SAYS_OK = regex(r"\W*ok\b[^\n]*\s*\Z", re.IGNORECASE)
_LANDS = regex(rf"{_COMMIT.pattern}|git (?:-\S+ (?:[^-\s]\S* )?)*push\b|\bgh pr (?:create|merge)\b")


def broke_off_landing(steps: Sequence[Step]) -> Step | None:
    """The call at which the log of a session ends that commits, pushes or opens a pull request, without its answer.

    Tools that keep logs with commits cut them there: whether it went through, and what came after, is not known.
    """
    last = takewhile(lambda step: step.phase == "call" or step.origin == "injected", reversed(steps))
    return next((step for step in last if _LANDS.search(step.command)), None)


def commits_of(calls: Answered, elsewhere: OtherRepositories) -> list[Statement]:
    """The commits a session made in this repository, the last first.

    Of several with one subject the last stands: it was made anew on another base. What was amended, taken back by a
    reset or a revert, or made to be folded into another of them, is left out. Where nothing is known of the folder that
    a call works in, its commits count.
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
            for name, suffix in rules.takes_back.findall(call.command):
                back = len(suffix) if suffix[:1] != "~" else int(suffix[1:] or 1)
                if name != "HEAD":  # that one stands, without a suffix, and what was made after it does not
                    own = [hash_of(one) or "-" for one in found.values()]
                    at = next((n for n, made in enumerate(own) if name.startswith(made) or made.startswith(name)), None)
                    back = 0 if at is None else back + len(own) - at - 1
                for _ in range(min(len(found), back)):
                    found.popitem()
        if not _COMMITS.search(call.text):
            continue
        for result in answers:
            # A repository that begins here is made for a trial.
            if result.failed or rules.first_commit.search(result.text):
                continue
            printed = [(one[0].partition(one[1])[0], one[1], one[2]) for one in rules.commit.finditer(result.text)]
            printed = printed or _not_printed(call, result)
            for (branch, commit, subject), amends in zip(printed, _amending(call, len(printed)), strict=True):
                text = shorten(subject.strip(), _SUBJECT_LENGTH)
                if amends and text not in found:
                    found.pop(latest.get(branch, ""), None)
                latest[branch] = text
                if (reverted := _REVERT.fullmatch(text)) and found.pop(reverted[1], None):
                    continue
                found.pop(text, None)
                names = (str(Ref("commit", commit)),) if commit else ()
                found[text] = Statement(text, result.at, (*names, str(Ref("chunk", result.chunk))))
    folded = {text for text in found if (into := _FOLDS.sub("", text)) != text and into in found}
    return [made for text, made in reversed(found.items()) if text not in folded]


def hash_of(commit: Statement) -> str | None:
    """The hash of a commit that a session made, where the log tells it."""
    first = Ref.parse(commit.refs[0])
    return first.value if first.kind == "commit" else None


def _not_printed(call: Step, result: Step) -> list[tuple[str, str, str]]:
    """The one commit of a call of which a wrapper says no more than that all went well: without branch and hash."""
    made = [part for part in simple_commands(call.command) if _COMMITS_BY.match(part.text)]
    subjects = subjects_of(call.command)
    last = result.text.rstrip().rpartition("\n")[2]
    return [("", "", subjects[0])] if len(made) == len(subjects) == 1 and _SAYS_OK.match(last) else []


def _amending(call: Step, count: int) -> list[bool]:
    """Which of the ``count`` commits that git printed for a call take the place of the one before."""
    made = [part.text for part in simple_commands(call.command) if _COMMIT.match(part.text)]
    flags = ["--amend" in text.split() for text in made]
    if len(flags) != count:
        # Of a loop or a script it is not known which one it was.
        return [bool(flags) and all(flags)] * count
    return flags


def pull_requests_of(calls: Answered) -> list[Statement]:
    """The pull requests a session opened or merged, the last first, without those that it closed."""
    rules = command_rules()
    found: dict[str, Statement] = {}
    for call, answers in calls:
        asked = call.text[:LOOKED_AT]
        # A program's own answer names the request alone in a line; a service's stands in JSON, with much else.
        patterns = [rules.pull_request] if rules.may_create.search(asked) else []
        patterns += [rules.pull_request_field] if patterns and rules.creates.search(asked) else []
        closed = rules.closes_request.findall(asked) if not any(result.failed for result in answers) else ()
        for number in closed:
            found = {address: line for address, line in found.items() if number_of(address) != number}
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
    answered = [result.text for _, answers in calls for result in answers if "merged" in result.text.lower()]
    found = {number for text in answered for number in _numbers(rules.merged, text)}
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
    named = set(_numbers(command_rules().names_request, text)) if merged else set()
    if not named and merged and statement_rules().about_request.search(text):
        named = set(own)
    return bool(named) and named <= set(merged)


# "Since #4 is merged, I move #5 to main" says it of one of them; a list of numbers is of all.
_PARTS = regex(r"[;\u2014]|,(?! *(?:and )?\[?#\d)")


def _said_merged(step: Step) -> Iterator[str]:
    rules = statement_rules()
    for said in sentences(step.text):
        if rules.merged.search(said.text) and not rules.not_merged.search(said.text):
            for part in filter(rules.merged.search, _PARTS.split(said.text)):
                yield from _numbers(command_rules().names_request, part)


def _numbers(pattern: re.Pattern[str], text: str) -> list[str]:
    return [next(filter(None, found.groups())) for found in pattern.finditer(text)]
