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
from aicx.memory.policy import Policy, load_policy
from aicx.paths import NON_REPOSITORY


def gather_at(settings: Settings, folder: Path | None) -> Candidates:
    """The candidates of all stored sessions, or of the repository that ``folder`` is in.

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

        found = gather(settings.layout, opened.catalog, policy, where, values, policy_in)
        fallback = [opened.fallback_reason] if opened.fallback_reason else []
        return replace(found, notes=[*fallback, *opened.notes, *found.notes])
