"""The candidates of a place: of one repository's sessions or of all, under the policies that count there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.decisions import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.git.identity import find_repository
from aicx.memory.candidates.gather import Candidates, gather
from aicx.memory.candidates.kept import Kept
from aicx.memory.policy import Policy, load_policy
from aicx.paths import NON_REPOSITORY


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
