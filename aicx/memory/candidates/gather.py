"""Reads the stored sessions and gathers their proposals, each once, the best first.

The proposals of each session are kept in one file below ``index/``, so that only new and changed sessions are read
again. It is derived: it may be deleted at any time, and a damaged one counts as missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from itertools import groupby
from operator import or_
from pathlib import Path
from sqlite3 import Row
from typing import Any
from zlib import crc32

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import sidecar_path
from aicx.corpus.places.decisions import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import MalformedPolicy, StoreUnwritable
from aicx.evidence.patterns import reading_version
from aicx.evidence.texts import words
from aicx.evidence.transcript import read_steps
from aicx.git.identity import find_repository
from aicx.git.roots import Roots, repository_of
from aicx.memory.candidates.rules import propose
from aicx.memory.candidates.session import ReadSession
from aicx.memory.files import stamp_of
from aicx.memory.policy import Policy, PolicyReason, load_policy
from aicx.memory.proposals import Excluded, Proposal, ProposalReason, joined
from aicx.memory.sameness import NEGATIONS
from aicx.paths import NON_REPOSITORY, Layout
from aicx.refs import Ref
from aicx.storage.atomic import replace_file
from aicx.storage.typed import from_json
from aicx.types import Lane
from aicx.values import dataclass

Key = tuple[str, str, str]  # agent, session, repository
# In how many sessions something must be seen that one session says too little of.
MIN_SESSIONS = 2
# What comes first, a person's own words before all else.
_ORDER: tuple[ProposalReason, ...] = (
    "person_stated",
    "person_answered",
    "passed_after_failure",
    "prepared_check",
    "recurring_failure",
    "named_limit",
    "cause_and_fix",
    "agent_choice",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The proposals of one session, and notes on the parts of it that could not be read."""

    proposals: list[Proposal]
    notes: list[str]


class Kept:
    """The readings of all sessions at ``place``. With ``anew`` each is made again."""

    def __init__(self, place: Path, *, anew: bool = False) -> None:
        self._place = place
        self._version = reading_version(2)
        self._known = self._load()
        self._anew, self._changed = anew, False

    def reading(self, key: Key, stamp: str, read: Callable[[], Reading]) -> Reading:
        """The reading of a session whose chunks have this stamp; ``read`` makes it where it is not known."""
        name = "\0".join(key)
        row = self._known.get(name)
        if row is not None and row[0] == stamp and not self._anew:
            return Reading([from_json(Proposal, fields) for fields in row[1]], row[2])
        found = read()
        self._known[name] = stamp, found.proposals, found.notes
        self._changed = True
        return found

    def leave_out(self, keys: Iterable[Key]) -> None:
        """Keeps no reading of these. What a policy excludes is in no file of ours; its sessions are read each time."""
        for key in keys:
            self._changed = self._known.pop("\0".join(key), None) is not None or self._changed

    def keep_only(self, keys: Collection[Key]) -> None:
        """Forgets the sessions that are no longer stored."""
        names = {"\0".join(key) for key in keys}
        gone = [name for name in self._known if name not in names]
        for name in gone:
            del self._known[name]
        self._changed = self._changed or bool(gone)

    def save(self) -> None:
        """Writes what changed. A home that cannot be written is left as it is: the next call reads again."""
        if not self._changed:
            return
        body = orjson.dumps({"version": self._version, "sessions": self._known}, default=dict)
        try:
            replace_file(self._place, b"%08x\n%b" % (crc32(body), body))
        except StoreUnwritable:
            return
        self._changed = False

    def _load(self) -> dict[str, Any]:
        try:
            checksum, _, body = self._place.read_bytes().partition(b"\n")
        except OSError:
            return {}
        if checksum != b"%08x" % crc32(body):
            return {}
        found = orjson.loads(body)
        return dict(found["sessions"]) if found["version"] == self._version else {}


def stamp_of_chunks(layout: Layout, chunks: Iterable[Row]) -> str:
    """Another one whenever a chunk of a session, its sidecar or what the catalogue knows of it is another."""
    digest = sha256()
    for row in chunks:
        path = str(row["path"])
        files = [stamp_of(layout.home / one) for one in (path, sidecar_path(path))]
        digest.update(repr((path, row["content_sha256"], row["cwd"], row["lane"], files)).encode())
    return digest.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Proposals of the history, the best first, and what the policy keeps out of it."""

    proposals: list[Proposal]
    excluded: list[Excluded]
    notes: list[str]


# Two sentences of one session with this share of their words in common say the same.
_ALIKE, _LONG = 0.85, 20


def gather(
    layout: Layout,
    catalog: Catalog,
    policy: Policy,
    where: str = "1",
    values: Sequence[str] = (),
    policy_in: Callable[[Path], Policy] | None = None,
    kept: Kept | None = None,
) -> Candidates:
    """The proposals of all stored sessions, or of those chunks that ``where``, a condition in SQL, holds for.

    ``policy`` counts for all of them, and what ``policy_in`` gives for a folder that a repository was worked on in and
    that is there, for those of that repository; where that raises MalformedPolicy, all
    of that repository is excluded. With ``kept`` only those sessions are read
    that it does not know as they are now, and it learns them; the result is the same.
    """
    own = _Own(policy_in, _folders(catalog, where, values) if policy_in is not None else {})
    groups = _groups(catalog, where, values)
    readings = {key: _reading(layout, key, chunks, kept) for key, chunks in groups.items()}
    every = joined(one for found in readings.values() for one in found.proposals)
    excluded = {one.id: reason for one in every if (reason := _excluded(one, policy) or own.excludes(one))}
    if kept is not None:
        hidden = {seen.session for one in every if one.id in excluded for seen in one.sightings}
        kept.leave_out(key for key in groups if Ref.of_session(key[0], key[1]) in hidden)
        if where == "1":
            kept.keep_only(groups.keys())
    return Candidates(
        unlike(sorted((one for one in every if one.id not in excluded and holds(one)), key=_rank)),
        [Excluded(one.id, excluded[one.id]) for one in every if one.id in excluded and holds(one)],
        [*own.notes, *(note for found in readings.values() for note in found.notes)],
    )


def _groups(catalog: Catalog, where: str, values: Sequence[str]) -> dict[Key, list[Row]]:
    """The chunks of each stored session in each repository that it worked in."""
    rows = catalog.rows(
        "SELECT agent, session_id, project, cwd, lane, path, content_sha256 FROM chunks WHERE ignored=0 AND stream=''"
        f" AND ({where}) ORDER BY agent, session_id, project, number",
        list(values),
    )
    return {key: list(chunks) for key, chunks in groupby(sorted(rows, key=_place), _place)}


def _reading(layout: Layout, key: Key, chunks: Sequence[Row], kept: Kept | None) -> Reading:
    def read() -> Reading:
        steps, unread = read_steps(layout, sorted(str(row["path"]) for row in chunks))
        lane: Lane = "subagent" if any(row["lane"] == "subagent" for row in chunks) else "primary"
        folders = [row["cwd"] for row in chunks if row["cwd"]]
        roots = Roots.of(map(repository_of, folders))
        return Reading(list(propose(ReadSession(*key, lane, steps, roots, next(iter(folders), None)))), unread)

    return read() if kept is None else kept.reading(key, stamp_of_chunks(layout, chunks), read)


def holds(proposal: Proposal) -> bool:
    """Whether a proposal was seen often enough for what it says."""
    if proposal.reason == "recurring_failure":
        return proposal.sessions >= MIN_SESSIONS
    if proposal.reason != "passed_after_failure":
        return True
    passed = [sighting for sighting in proposal.sightings if sighting.outcome == "passed"]
    failed = min((sighting.at for sighting in proposal.sightings if sighting.outcome == "failed"), default=None)
    often = len({sighting.session for sighting in passed}) >= MIN_SESSIONS
    return often and failed is not None and max(sighting.at for sighting in passed) > failed


def unlike(ranked: Sequence[Proposal]) -> list[Proposal]:
    """The proposals without near duplicates of better ones."""
    found: list[Proposal] = []
    for one in ranked:
        if not any(_is_alike(one, other) for other in found):
            found.append(one)
    return found


def _is_alike(one: Proposal, other: Proposal) -> bool:
    """Whether two proposals are one: a check with and without what it looks at, or a sentence that is worded again."""
    if (one.repository, one.kind, one.reason) != (other.repository, other.kind, other.reason):
        return False
    if one.reason == "passed_after_failure":
        (wide, place), (narrow, other_place) = sorted((_check_of(one), _check_of(other)), key=lambda each: len(each[0]))
        return place == other_place and narrow.startswith(f"{wide} ")
    mine, theirs = set(words(one.statement)), set(words(other.statement))
    if (mine ^ theirs) & NEGATIONS or len(mine & theirs) < _ALIKE * len(mine | theirs):
        return False
    sessions, others = ({seen.session for seen in said.sightings} for said in (one, other))
    # Forks hold the same talk; a short sentence is said of many things.
    return bool(sessions & others) or len(mine | theirs) >= _LONG


def _check_of(proposal: Proposal) -> tuple[str, str]:
    """The words and the check of "Build with `make` in `web`.", and the place behind it."""
    check, _, place = proposal.statement.removesuffix(".").partition("` in `")
    return check.rstrip("`"), place


def _place(row: Row) -> Key:
    project = row["project"]
    return row["agent"], row["session_id"], row["cwd"] or project if project == NON_REPOSITORY else project


def _folders(catalog: Catalog, where: str, values: Sequence[str]) -> dict[str, list[Path]]:
    """The folders that are there of each repository's working folders."""
    rows = catalog.rows(
        f"SELECT DISTINCT '' AS agent, '' AS session_id, project, cwd FROM chunks WHERE cwd IS NOT NULL AND ({where})",
        list(values),
    )
    found: dict[str, dict[Path, None]] = {}
    for row in rows:
        if os.path.isdir(row["cwd"]):  # noqa: PTH112  Path.is_dir raises for what may not be read
            found.setdefault(_place(row)[2], {})[find_repository(Path(row["cwd"])).root] = None
    return {repository: list(folders) for repository, folders in found.items()}


class _Own:
    """The policies of the repositories that proposals are of. One that cannot be understood hides its own alone."""

    def __init__(self, policy_in: Callable[[Path], Policy] | None, folders: Mapping[str, Sequence[Path]]) -> None:
        self._policy_in, self._folders = policy_in, folders
        self._read: dict[str, Policy | None] = {}
        self.notes: list[str] = []

    def excludes(self, proposal: Proposal) -> PolicyReason | None:
        try:
            policy = self._of(proposal.repository)
            return "policy_unreadable" if policy is None else _excluded(proposal, policy)
        except MalformedPolicy as error:
            self._read[proposal.repository] = None
            self.notes.append(f"what {proposal.repository} proposes is not shown: {error.message}")
            return "policy_unreadable"

    def _of(self, repository: str) -> Policy | None:
        if repository not in self._read:
            policies = (self._policy_in(folder) for folder in self._folders.get(repository, ()) if self._policy_in)
            self._read[repository] = reduce(or_, policies, Policy())
        return self._read[repository]


def _excluded(proposal: Proposal, policy: Policy) -> PolicyReason | None:
    texts = (proposal.statement, *(sighting.quote for sighting in proposal.sightings))
    named = (policy.of_source(str(ref)) for sighting in proposal.sightings for ref in (sighting.ref, sighting.session))
    return policy.of_text(*texts) or next(filter(None, named), None) or policy.of_path(*proposal.anchors)


def _rank(proposal: Proposal) -> tuple[bool, int, int, float, str]:
    return (
        proposal.blocked,
        _ORDER.index(proposal.reason),
        -proposal.sessions,
        -proposal.last_seen.timestamp(),
        proposal.id,
    )


def gather_at(settings: Settings, folder: Path | None, *, keep: bool = True, anew: bool = False) -> Candidates:
    """The candidates of all stored sessions, or of the repository that ``folder`` is in.

    Only sessions that are new or changed since the last call are read, with ``anew`` all of them. Without ``keep``
    nothing is written, so that the next call reads them again.

    Raises NotFound where nothing is stored yet or there is no such folder, MalformedPolicy.
    """
    root = find_repository(folder).root if folder else None
    policy = load_policy(settings.layout.home, root, settings.user_home)
    where, values = "1", []
    with open_catalog(settings.layout) as opened:
        if root is not None:
            decisions = load_decisions(settings.layout.projects)
            identity = place_of(opened.catalog, settings.user_home, decisions, str(root))
            if identity:
                where, values = "project=?", [identity.project]
            else:
                # The half-open range holds every folder below this one: "0" follows "/".
                where = f"project='{NON_REPOSITORY}' AND (cwd=? OR (cwd>=? AND cwd<?))"
                values = [str(root), f"{root}/", f"{root}0"]

        def policy_in(place: Path) -> Policy:
            return load_policy(settings.layout.home, place, settings.user_home)

        kept = Kept(settings.layout.memory_candidates, anew=anew)
        found = gather(settings.layout, opened.catalog, policy, where, values, policy_in, kept)
        if keep:
            kept.save()
        fallback = [opened.fallback_reason] if opened.fallback_reason else []
        return replace(found, notes=[*fallback, *opened.notes, *found.notes])
