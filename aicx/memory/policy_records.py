"""The memory policy applied to records and proposals: by where they are from, what they rest on, and what they say.

The policies of other repositories count wherever their records are read. Where those repositories are on this machine
is known from the stored sessions, and noted when a record is proposed. The notes are derived and may be deleted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from aicx.config import Settings
from aicx.errors import AicxError, MalformedPolicy, NotFound, StoreUnwritable
from aicx.git.identity import find_repository
from aicx.memory.policy import Policy, PolicyReason, load_policy, of_agent
from aicx.memory.reading import Scope
from aicx.memory.record import Reason, Record
from aicx.paths import Layout
from aicx.refs import file_place
from aicx.storage import replace_file

if TYPE_CHECKING:
    from aicx.memory.proposals import Proposal

_MAX_FOLDERS = 20  # folders of a repository


def policy_in(settings: Settings, scope: Scope) -> Policy:
    """The policy of the corpus and of the repository that ``scope`` is in. Raises MalformedPolicy."""
    return load_policy(settings.layout.home, scope.root, settings.user_home)


def of_records(policy: Policy, settings: Settings, scope: Scope) -> Callable[[Record], Reason | None]:
    """Returns a check for `Memory.open` that says why a record may not be shown: by ``policy``, which is that of
    ``scope``, and for a record of another repository by that one's too, where its folder is known. A policy there that
    cannot be understood hides the records of that repository alone.
    """
    elsewhere: dict[str, Policy] = {}
    here, host, has_rules = scope.repository if scope.root is not None else None, scope.host, policy.has_rules

    def of_elsewhere(repository: str, record: Record) -> PolicyReason | None:
        try:
            if repository not in elsewhere:
                elsewhere[repository] = _policy_of(settings, repository)
            return _excluded(elsewhere[repository], record)
        except MalformedPolicy:
            return "policy_unreadable"

    def why(record: Record) -> Reason | None:
        repository = record.repository
        if repository is None or (repository == here and (not record.host or host in (None, record.host))):
            found = _excluded(policy, record) if has_rules else None
        else:
            found = _excluded(policy, record) if has_rules else None
            found = found or of_elsewhere(repository, record)
        return Reason(found) if found else None

    return why


def _policy_of(settings: Settings, repository: str) -> Policy:
    home, user_home = settings.layout.home, settings.user_home
    policies = (load_policy(home, root, user_home) for root in roots_of(settings, repository))
    return reduce(or_, policies, Policy())


def _excluded(policy: Policy, record: Record) -> PolicyReason | None:
    source = record.source
    paths = [anchor.path for anchor in record.anchors] + ([source.path] if source.path else [])
    paths += [place.path for ref in record.evidence if (place := file_place(ref))]
    if paths and (found := policy.of_path(*paths)):
        return found
    session = [f"session:{source.agent}:{source.session}"] if source.session else []
    for identity in (record.ref, *session, *record.evidence, *(ref.partition("#")[0] for ref in record.evidence)):
        if found := policy.of_source(identity, source.agent):
            return found
    if not policy.exclude_patterns:
        return None
    # A reference to a session holds names alone, which are a matter of `exclude_sources`.
    told = tuple(ref for ref in record.evidence if not of_agent(ref))
    return policy.of_text(replace(record, evidence=told))


def of_proposal(policy: Policy, proposal: Proposal) -> PolicyReason | None:
    """Returns why the policy excludes a proposal: by a text of it or a quote, by a source, or by an anchor."""
    refs = {str(ref) for seen in proposal.sightings for ref in (seen.ref, seen.session)}
    found = policy.of_text(replace(proposal, sightings=()), [seen.quote for seen in proposal.sightings])
    return found or next(filter(None, map(policy.of_source, sorted(refs))), None) or policy.of_path(*proposal.anchors)


def note_root(layout: Layout, scope: Scope) -> None:
    """Notes the working folder of a scope that is new. A home that cannot be written is left as it is.

    The caller holds the memory's lock.
    """
    if scope.repository is None or scope.root is None:
        return
    known, root = _noted(layout), str(scope.root)
    before = known.get(scope.repository, [])
    if root in before:
        return
    known[scope.repository] = [root, *before][:_MAX_FOLDERS]
    try:
        replace_file(layout.memory_roots, orjson.dumps(known))
    except (StoreUnwritable, orjson.JSONEncodeError):  # or the folder has a name that is not UTF-8
        return


def roots_of(settings: Settings, repository: str) -> list[Path]:
    """The working folders of a repository that are there."""
    from aicx.corpus.catalog.query import open_catalog  # imported here: most answers are about one repository

    found = dict.fromkeys(map(Path, _noted(settings.layout).get(repository, [])))
    try:
        with open_catalog(settings.layout) as opened:
            rows = opened.catalog.rows(
                "SELECT DISTINCT cwd FROM chunks WHERE project=? AND cwd IS NOT NULL", [repository]
            )
    except NotFound:  # nothing is stored
        rows = []
    for row in rows:
        if os.path.isdir(row["cwd"]):  # noqa: PTH112  Path.is_dir raises for what may not be read
            with suppress(AicxError):  # a bare repository has no working folder, and so no policy of its own
                found[find_repository(Path(row["cwd"])).root] = None
    return [root for root in found if os.path.isdir(root)]  # noqa: PTH112


def _noted(layout: Layout) -> dict[str, list[str]]:
    try:
        found = orjson.loads(layout.memory_roots.read_bytes())
        return {str(name): [str(root) for root in roots] for name, roots in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
