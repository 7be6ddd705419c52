"""The facts of one stored session in one repository, which handoffs, failures and strategies are derived from.

Derived from the corpus alone: it may be thrown away at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import orjson

from aicx.refs import Ref
from aicx.types import Lane
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.evidence.session_brief import State, StateReason

# Of a session that ran a thousand commands, the last ones.
MAX_COMMANDS, MAX_FILES = 200, 400


@dataclass(frozen=True, slots=True)
class Said:
    """A line of what was said or done."""

    text: Annotated[str, "the statement"]
    at: Annotated[str, "when it was said or done; empty where nothing tells"]
    refs: Annotated[tuple[str, ...], "references that prove it"]


@dataclass(frozen=True, slots=True)
class Ran:
    """A test that was run, and how it ended: ``passed`` is None where the log does not say."""

    command: str
    passed: bool | None
    at: str
    ref: str


@dataclass(frozen=True, slots=True)
class Observed:
    """The doings of a session, in order. Paths are relative to the repository's root.

    ``orientation`` are commands that only looked around before the first file was opened. ``succeeded`` is None where
    nobody said how it ended. ``finalized`` is whether it reported its end. ``deleted`` and ``moved`` are paths.
    """

    opened: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    orientation: tuple[str, ...] = ()
    succeeded: bool | None = None
    finalized: bool = False
    deleted: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.opened or self.edited or self.commands or self.tests)


@dataclass(frozen=True, slots=True)
class Try:
    """The changes and runs between two runs of the failing command."""

    files: Annotated[tuple[str, ...], "edited, from the repository's root"]
    commands: Annotated[tuple[str, ...], "run besides checks"]
    at: Annotated[str, "when the command was run again"]
    ref: Annotated[str, "the chunk of that run"]
    read_all: Annotated[bool, "whether everything between was read, so that what is not listed was not done"] = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A mistake that a tool reported in a session. ``count`` is how many runs reported it.

    ``attempts`` are the tries after which it was reported again, ``resolved`` the one after which its command passed.
    ``also`` are the fingerprints of others that came up in the same run and ended with it.
    """

    fingerprint: str
    family: str
    toolchain: str
    phase: str
    message: str
    code: str | None
    file: str | None
    line: int | None
    test: str | None
    command: str
    exit_code: int | None
    first_at: str
    last_at: str
    ref: str
    count: int = 1
    attempts: tuple[Try, ...] = ()
    resolved: Try | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionPart:
    """A session as far as it worked in one repository, as the catalogue knows it.

    ``project`` is what the corpus calls the repository, or its folder where it has no name.
    """

    agent: str
    session_id: str
    project: str
    folder: str | None
    branch: str | None
    lane: Lane
    automated: bool
    title: str | None

    @property
    def ref(self) -> str:
        """The reference of the session."""
        return str(Ref.of_session(self.agent, self.session_id))


@dataclass(frozen=True, slots=True)
class SessionFacts(SessionPart):
    """A session's part in a repository. Paths are relative to its root, in the order in which they came up.

    ``failing`` is what failed at the end, ``given_up`` what was tried without success and left before. ``orientation``
    are the commands before the first file.
    """

    started_at: str
    ended_at: str
    goal: Said | None
    asked: Said | None
    turned_to: Said | None
    unanswered: Said | None
    progress: Said | None
    reported: Said | None
    commits: tuple[Said, ...]
    pull_requests: tuple[Said, ...]
    failing: tuple[Said, ...]
    given_up: tuple[Said, ...]
    next: tuple[Said, ...]
    questions: tuple[Said, ...]
    decisions: tuple[Said, ...]
    opened: tuple[str, ...]
    edited: tuple[str, ...]
    deleted: tuple[str, ...]
    commands: tuple[str, ...]
    tests: tuple[Ran, ...]
    orientation: tuple[str, ...]
    failures: tuple[Failure, ...]
    finalized: bool
    state: State
    state_reason: StateReason

    @property
    def wanted(self) -> Said | None:
        """The request: what was asked for first, or else at the end."""
        return self.goal or self.asked

    def still_fails(self, failure: Failure) -> bool:
        """Whether the command of a failure is among what failed at the end."""
        said = f"`{failure.command}` failed"
        return any(failure.ref in line.refs and line.text.startswith(said) for line in self.failing)

    def encode(self) -> bytes:
        return orjson.dumps(self)


def decode(body: bytes) -> SessionFacts:
    """The facts of ``encode``. Raises ValueError, TypeError or LookupError for anything else."""
    fields: dict[str, Any] = orjson.loads(body)
    for name in ("goal", "asked", "turned_to", "unanswered", "progress", "reported"):
        fields[name] = _said(fields[name]) if fields[name] is not None else None
    for name in ("commits", "pull_requests", "failing", "given_up", "next", "questions", "decisions"):
        fields[name] = tuple(map(_said, fields[name]))
    for name in ("opened", "edited", "deleted", "commands", "orientation"):
        fields[name] = tuple(fields[name])
    fields["tests"] = tuple(Ran(**one) for one in fields["tests"])
    fields["failures"] = tuple(map(_failure, fields["failures"]))
    return SessionFacts(**fields)


def _failure(fields: Mapping[str, Any]) -> Failure:
    resolved = _try(fields["resolved"]) if fields["resolved"] is not None else None
    attempts = tuple(map(_try, fields["attempts"]))
    return Failure(**{**fields, "attempts": attempts, "resolved": resolved, "also": tuple(fields["also"])})


def _try(fields: Mapping[str, Any]) -> Try:
    return Try(tuple(fields["files"]), tuple(fields["commands"]), fields["at"], fields["ref"], fields["read_all"])


def _said(fields: Mapping[str, Any]) -> Said:
    return Said(fields["text"], fields["at"], tuple(fields["refs"]))
