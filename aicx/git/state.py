"""The state of a repository, read with git commands that write nothing and have a time limit."""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, Self

from aicx import git as gitcall
from aicx.errors import AicxError
from aicx.git.identity import endless_file, find_repository
from aicx.values import dataclass

# What a brief names of a long list; the counts are always whole.
_MAX_PATHS = 200
_MAX_WORKTREES = 50
_TIMEOUT_SECONDS = 5.0
# Where so many questions had no answer one after the other, git rests for a while: something in its folder hangs.
_MAX_LATE, _REST_SECONDS = 2, 30.0
_late: dict[Path, tuple[float, ...]] = {}  # when the last of them were given up, by folder
_PLACES = ("--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository", "--git-common-dir")
_STATUS = ("--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=dirty")


class Worktree(NamedTuple):
    """One working tree of the repository; ``branch`` None where its head is detached."""

    path: str
    branch: str | None


class Commit(NamedTuple):
    """A commit by its whole hash: when it was committed, its author, its subject and the lines of its message below."""

    hash: str
    at: datetime
    subject: str
    body: tuple[str, ...] = ()
    author: str = ""


@dataclass(frozen=True, slots=True)
class GitState:
    """The state of a folder by git.

    ``kind`` is ``none`` outside any repository and ``unavailable`` where git is missing or gave no answer. ``head`` is
    None before the first commit, ``branch`` when the head is detached. ``changed`` holds the first paths that differ
    from the head or are untracked, relative to ``root``; ``changed_count`` counts all of them, None when unknown. What
    `aicx init` wrote is no change.
    """

    kind: Literal["repository", "bare", "none", "unavailable"]
    root: str | None = None
    head: str | None = None
    branch: str | None = None
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None
    changed: tuple[str, ...] = ()
    changed_count: int | None = None
    shallow: bool = False
    superproject: str | None = None
    worktrees: tuple[Worktree, ...] = ()
    worktree_count: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def usable(self) -> bool:
        return self.kind in ("repository", "bare")

    @property
    def detached(self) -> bool:
        return self.usable and self.branch is None and self.head is not None

    @property
    def dirty(self) -> bool | None:
        """Whether anything differs from the head; None when unknown."""
        return None if self.changed_count is None else self.changed_count > 0


class Git:
    """Questions to the git of one folder. None stands for no answer; ``notes`` then say why."""

    def __init__(self, folder: Path, timeout: float = _TIMEOUT_SECONDS, in_all: float = math.inf) -> None:
        """``timeout`` is for one question; after ``in_all`` seconds of waiting nothing is asked any more."""
        self.folder = folder
        self.notes: list[str] = []
        self.missing = False
        self._timeout = timeout
        self._left = in_all
        self._begun: list[subprocess.Popen[bytes]] = []
        self._environment = gitcall.environment()
        self._bare = not _in_working_tree(folder)

    def ask(self, *arguments: str) -> str | None:
        """Returns the output of ``git arguments``; None when it fails, is not installed, or takes too long."""
        return self.begin(*arguments)()

    def ask_some(self, limit: int, *arguments: str, environ: Mapping[str, str] | None = None) -> str | None:
        """The first ``limit`` bytes of what ``git arguments`` prints, for what may be longer than memory allows."""
        process = self._start(arguments, subprocess.DEVNULL, environ)
        if process is None:
            return None
        late = threading.Timer(self._timeout, process.kill)
        late.start()
        with self._waiting(), process:
            assert process.stdout is not None
            output = process.stdout.read(limit)
            whole = not process.stdout.read(1)
            if not whole:
                process.kill()
        in_time = late.is_alive()
        late.cancel()
        if not in_time:
            self._gave_no_answer(arguments[0])
        if not whole:
            self.notes.append(f"`git {arguments[0]}` printed more than is read; its beginning was used")
        return output.decode("utf-8", "surrogateescape") if in_time and (process.returncode == 0 or not whole) else None

    def unfiltered(self) -> Mapping[str, str] | None:
        """An environment for a question that reads files of the working tree; None where git cannot be asked."""
        listed = self.ask(*gitcall.LIST_SETTINGS)
        return None if listed is None else gitcall.without_filters(self._environment, listed)

    def begin(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Callable[[], str | None]:
        """Starts ``git arguments``; what it gives waits for the answer, as `ask` does."""
        until = time.monotonic() + self._timeout
        process = self._start(arguments, subprocess.PIPE, environ)
        if process is None:
            return lambda: None
        self._begun.append(process)
        return lambda: self._answer(process, arguments[0], until)

    def _start(
        self, arguments: Sequence[str], errors: int, environ: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes] | None:
        """Git at work, with its ``errors`` where they are wanted; None where it does not start, which is noted."""
        if self._endless is not None:
            self.notes.append(f"git was not asked for `{arguments[0]}`: {self._endless} is not a regular file")
            return None
        if self._left <= 0 or self._hangs():
            self.notes.append(f"git was not asked for `{arguments[0]}`: it took too long before")
            return None
        try:
            return subprocess.Popen(
                gitcall.command(self.folder, *arguments, bare=self._bare),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environ or self._environment,
            )
        except (FileNotFoundError, PermissionError):
            self.missing = True
        except OSError as error:  # more filters turned off than fit into an environment
            self.notes.append(f"`git {arguments[0]}` does not start: {error.strerror or error}")
        return None

    @cached_property
    def _endless(self) -> Path | None:
        try:
            return endless_file(find_repository(self.folder))
        except AicxError:  # no folder, or one that git has no working files in
            return None

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self._left -= time.monotonic() - began

    def _gave_no_answer(self, name: str) -> None:
        self.notes.append(f"`git {name}` gave no answer within {self._timeout:g} s")
        _late[self.folder] = (*_late.get(self.folder, ()), time.monotonic())[-_MAX_LATE:]

    def _hangs(self) -> bool:
        """Whether git gave no answer here several times of late: each part of a command that asks would wait again."""
        late: Sequence[float] = _late.get(self.folder, ())
        return len(late) == _MAX_LATE and time.monotonic() - late[0] < _REST_SECONDS

    def begin_status(self, *arguments: str) -> Callable[[], str | None]:
        """Starts ``git status``, the one question for which git would run filters that the settings name."""
        environ = self.unfiltered()
        return (lambda: None) if environ is None else self.begin("status", *arguments, environ=environ)

    def close(self) -> None:
        """Ends what was begun and not waited for."""
        for process in self._begun:
            with process:
                process.kill()
        self._begun.clear()

    def _answer(self, process: subprocess.Popen[bytes], name: str, until: float) -> str | None:
        self._begun.remove(process)
        with self._waiting(), process:
            try:
                output, errors = process.communicate(timeout=max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                self._gave_no_answer(name)
                return None
        if process.returncode:
            if b"dubious ownership" in errors:
                self.notes.append(f"git does not trust {self.folder}, which another user owns")
            if b"safe.bareRepository" in errors:
                self.notes.append(f"git is not asked about {self.folder}, a bare repository inside a working tree")
            return None
        return output.decode("utf-8", "surrogateescape")


class GitProbe:
    """A look at a folder, begun and not waited for: in a large repository git takes a while. Close it when done."""

    def __init__(self, git: Git, *, status: bool = True) -> None:
        """Without ``status`` nothing is asked about changed files; only `place` is known then."""
        self.git = git
        # One process tells the places where there is a working tree; without one git refuses to name its top.
        self._places = git.begin("rev-parse", *_PLACES, "--show-toplevel", "--show-superproject-working-tree")
        self._status = git.begin_status(*_STATUS) if status else (lambda: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.git.close()

    @cached_property
    def place(self) -> GitState:
        """Returns the kind of repository and where it is: all but head, branch and changes."""
        said = self._places() or self.git.ask("rev-parse", *_PLACES)
        if said is None:
            if self.git.missing:
                return GitState("unavailable", notes=("git is not installed",))
            return GitState("unavailable" if self.git.notes else "none", notes=tuple(self.git.notes))
        bare, inside, shallow, common, root, superproject = [*said.rstrip("\n").split("\n"), "", ""][:6]
        has_tree = bare != "true" and inside == "true"
        worktrees = list(_worktrees(self.git)) if (self.git.folder / common / "worktrees").is_dir() else []
        return GitState(
            "repository" if has_tree else "bare",
            root=(root or str(self.git.folder)) if has_tree else None,
            shallow=shallow == "true",
            superproject=superproject or None,
            worktrees=tuple(worktrees[:_MAX_WORKTREES]),
            worktree_count=len(worktrees),
        )

    @cached_property
    def state(self) -> GitState:
        """All there is to know. Never raises for what git finds."""
        said = self._status()
        if not self.place.usable:
            return self.place
        found = _without_tree(self.git, self.place) if said is None else _read_status(self.git, self.place, said)
        return replace(found, notes=tuple(self.git.notes))


def _in_working_tree(folder: Path) -> bool:
    try:
        real = Path(os.path.realpath(folder))
    except OSError:  # a link that may not be read: git will not get further
        return True
    return any(os.path.lexists(place / ".git") for place in (real, *real.parents))


def _without_tree(git: Git, state: GitState) -> GitState:
    head = git.ask("rev-parse", "--quiet", "--verify", "HEAD")
    branch = git.ask("symbolic-ref", "--quiet", "--short", "HEAD")
    return replace(state, head=(head or "").strip() or None, branch=(branch or "").strip() or None)


def _read_status(git: Git, state: GitState, said: str) -> GitState:
    changed: list[str] = []
    count = 0
    fields = iter(said.split("\0"))
    for record in fields:
        kind, _, rest = record.partition(" ")
        if kind == "#":
            state = _read_header(state, rest)
            continue
        parts = {"1": 7, "2": 8, "u": 9, "?": 0}.get(kind)
        if parts is None:
            continue
        if kind == "2":
            next(fields, None)  # the name before a rename
        *facts, name = rest.split(" ", parts)
        if len(changed) < _MAX_PATHS and _is_our_change(git, state, name, facts[5] if kind == "1" else None):
            continue
        count += 1
        if count <= _MAX_PATHS:
            changed.append(name)
    return replace(state, changed=tuple(changed), changed_count=count)


def _is_our_change(git: Git, state: GitState, name: str, before: str | None) -> bool:
    """Whether all that differs from the head is what `aicx init` wrote; ``before`` is the file's object there."""
    # Imported here: most often nothing is changed.
    from aicx.managed import differs_by_ours, holds_ours, is_ours_alone, may_be_ours

    if state.root is None or not may_be_ours(name):
        return False
    root = Path(state.root)
    if before is None or not before.strip("0"):
        return is_ours_alone(root, name)
    # Most files have nothing of ours, and git is asked about none of those.
    text = git.ask("cat-file", "blob", before) if holds_ours(root, name) else None
    return text is not None and differs_by_ours(root, name, text)


def _read_header(state: GitState, rest: str) -> GitState:
    name, _, value = rest.partition(" ")
    match name:
        case "branch.oid":
            return replace(state, head=None if value == "(initial)" else value)
        case "branch.head":
            return replace(state, branch=None if value == "(detached)" else value)
        case "branch.upstream":
            return replace(state, upstream=value)
        case "branch.ab":
            ahead, _, behind = value.partition(" ")
            return replace(state, ahead=int(ahead), behind=-int(behind))
    return state


def _worktrees(git: Git) -> Iterator[Worktree]:
    for block in (git.ask("worktree", "list", "--porcelain", "-z") or "").split("\0\0"):
        lines = dict(line.partition(" ")[::2] for line in block.split("\0") if line)
        # The first entry of a bare repository is the repository itself, where nobody works.
        if "worktree" in lines and "bare" not in lines:
            branch = lines.get("branch", "").removeprefix("refs/heads/")
            yield Worktree(lines["worktree"], branch or None)
