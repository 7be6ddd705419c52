"""The patterns for reading sessions, kept as data in `aicx/data/continuity/*.toml` and loaded when needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, TypeVar

import aicx

Pattern = re.Pattern[str]
BORDERS = (r"\b", "^")  # an expression that begins with one has no alternative to it outside parentheses
T = TypeVar("T")

# Not by importlib.resources, which takes longer to import than the rules to load.
_FOLDER = Path(__file__).parent.parent / "data" / "continuity"


class RequestRules:
    """Which prompts say something by themselves."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.empty = frozenset(table["empty"]["words"].split())
        self.procedural = self.empty | frozenset(table["procedural"]["words"].split())
        self.commands = tuple(table["commands"]["starts"])
        self.markers = tuple(table["markers"]["before"])


def _any(patterns: Iterable[str]) -> Pattern:
    """One expression for all of them. A curly apostrophe stands for a straight one too.

    Neighbours that begin at a border of words, or of lines, are tried there alone: that halves the time of a search.
    """
    parts = []
    for border, group in groupby(patterns, key=lambda one: next(filter(one.startswith, BORDERS), "")):
        parts.append(f"{border}(?:{'|'.join(f'(?:{one.removeprefix(border)})' for one in group)})")
    return re.compile("|".join(parts).replace("\u2019", "['\u2019]"), re.IGNORECASE | re.MULTILINE)


def _each(patterns: Iterable[str]) -> tuple[Pattern, ...]:
    """An expression for each, to be tried one after the other."""
    return tuple(_any([pattern]) for pattern in patterns)


class _Lazy(Generic[T]):
    """An expression of a file by the attribute's name, compiled when it is first used: few sessions need all."""

    def __init__(self, compiled: Callable[[list[str]], T]) -> None:
        self._compiled = compiled

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, rules: _Expressions, owner: type) -> T:
        # From now on the instance has an attribute of this name, which is found before this one.
        found = rules.__dict__[self._name] = self._compiled(rules.lists[self._name])
        return found


class _Expressions:
    """The expressions of one file by their names. Raises LookupError where the file lacks one or has another."""

    def __init__(self, table: Mapping[str, Mapping[str, list[str]]]) -> None:
        self.lists = {name: patterns for section in table.values() for name, patterns in section.items()}
        declared = {name for name, value in vars(type(self)).items() if isinstance(value, _Lazy)}
        if different := declared ^ self.lists.keys():
            raise LookupError(f"expressions not in both places: {', '.join(sorted(different))}")


class CommandRules(_Expressions):
    """Rules of commands: what they are for, how they ended, and which tools change files."""

    look = _Lazy(_any)
    check = _Lazy(_any)
    change = _Lazy(_any)
    probe = _Lazy(_any)
    test = _Lazy(_any)
    lint = _Lazy(_any)
    fixed_otherwise = _Lazy(_any)
    fixed_by = _Lazy(_any)
    ends_refusal = _Lazy(_any)
    refusable = _Lazy(_any)
    takes_no_end = _Lazy(_any)
    past_hooks = _Lazy(_any)
    helps = _Lazy(_any)
    merges = _Lazy(_any)
    failed = _Lazy(_any)
    passed = _Lazy(_any)
    stopped = _Lazy(_any)
    exists = _Lazy(_any)
    misuse = _Lazy(_any)
    sandboxed = _Lazy(_any)
    escalated = _Lazy(_any)
    not_started = _Lazy(_any)
    expects_failure = _Lazy(_any)
    failed_as_expected = _Lazy(_any)
    provoked = _Lazy(_any)
    sets_aside = _Lazy(_any)
    takes_back_work = _Lazy(_any)
    says_wrong = _Lazy(_any)
    slip = _Lazy(_any)
    says_nothing = _Lazy(_any)
    trivial = _Lazy(_any)
    not_yet = _Lazy(_any)
    passing = _Lazy(_any)
    conflict = _Lazy(_any)
    hidden = _Lazy(_any)
    chatter = _Lazy(_any)
    telling = _Lazy(_each)
    running = _Lazy(_any)
    left_running = _Lazy(_any)
    asks = _Lazy(_any)
    reads = _Lazy(_any)
    writes = _Lazy(_any)
    patch = _Lazy(_each)
    commit = _Lazy(_any)
    first_commit = _Lazy(_any)
    takes_back = _Lazy(_any)
    pull_request = _Lazy(_any)
    pull_request_field = _Lazy(_any)
    may_create = _Lazy(_any)
    creates = _Lazy(_any)
    works_in = _Lazy(_any)
    goes_to = _Lazy(_any)
    pushed_to = _Lazy(_any)
    merged = _Lazy(_any)
    asks_request = _Lazy(_any)
    is_merged = _Lazy(_any)
    merging = _Lazy(_any)
    names_request = _Lazy(_any)


class StatementRules(_Expressions):
    """Rules of sentences: what they are about."""

    next_headings = _Lazy(_any)
    wanted_headings = _Lazy(_any)
    next_labels = _Lazy(_any)
    next = _Lazy(_any)
    not_next = _Lazy(_any)
    aside = _Lazy(_any)
    questions = _Lazy(_any)
    agent = _Lazy(_any)
    reasons = _Lazy(_any)
    not_agent = _Lazy(_any)
    human = _Lazy(_any)
    not_human = _Lazy(_any)
    of_procedure = _Lazy(_any)
    undecided = _Lazy(_any)
    pastes = _Lazy(_any)
    check_headings = _Lazy(_any)
    checked_headings = _Lazy(_any)
    replaces = _Lazy(_any)
    fell_through = _Lazy(_any)
    names_failure = _Lazy(_any)
    no_failure = _Lazy(_any)
    failed_before = _Lazy(_any)
    done = _Lazy(_any)
    about_request = _Lazy(_any)
    merged = _Lazy(_any)
    not_merged = _Lazy(_any)
    uncommitted = _Lazy(_any)
    unpushed = _Lazy(_any)
    tells_unpushed = _Lazy(_any)
    waiting = _Lazy(_any)
    conflicts_over = _Lazy(_any)
    tests_pass = _Lazy(_any)
    lint_passes = _Lazy(_any)
    not_passing = _Lazy(_any)
    announcements = _Lazy(_any)
    answers = _Lazy(_any)
    unquotable = _Lazy(_any)
    of_trying = _Lazy(_any)
    gave_up = _Lazy(_any)
    not_given_up = _Lazy(_any)
    refusals = _Lazy(_any)
    begins_step = _Lazy(_any)
    owed = _Lazy(_any)
    no_step = _Lazy(_any)
    asks_for = _Lazy(_any)
    no_request = _Lazy(_any)
    leans = _Lazy(_any)
    no_mistake = _Lazy(_any)


class MemoryRules(_Expressions):
    """Which sentences and commands are worth proposing as a memory."""

    rules = _Lazy(_any)
    preferences = _Lazy(_any)
    choices = _Lazy(_any)
    facts = _Lazy(_any)
    correction = _Lazy(_any)
    corrected = _Lazy(_any)
    opening = _Lazy(_any)
    passing = _Lazy(_any)
    pasted = _Lazy(_any)
    worth_a_look = _Lazy(_any)
    limits = _Lazy(_any)
    causes = _Lazy(_any)
    guessed = _Lazy(_any)
    remedies = _Lazy(_any)
    choices_made = _Lazy(_any)
    not_lasting = _Lazy(_any)
    not_settled = _Lazy(_any)
    about_design = _Lazy(_any)
    about_procedure = _Lazy(_any)
    about_something_else = _Lazy(_any)
    headings = _Lazy(_any)
    answers_nothing = _Lazy(_any)
    answers_by_place = _Lazy(_any)
    prepares = _Lazy(_any)
    at_place = _Lazy(_any)
    varies = _Lazy(_any)
    says_little = _Lazy(_any)


class NoteRules(_Expressions):
    """Rules of continuity notes: what they take from sentences, and which requests say too little."""

    vague = _Lazy(_any)
    noise = _Lazy(_any)
    untried = _Lazy(_any)
    environment = _Lazy(_any)
    not_environment = _Lazy(_any)
    weighed = _Lazy(_any)
    local = _Lazy(_any)
    correction = _Lazy(_any)
    canonical_store = _Lazy(_any)
    retrieval_flow = _Lazy(_any)
    route_order = _Lazy(_any)
    mentions = _Lazy(_any)


@cache
def reading_version(layout: int) -> str:
    """The version of what is kept of a session as it was read: another one with each release and each pattern.

    ``layout`` is the number of how it is kept.
    """
    digest = sha256(b"\0".join(file.read_bytes() for file in sorted(_FOLDER.glob("*.toml")))).hexdigest()[:16]
    return f"{layout} {aicx.__version__} {digest}"


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


# The rules of each file, read when they are first asked for.
note_rules = cache(lambda: NoteRules(_table("notes")))
memory_rules = cache(lambda: MemoryRules(_table("memories")))
request_rules = cache(lambda: RequestRules(_table("requests")))
command_rules = cache(lambda: CommandRules(_table("commands")))
statement_rules = cache(lambda: StatementRules(_table("statements")))
