"""Why a commit was made, in the words of the session that made it: each line quoted, with its chunk.

The requests of the session tell which of its words are about the commit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import fsum, log

from aicx.evidence import Step
from aicx.evidence.calls import OtherRepositories, answered_calls, commits_of
from aicx.evidence.patterns import command_rules, statement_rules
from aicx.evidence.runs import CommandRun, followed, latest_outcomes, runs_of
from aicx.evidence.sessions import SessionRow
from aicx.evidence.statements import PASTED, Weight, conclusion, decisions, own_choices, requests
from aicx.evidence.texts import sentences, summary_line, words
from aicx.git import Roots
from aicx.git.subjects import plain_subject
from aicx.refs import Ref
from aicx.telling import count_telling
from aicx.text import shorten
from aicx.values import regex
from aicx.why.candidates import AFTER
from aicx.why.commits import CommitQuery, ReasonKind, WhyReason
from aicx.why.ranking import edits_of
from aicx.why.said import causes, reports_of, weighed
from retrieval.analysis import analyze

_LENGTH = 280
_MAX_LINES = 2
# The level of a prompt that says something by itself.
_SPEAKING = 2
# A request in fewer telling words leans on the one before.
_TELLING = 3
# What it is worth that the commit's files were changed after a request, where another commit came between and where
# none did; a word of its subject that few other requests have is worth about as much.
_WORKED_BEFORE, _WORKED, _SINCE = 0.5, 2.0, 0.5
_OF_SUBJECT = 1.0  # what a term of the subject says of a commit
# Two requests with this share of their words in common are one, asked twice.
_ALIKE = 0.8


Said = tuple[str, Step]
# What a request is worth, its words as one line, and its message.
Request = tuple[Weight, str, Step]


def asked(
    every: Sequence[Request],
    since: datetime | None,
    edited: Sequence[Sequence[datetime]],
    about: Mapping[str, float],
    of_another: Callable[[str], bool],
) -> list[tuple[str, Step]]:
    """Those requests that say most of why a commit was made, at most two, in order.

    ``since`` is when the commit before it was made in the session; ``edited`` has, for each of the commit's files, when
    it was changed; ``about`` has the terms that the commit is about, and what each says of it; ``of_another`` tells
    what fits another commit of the session better. Where none fits, it is the request that the session began with,
    unless it made another commit since.
    """
    subject = sum(worth >= _OF_SUBJECT for worth in about.values())
    begins = [step.at for _, _, step in every]
    turns = [{bisect_right(begins, at) - 1 for at in times} for times in edited]
    counts = Counter(term for _, line, _ in every for term in terms(line))

    def worth(place: int, weight: Weight, line: str, step: Step) -> float:
        named = sum(about[term] >= _OF_SUBJECT for term in terms(line) & about.keys())
        shared = fsum(about[term] * log(1 + len(every) / counts[term]) for term in terms(line) & about.keys())
        worked = sum(place in of_file for of_file in turns) / max(1, len(turns))
        # "Address the feedback" says something where it was followed by the work, "commit this" nowhere.
        # A file's name alone is in the requests of every other commit.
        fresh = since is None or step.at > since
        # What was asked before another commit was asked for that one, as far as one word tells.
        fits = named >= (1 if fresh else min(_MIN_TERMS, max(1, subject))) and not of_another(line)
        if not fits and not (worked and fresh):
            return 0.0
        if not worked and weight.level < _SPEAKING:
            return 0.0
        return shared + (_WORKED if fresh else _WORKED_BEFORE) * worked + _SINCE * fresh

    rated = [(worth(place, *one), one) for place, one in enumerate(every)]
    best: list[tuple[str, Step]] = []
    by_worth = sorted(rated, key=lambda one: (one[0], one[1][2].at), reverse=True)
    # Where another commit came before, or a later request fits, the session began with something else.
    none_fits = since is None and not any(value for value, _ in rated)
    opening = [(1.0, one) for one in every[:1] if none_fits and one[0].level >= _SPEAKING]
    for value, (_, line, step) in [*by_worth, *opening]:
        if value and len(best) < _MAX_LINES and not any(alike(line, other) for other, _ in best):
            best.append((line, step))
    return sorted(best, key=lambda one: one[1].at)


def _leaned_on(
    fits: Sequence[Said], every: Sequence[Request], since: datetime | None, of_another: Callable[[str], bool]
) -> list[Said]:
    """What a single request of few words, as "go ahead with the plan", leans on: the one before that says more."""
    if len(fits) != 1 or count_telling(fits[0][0]) >= _TELLING:
        return []
    before = [(line, step) for _, line, step in every if step.at < fits[0][1].at and (since is None or step.at > since)]
    return [one for one in before if count_telling(one[0]) >= _TELLING and not of_another(one[0])][-1:]


def _wish(text: str, about: Mapping[str, float]) -> str:
    """A request on one line: its beginning, or a later sentence that has far more words of the commit's subject."""

    def named(said: str) -> int:
        return sum(about[term] >= _OF_SUBJECT for term in terms(said) & about.keys())

    begins = summary_line(text, _LENGTH)
    every = (said.text for said in sentences(text[:PASTED]))
    told = max((said for said in every if not statement_rules().unquotable.search(said)), key=named, default="")
    return shorten(told, _LENGTH) if named(told) > max(1, 2 * named(begins) - 1) else begins


@lru_cache(maxsize=1024)  # each line is compared several times
def terms(text: str) -> frozenset[str]:
    """The words of a text by which it is compared: stems, without those that every text has."""
    return frozenset(analyze(text, "").words)


def alike(one: str, other: str) -> bool:
    """Whether two lines say the same."""
    mine, theirs = set(words(one)), set(words(other))
    return len(mine & theirs) >= _ALIKE * max(1, len(mine | theirs))


# What a word of a message's body or of a file's name says, beside one of the subject, and the characters of a body.
_OF_BODY, _OF_FILES, _MAX_BODY = 0.5, 0.5, 1000
# "fix" in "fix(parser): read brackets" says what kind of change it is, and is in every other sentence.
_KIND = regex(r"^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?=\(|!?:)", re.IGNORECASE)
# A sentence is about a commit from here: it has a word of the subject that nothing else said in the session has, or
# several that other things have too.
_MIN_WEIGHT = 1.0
# A cause, or another way, has so many words of the subject: one may be there by chance, and misleads.
_MIN_TERMS = 2


def message_of(wanted: CommitQuery) -> Mapping[str, float]:
    """The terms of a commit's message, and what each says of it: those of its subject most; of none, its files'."""
    change = wanted.change
    found = dict.fromkeys(terms(change.body[:_MAX_BODY]), _OF_BODY)
    found |= dict.fromkeys(terms(f"{wanted.name} {_KIND.sub('', change.subject)}"), 1.0)
    return found or dict.fromkeys(_of_files(wanted), 1.0)


def for_requests(message: Mapping[str, float], wanted: CommitQuery) -> Mapping[str, float]:
    """The terms that requests are compared with: also the kind of change, and the names of the commit's files."""
    subject = dict.fromkeys(terms(wanted.change.subject), 1.0)
    return {**dict.fromkeys(_of_files(wanted), _OF_FILES), **message, **subject}


def _of_files(wanted: CommitQuery) -> frozenset[str]:
    stems = (path.rpartition("/")[2].partition(".")[0] for path in wanted.files)
    return terms(" ".join(re.sub(r"[/._-]", " ", stem) for stem in stems))


class Fit:
    """How well a sentence fits a commit's ``message``, beside the other ``texts`` and the ``requests`` of its session.

    A session is often about several commits of the same files: the names of files do not tell them apart, nor do words
    that the whole session is about. What a session with a single request says belongs to that, unless it made another
    commit before (``several``).
    """

    def __init__(
        self, message: Mapping[str, float], requests: Sequence[str], texts: Iterable[str], *, several: bool
    ) -> None:
        every = [terms(text) for text in {*requests, *texts}]
        counts = Counter(term for one in every for term in one & message.keys())
        most = log(1 + len(every))
        self._worth = {term: message[term] * log(1 + len(every) / count) / most for term, count in counts.items()}
        self._least = _MIN_WEIGHT if several or len(requests) > 1 else 0.0
        self._subject = {term for term, worth in message.items() if worth >= _OF_SUBJECT}

    def best(self, said: Sequence[Said], limit: int, *, named: int = 0) -> list[Said]:
        """Those that are about the commit, at most ``limit``, later ones first where that is equal; in order.

        Each has ``named`` terms of the commit's subject, or all that there are.
        """
        if self._least:
            fewest = min(named, len(self._subject))
            said = [one for one in said if len(terms(one[0]) & self._subject) >= fewest]
        rated = [(fsum(self._worth.get(term, 0.0) for term in terms(text)), text, step) for text, step in said]
        best: list[Said] = []
        for worth, text, step in sorted(rated, key=lambda one: (one[0], one[2].at), reverse=True):
            if worth < self._least or len(best) == limit:
                break
            if not any(alike(text, other) for other, _ in best):
                best.append((text, step))
        return sorted(best, key=lambda one: one[1].at)


_MAX_FOUND, _MAX_WEIGHED, _MAX_DECIDED, _MAX_RUNS = 2, 2, 3, 2
# Of a long session's decisions, those that are compared with what the commit is about.
_MAX_LISTED = 24
_SAID = ("found", "weighed")
_BOOKKEEPING = ("git ", "gh ", "glab ")
# The last line of a build that says where, not what.
_NAMES_NOTHING = regex(r"\[build failed\]|^\S+: : #")
# A folder of the repository as a command names one.
_FOLDER = regex(r"(?<=\s)(?:\./)?[\w.-]+(?:/[\w.-]+)*/(?=\s|$)|(?<=\s)\./[\w-]+(?:/[\w-]+)*(?:/\.{3})?(?=\s|$)")
# A check that runs tests says more of a change than one that formats it.
_TESTS = regex(r"test|spec\b|e2e|jest", re.IGNORECASE)


def read_reason(
    steps: Sequence[Step], wanted: CommitQuery, session: SessionRow, made_at: datetime | None = None
) -> list[WhyReason]:
    """Reads what led to a commit in a session: requests, causes, alternatives, decisions, failures, checks, a report.

    Of what the session says only what has to do with the commit's message: it is often about other commits too.
    ``made_at`` is when the session first made the commit, where it did. Where it did not, what it
    says belongs to the commit up to its last edit of the commit's files: what comes later may be about anything.
    """
    end = made_at or max(wanted.times, default=None)
    edited, message = edits_of(_before(steps, end), wanted, session.cwd), message_of(wanted)
    worked = max((at for times in edited for at in times), default=None)
    end = made_at or worked or end
    made = commits_of(followed(answered_calls(steps)), OtherRepositories(None, Roots(())))
    others = [one for one in made if plain_subject(one.text) not in wanted.subjects] if made_at else []
    before = _before(steps, end, (one.at for one in others))
    subjects = [terms(_KIND.sub("", one.text)) for one in others]
    wanted_for = message
    # A word that another of its subjects has tells its commits from none.
    message = {term: worth for term, worth in message.items() if not any(term in one for one in subjects)}
    own = {term for term, worth in message.items() if worth >= _OF_SUBJECT}
    theirs = [one - terms(wanted.change.subject) for one in subjects]
    since = _commit_before(before, wanted, end) if end else None
    stretch = [step for step in before if since is None or step.at > since]
    # Of a stretch in which nothing was asked, or nothing answered, the rest says more.
    steps = stretch if requests(stretch) and conclusion(stretch) else before

    def of_another(text: str) -> bool:
        found = terms(text)
        return any(len(found & one) > len(found & own) for one in theirs)

    def line(kind: ReasonKind, text: str, step: Step | CommandRun) -> WhyReason:
        return WhyReason(kind, text, step.at, str(Ref("chunk", step.chunk)), session.session_id)

    about = {**dict.fromkeys(_of_files(wanted), _OF_FILES), **wanted_for} if others else for_requests(message, wanted)
    wishes = [(weight, _wish(weight.text, about), step) for weight, step in requests(before)]
    fits = asked(wishes, since, edited, about, of_another)
    found = [line("asked", text, step) for text, step in [*_leaned_on(fits, wishes, since, of_another), *fits]]
    settled = [(said.text, said.step) for said in decisions(steps, _MAX_LISTED)]
    chosen = [(said.text, said.step) for said in own_choices(steps, _MAX_LISTED)]
    said: list[tuple[ReasonKind, list[Said], int]] = [
        ("found", causes(steps), _MAX_FOUND),
        ("weighed", [*weighed(steps), *chosen], _MAX_WEIGHED),
        ("decided", settled, _MAX_DECIDED),
    ]
    lines, several = [text for _, text, _ in wishes], since is not None
    fit = Fit(message, lines, (text for _, every, _ in said for text, _ in every), several=several)
    for kind, told, most in said:
        every = [one for one in told if not of_another(one[0])]
        named = _MIN_TERMS if kind in _SAID else 0
        found += (line(kind, text, step) for text, step in fit.best(every, most, named=named))
    runs = [run for run in runs_of(followed(answered_calls(steps))) if _may_be_of(run, wanted.files)]
    for run in _failed(runs):
        found.append(line("failed", f"`{run.line}` failed{f': {run.telling}' if run.telling else ''}", run))
    found += (line("passed", f"`{run.line}` passed", run) for run in _passed(runs))
    # What was said of this commit; the session's last words are often of another.
    told = [one for one in reports_of(steps, worked) if not of_another(one[0])]
    fit, named = Fit(message, lines, (text for text, _ in told), several=several), _MIN_TERMS if several else 0
    found += (line("reported", text, step) for text, step in fit.best(told, 1, named=named))
    kept: list[WhyReason] = []
    for item in found:
        if item.text and not any(_repeats(item, other) for other in kept):
            kept.append(item)
    return kept


def _repeats(line: WhyReason, other: WhyReason) -> bool:
    """Whether a line says again what another says; a decision is often an alternative with the sentence before it."""
    return line.text in other.text or (line.kind == "decided" and other.kind in _SAID and other.text in line.text)


def _before(steps: Sequence[Step], end: datetime | None, others: Iterable[datetime] = ()) -> list[Step]:
    """Returns what a session says up to a commit, and after it up to the next request.

    Where it made one of the ``others`` before that, what it says in between is of that one.
    """
    if end is None:
        return list(steps)
    until = next((step.at for _, step in requests(steps) if end < step.at <= end + AFTER), end + AFTER)
    until = end if any(end < at < until for at in others) else until
    return [step for step in steps if step.at <= end or step.at < until]


def _commit_before(before: Sequence[Step], wanted: CommitQuery, end: datetime) -> datetime | None:
    """When git last printed another commit before that one."""
    results = (step for step in reversed(before) if step.phase == "result" and step.at < end)
    return next((step.at for step in results if _is_of_another(step, wanted)), None)


def _is_of_another(step: Step, wanted: CommitQuery) -> bool:
    """Whether git printed a commit there that is another than the wanted one, which may have had another hash."""
    printed = command_rules().commit.findall(step.text) if step.text.startswith("[") or "\n[" in step.text else []
    return bool(printed) and not any(
        plain_subject(subject) in wanted.subjects or any(known.startswith(name) for known in wanted.hashes)
        for name, subject in printed
    )


def _may_be_of(run: CommandRun, files: Sequence[str]) -> bool:
    """Whether the folders that a command names, where it names any, have one of a commit's files below them."""
    named = [name for found in _FOLDER.findall(run.parts[-1].text) if (name := found.strip("./"))]
    return not (named and files) or any(f"/{name}/" in f"/{file}/" for name in named for file in files)


def _failed(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The last checks and changes that failed on the way, each command once; no refusal of git and no bare "failed"."""
    found: dict[str, CommandRun] = {}
    for run in reversed(runs):
        if _NAMES_NOTHING.search(run.telling) or run.line.startswith(_BOOKKEEPING):
            continue
        if run.outcome == "failed" and run.kind != "other":
            found.setdefault(run.line, run)
    return list(reversed(list(found.values())[:_MAX_RUNS]))


def _passed(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The checks that passed in the end, tests first."""
    checks = [run for run, _ in latest_outcomes([run for run in runs if run.kind == "check"]) if run.outcome == "ok"]
    return sorted(checks, key=lambda run: not _TESTS.search(run.line))[:_MAX_RUNS]
