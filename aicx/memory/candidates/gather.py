"""Reads the stored sessions and gathers their proposals, each once, the best first.

The proposals of each session are kept beside its facts, so that only new and changed sessions are read again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import reduce
from itertools import groupby
from operator import or_
from pathlib import Path
from sqlite3 import Row

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import MalformedPolicy
from aicx.evidence import read_steps
from aicx.evidence.kept import KeptParts, Key, part_stamps
from aicx.evidence.texts import words
from aicx.git import Roots, repository_of
from aicx.git.identity import find_repository
from aicx.memory.candidates.rules import propose
from aicx.memory.candidates.session import ReadSession
from aicx.memory.policy import Policy, PolicyReason, load_policy
from aicx.memory.policy_records import of_proposal
from aicx.memory.proposals import NEGATIONS, Excluded, Proposal, ProposalReason, joined
from aicx.paths import NON_REPOSITORY, Layout
from aicx.refs import Ref
from aicx.storage.derived import forgiving
from aicx.storage.typed import from_json
from aicx.types import Lane
from aicx.values import dataclass

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

    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Proposals of the history, the best first, and what the policy keeps out of it."""

    proposals: list[Proposal]
    excluded: list[Excluded]
    notes: list[str]


# A task of the repository's own, beside which what its toolchain does everywhere is a matter of course.
_TASK = re.compile(r"\w[\w ]* with `(?:mise run|just|make|task|(?:bun|npm|pnpm|yarn) run) ")
_BARE = re.compile(r" with `(?:cargo (?:build|check|clippy|fmt|test)|go (?:build|test|vet)(?: \./\.\.\.)?|gofmt)`\.$")
# Two sentences of one session with this share of their words in common say the same.
_ALIKE, _LONG = 0.85, 20


def gather(
    layout: Layout,
    catalog: Catalog,
    policy: Policy,
    where: str = "1",
    values: Sequence[str] = (),
    policy_in: Callable[[Path], Policy] | None = None,
    kept: KeptParts | None = None,
    *,
    anew: bool = False,
) -> Candidates:
    """The proposals of all stored sessions, or of those chunks that ``where``, a condition in SQL, holds for.

    ``policy`` counts for all of them, and what ``policy_in`` gives for a folder that a repository was worked on in and
    that is there, for those of that repository; where that raises MalformedPolicy, all
    of that repository is excluded. With ``kept`` only those sessions are read
    that it does not know as they are now, and it learns them; the result is the same. With ``anew`` all are read.
    """
    own = _Own(policy_in, _folders(catalog, where, values) if policy_in is not None else {})
    groups = _groups(catalog, where, values)
    stamps = part_stamps(catalog, where, values) if kept is not None else {}
    known = _known(kept, stamps) if kept is not None and not anew else {}
    readings = {key: known.get(key) or _reading(layout, key, chunks) for key, chunks in groups.items()}
    every = joined(one for found in readings.values() for one in found.proposals)
    excluded = {one.id: reason for one in every if (reason := of_proposal(policy, one) or own.excludes(one))}
    if kept is not None:
        # What a policy excludes is not kept; its sessions are read each time.
        hidden = {seen.session for one in every if one.id in excluded for seen in one.sightings}
        out = {key for key in groups if Ref.of_session(key[0], key[1]) in hidden}
        new = [key for key in groups if key in stamps and key not in known and key not in out]
        with forgiving(kept.path):
            gone = [key for key in kept.stamps() if key in out or (where == "1" and key not in groups)]
            kept.put([(key, stamps[key], orjson.dumps(readings[key], default=dict)) for key in new], gone)
    return Candidates(
        unlike(sorted((one for one in every if one.id not in excluded and holds(one)), key=_rank)),
        [Excluded(one.id, excluded[one.id]) for one in every if one.id in excluded and holds(one)],
        [*own.notes, *(note for found in readings.values() for note in found.notes)],
    )


def _groups(catalog: Catalog, where: str, values: Sequence[str]) -> dict[Key, list[Row]]:
    """The chunks of each stored session in each repository that it worked in."""
    rows = catalog.rows(
        "SELECT agent, session_id, project, cwd, lane, path FROM chunks WHERE ignored=0 AND stream=''"
        f" AND ({where}) ORDER BY agent, session_id, project, number",
        list(values),
    )
    return {key: list(chunks) for key, chunks in groupby(sorted(rows, key=_place), _place)}


def _reading(layout: Layout, key: Key, chunks: Sequence[Row]) -> Reading:
    steps, unread = read_steps(layout, sorted(str(row["path"]) for row in chunks))
    lane: Lane = "subagent" if any(row["lane"] == "subagent" for row in chunks) else "primary"
    folders = [row["cwd"] for row in chunks if row["cwd"]]
    roots = Roots.of(map(repository_of, folders))
    read = ReadSession(*key, lane, steps, roots, next(iter(folders), None))
    return Reading(tuple(propose(read)), tuple(unread))


def _known(kept: KeptParts, stamps: dict[Key, str]) -> dict[Key, Reading]:
    found = {}
    for key, body in kept.known(stamps).items():
        with suppress(ValueError, TypeError, LookupError):
            found[key] = from_json(Reading, orjson.loads(body))
    return found


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
    """The proposals without near duplicates of better ones, and without what goes without saying beside others."""
    found: list[Proposal] = []
    with_tasks = {one.repository for one in ranked if _TASK.match(one.statement)}
    for one in ranked:
        bare = one.repository in with_tasks and _BARE.search(one.statement)
        if not (bare or any(_is_alike(one, other) for other in found)):
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
    sessions, others = ({seen.session for seen in said.sightings} for said in (one, other))
    # A session tells one limit of a program with its version and without.
    of_one = one.reason == "named_limit" and not sessions.isdisjoint(others)
    compared = min(mine, theirs, key=len) if of_one else mine | theirs
    if (mine ^ theirs) & NEGATIONS or len(mine & theirs) < _ALIKE * len(compared):
        return False
    # Forks hold the same talk; a short sentence is said of many things.
    return not sessions.isdisjoint(others) or len(mine | theirs) >= _LONG


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
            return "policy_unreadable" if policy is None else of_proposal(policy, proposal)
        except MalformedPolicy as error:
            self._read[proposal.repository] = None
            self.notes.append(f"what {proposal.repository} proposes is not shown: {error.message}")
            return "policy_unreadable"

    def _of(self, repository: str) -> Policy | None:
        if repository not in self._read:
            policies = (self._policy_in(folder) for folder in self._folders.get(repository, ()) if self._policy_in)
            self._read[repository] = reduce(or_, policies, Policy())
        return self._read[repository]


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

        with closing(KeptParts(settings.layout, "proposals", create=keep)) as kept:
            # A catalogue made in memory has no name, so what is on disk cannot be told to be of the same corpus.
            known = kept if opened.catalog.identity else None
            found = gather(settings.layout, opened.catalog, policy, where, values, policy_in, known, anew=anew)
        fallback = [opened.fallback_reason] if opened.fallback_reason else []
        return replace(found, notes=[*fallback, *opened.notes, *found.notes])
