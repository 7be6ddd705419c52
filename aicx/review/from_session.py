"""What one stored session suggests to keep, by the rules for candidates."""

from __future__ import annotations

from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.references import SessionTarget, find_target, parse_reference
from aicx.errors import UsageError
from aicx.memory.candidates.gather import gather
from aicx.memory.policy import Policy, load_policy
from aicx.memory.proposals import Proposal
from aicx.refs import Ref


def proposals_in(settings: Settings, session: str) -> tuple[str, list[Proposal], list[str]]:
    """The reference of a session, its proposals, the best first, and notes on what could not be read.

    Raises NotFound, UsageError for a chunk or where several sessions fit, MalformedPolicy.
    """
    layout = settings.layout

    def policy_in(folder: Path) -> Policy:
        return load_policy(layout.home, folder, settings.user_home)

    with open_catalog(layout) as opened:
        target = find_target(parse_reference(session, layout), opened.catalog)
        if not isinstance(target, SessionTarget):
            raise UsageError(f"{session!r} is a chunk", hint="--session takes the id of a session")
        policy = load_policy(layout.home, None, settings.user_home)
        where, values = "agent=? AND session_id=?", [target.agent, target.session_id]
        found = gather(layout, opened.catalog, policy, where, values, policy_in)
        ref = str(Ref.of_session(target.agent, target.session_id))
        return ref, found.proposals, [*opened.notes, *found.notes]
