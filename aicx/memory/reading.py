"""The memory as it is read: the records of a place, each with what may be believed of it now."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.git.identity import Repository, find_repository
from aicx.memory.anchors import compare, key_of, place_mark, repository_says
from aicx.memory.assess import Assessment, Context, assess, find_rivals
from aicx.memory.files import GLOBAL, malformed
from aicx.memory.index import IndexEntry, RecordIndex
from aicx.memory.record import PREFIX, Reason, Record, place_of
from aicx.values import dataclass

_OTHERS = "`aicx memory list` shows them, `aicx memory history REF` what became of a deleted one"
_MIN_PREFIX = 4  # hexadecimal digits of an id that may stand for it
_MAX_NAMED = 5

Policy = Callable[[Record], Reason | None]  # what keeps a record from being shown


@dataclass(frozen=True, slots=True)
class Scope:
    """Which records are meant: those of ``repository`` and those that hold everywhere.

    ``root`` is its working folder, None where it is not at hand. Without a repository only what holds everywhere.
    ``host`` is that of its remote, empty where it has none: a record of a repository of the same name at another host
    is not meant. None where any is, as in a folder that a person assigned by hand.
    """

    repository: str | None = None
    root: Path | None = None
    host: str | None = None

    def has(self, place: str | None) -> bool:
        """Whether a record of a place, see `place_of`, is meant."""
        repository, _, host = (place or "").rpartition("@")
        return place is None or (repository == self.repository and (not host or self.host in (None, host)))


def find_scope(settings: Settings, folder: Path) -> Scope:
    """The repository of ``folder``, called as the corpus calls it. Raises NotFound where there is no such folder."""
    return scope_of(settings, find_repository(folder))


def scope_of(settings: Settings, repository: Repository) -> Scope:
    """A repository as the corpus calls it, else by its id, with the host of its remote."""
    # Imported here: who asks again and again keeps the answer.
    from aicx.corpus.places.stored import identity_in
    from aicx.git.identity import host_of

    found = identity_in(settings, str(repository.root))
    host = (host_of(repository.common) if repository.common else None) or ""
    by_hand = found is not None and found.source == "assigned"
    return Scope(found.project if found else repository.repo_id, repository.root, None if by_hand else host)


class Memory:
    """A snapshot of the memory: what its files and its log say, and what follows from them at ``now``."""

    def __init__(
        self,
        settings: Settings,
        scope: Scope,
        now: datetime,
        policy: Policy | None = None,
        index: RecordIndex | None = None,
    ) -> None:
        self.settings, self.scope, self.now, self._policy = settings, scope, now, policy
        layout = settings.layout
        self._index = index or RecordIndex(layout.memory_index, layout.memory)
        # The log first: what is decided while records are being read is then not known yet, rather than half known.
        self.decisions = self._index.decisions()
        self._entries = self._every = self._index.entries
        if layout.ignore_file.exists():
            from aicx.corpus.catalog.query import ignore_matcher

            hidden = ignore_matcher(layout)
            self._entries = [entry for entry in self._entries if not hidden(f"memory/{entry.path}")]
        self._twice = {name for name, count in Counter(entry.id for entry in self._entries).items() if count > 1}

    @classmethod
    def open(
        cls, settings: Settings, now: datetime, *, scope: Scope | None = None, policy: Policy | None = None
    ) -> Self:
        """The memory of a place. ``policy`` says what keeps a record from being shown."""
        return cls(settings, scope or Scope(), now, policy)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._index.close()

    @property
    def size(self) -> int:
        """How many records there are, of all repositories."""
        return len(self._entries)

    @cached_property
    def head(self) -> str | None:
        """The commit that the repository is at, by which anchors find renamed files again."""
        from aicx.git.state import Git  # imported here: only what is anchored anew needs it

        root = self.scope.root
        said = Git(root).ask("rev-parse", "--quiet", "--verify", "HEAD") if root is not None else None
        return said.strip() if said else None

    @property
    def twice(self) -> Collection[str]:
        """The ids that two files have."""
        return self._twice

    def versions(self) -> dict[str, tuple[int, str | None]]:
        """For every record by its path: a checksum of what it holds, and its place."""
        known = self._index.versions()
        return {entry.path: (known.get(entry.path, 0), entry.place) for entry in self._entries}

    def read(self, paths: Sequence[str]) -> list[Record]:
        """The records at ``paths``, in that order."""
        return [self._checked(record) for record in self._index.records(paths)]

    def records(self, *, everywhere: bool = False) -> list[Record]:
        """The records of the scope, or of all repositories, in the order of their paths."""
        wanted = [entry.path for entry in self._entries if everywhere or self._is_here(entry)]
        with without_collecting():
            if len(wanted) * 2 < len(self._entries):
                return [self._checked(record) for record in self._index.records(wanted)]
            paths = set(wanted)
            return [self._checked(record) for record in self._index.every_record() if record.path in paths]

    def find(self, ref: str) -> Record:
        """The record that an id, the beginning of one, or a name means. Raises NotFound, UsageError where several fit.

        A name means the record of this scope's repository before one that holds everywhere.
        """
        wanted = ref.removeprefix(PREFIX)
        found = [entry for entry in self._entries if entry.id == wanted]
        if not found and not ref.startswith(PREFIX):
            named = [entry for entry in self._entries if entry.name == wanted and self._is_here(entry)]
            found = [entry for entry in named if entry.place is not None] or named
        if len(wanted) >= _MIN_PREFIX and not any(entry.id == wanted for entry in found):
            # A name that is the beginning of another record's id must not take its place in a decision.
            found += [entry for entry in self._entries if entry.id.startswith(wanted) and entry not in found]
        if not found and len(wanted) >= _MIN_PREFIX and (gone := self._gone(wanted)):
            return gone
        if not found:
            raise NotFound(f"there is no record {ref!r}", hint=_OTHERS)
        if len(found) > 1:
            some = ", ".join(entry.id for entry in found[:_MAX_NAMED])
            raise UsageError(f"{ref!r} may be {some}", hint="name one of them by its whole id")
        return self._checked(self._index.record(found[0].path))

    def _gone(self, beginning: str) -> Record | None:
        """Returns a stand-in for the one accepted record of such an id whose files are gone without a deletion."""
        known = {entry.id for entry in self._every}
        names = [name for name in self.decisions if name.startswith(beginning) and name not in known]
        found = [name for name in names if self.decisions[name].adopted is not None]
        return self._without_files(found[0]) if len(found) == 1 else None

    def _without_files(self, name: str) -> Record:
        kind, _, _ = (self.decisions[name].place or "").partition(":")  # unknown, it may be as strong as any
        return malformed(f"{GLOBAL}/{kind or 'policy'}/{name}.md", "no files")

    def context(self, records: Iterable[Record]) -> Context:
        """Everything that decides the statuses of ``records``, looked up once."""
        records = list(records)
        accepted = self.decisions.claiming
        # Also those that `.aicxignore` hides, and those whose files are gone: neither decides a conflict.
        claiming = [
            entry.path for entry in self._every if (entry.claims or entry.id in accepted) and self._is_here(entry)
        ]
        rivals = [self._checked(record) for record in self._index.records(claiming)] if claiming else []
        gone = accepted and accepted - {entry.id for entry in self._every}
        rivals += [self._without_files(name) for name in sorted(gone) if self._may_be_here(self.decisions[name].place)]
        everything = {record.id: record for record in [*records, *rivals]}.values()
        places = ((one, place_of(one.repository, one.host)) for one in everything)
        at_hand = (one for one, place in places if place is not None and self.scope.has(place))
        wanted = [anchor for record in at_hand for anchor in record.anchors]
        compared = self._index.compared([key_of(str(self.scope.root), anchor) for anchor in wanted])
        anchors = compare(self.scope.root, wanted, compared) if wanted else {}
        self._index.keep(compared)
        policy = self._policy
        context = Context(
            self.now,
            self.decisions,
            anchors,
            {record.id: why for record in everything if (why := policy(record))} if policy else {},
            repository_says(self.scope.root, (key for record in everything for key in record.claims)),
            events_lost=bool(self.decisions.damaged),
        )
        return replace(context, rivals=find_rivals(rivals, context))

    def assessed(self, records: Iterable[Record] | None = None) -> list[Assessment]:
        """Assesses ``records``, all of this scope where none are given: what may be believed of each."""
        wanted = self.records() if records is None else list(records)
        with without_collecting():
            context = self.context(wanted)
            return [assess(record, context) for record in wanted]

    def _is_here(self, entry: IndexEntry) -> bool:
        return self.scope.has(entry.place)

    def _may_be_here(self, place: str | None) -> bool:
        """Whether a record without files holds here. Of one accepted before its place was noted nothing is known."""
        kind, _, _ = (place or "").partition(":")
        return place in (None, *(place_mark(kind, where) for where in (None, self.scope.repository)))

    def _checked(self, record: Record) -> Record:
        """Two files that claim one id are none: which of them was decided on is not known."""
        if record.id not in self._twice:
            return record
        return replace(record, flaws=(*record.flaws, Reason("malformed", {"why": "id used twice"})))


@contextmanager
def without_collecting() -> Iterator[None]:
    """Nothing made meanwhile is garbage, and looking for some would take half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
