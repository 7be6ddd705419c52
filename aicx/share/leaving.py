"""Takes rows of one's own out of a share: a session or project that is forgotten, or everything when one leaves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound
from aicx.share.membership import Membership
from aicx.share.push import is_chosen, take_out
from aicx.share.rows import chunks_of_sessions
from aicx.share.seals import Seal, drop_rows, owned, read_seals
from aicx.share.shares import databases, own_database
from aicx.share.ssh import carry
from aicx.share.tables import Database, ShareAway, committed, reading
from aicx.share.upkeep import GRACE, renew_indexes
from aicx.text import plural
from aicx.values import dataclass
from indexer.vector_table import optimize

_HOURS = GRACE / timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class TakenOut:
    """The rows that were taken out of a share, and those that stay there."""

    sessions: Annotated[int, "sessions of this machine that are gone from the newest state of the share"]
    hidden: Annotated[int, "copies of them by your other machines, hidden at once and deleted by the next upkeep"]
    stays: Annotated[list[str], "copies that other members shared themselves, which only they can take out"]
    gone_after_hours: Annotated[
        float | None,
        "hours after which earlier states of the share no longer hold them; 0: now; null: when a service removes those",
    ]
    notes: list[str]


def find_own(settings: Settings, membership: Membership, *, session: str | None, project: str | None) -> list[Seal]:
    """One's own sealed sessions that a name means. Raises NotFound for none."""
    own = [seal for seal in read_seals(own_database(membership)).of(membership.own).values() if seal.generation]
    if session is not None:
        name = session.rpartition(":")[2]
        found = [seal for seal in own if seal.session_id.startswith(name)]
    else:
        with open_catalog(settings.layout) as opened:
            stored = chunks_of_sessions(opened.catalog)
        wanted = {
            key for key, chunks in stored.items() if any(is_chosen(chunk.project, [project or ""]) for chunk in chunks)
        }
        found = [seal for seal in own if (seal.agent, seal.session_id) in wanted]
    if not found:
        raise NotFound("nothing of it that this machine shared is in the share", hint="aicx share status")
    return found


def forget_shared(membership: Membership, seals: Sequence[Seal], now: datetime, *, at_once: bool) -> TakenOut:
    """Hides sessions of one's own from every reader and deletes their rows. ``at_once`` also deletes earlier states of
    the tables, which breaks the searches that others are making at that moment."""
    database = own_database(membership)
    take_out(database, seals, now, forgotten=True)
    keys = {(seal.agent, seal.session_id) for seal in seals}
    notes: list[str] = []
    others = [
        seal
        for one in databases(membership, notes)
        for seal in read_seals(one).newest.values()
        if (seal.agent, seal.session_id) in keys and seal.generation and not seal.key.startswith(f"{membership.own}/")
    ]
    hidden = sum(seal.member == membership.member for seal in others)
    theirs = [seal for seal in others if seal.member != membership.member]
    stays = sorted({f"{seal.member}: {seal.agent}:{seal.session_id}" for seal in theirs})
    failed = _clean(database, timedelta(0) if at_once else GRACE)
    carry(membership)
    gone_after = _gone_after(database, failed, at_once=at_once)
    return TakenOut(len(seals), hidden, stays, gone_after, [*notes, *failed])


def erase_everything(membership: Membership) -> TakenOut:
    """Deletes every row and seal that this machine wrote, and the earlier states that had them."""
    database = own_database(membership)
    sessions = sum(bool(seal.generation) for seal in read_seals(database).of(membership.own).values())
    where = owned(membership.member, membership.machine)
    with reading(database.uri):
        # Seals first: without one no reader sees the rows, also when this is killed between the two.
        committed(partial(database.sessions.delete, where))
    drop_rows(database, where)
    notes = _clean(database, timedelta(0))
    carry(membership)
    return TakenOut(sessions, 0, [], _gone_after(database, notes, at_once=True), notes)


def follow_forget(settings: Settings, membership: Membership, now: datetime) -> tuple[int, str | None]:
    """Takes out of the share what one's own corpus forgot; returns how many sessions that is, and why it failed."""
    try:
        database = own_database(membership)
        with open_catalog(settings.layout) as opened:
            stored = chunks_of_sessions(opened.catalog)
        gone = [
            seal
            for seal in read_seals(database).of(membership.own).values()
            if seal.generation and (seal.agent, seal.session_id) not in stored
        ]
        take_out(database, gone, now, forgotten=True)
        if gone:
            _clean(database, GRACE)
            carry(membership)
    except (ShareAway, NotFound) as error:
        return 0, error.message
    return len(gone), None


def _clean(database: Database, grace: timedelta) -> list[str]:
    """Makes the indexes anew, which have words and vectors of deleted rows, and deletes states of the tables that are
    older than ``grace``; returns what could not be done. A service does both by itself."""
    if database.is_service:
        return []
    try:
        with reading(database.uri):
            renew_indexes(database)
            for table in (database.chunks, database.sessions):
                committed(partial(optimize, table, grace, delete_unverified=grace == timedelta(0)))
    except ShareAway as error:
        return [f"earlier states of the share could not be deleted: {error.message}"]
    return []


def _gone_after(database: Database, failed: Sequence[str], *, at_once: bool) -> float | None:
    if database.is_service:
        return None
    return 0.0 if at_once and not failed else _HOURS


def said(done: TakenOut) -> list[str]:
    """Returns what people are told of it."""
    lines = [f"{plural(done.sessions, 'session')} of this machine taken out of the share; no search finds them."]
    if done.hidden:
        lines.append(f"{plural(done.hidden, 'copy')} by your other machines hidden; upkeep deletes them.")
    if done.gone_after_hours is None:
        lines.append("LanceDB's service removes earlier states of the tables by itself; aicx cannot say when.")
    elif done.gone_after_hours:
        lines.append(
            f"Earlier states of the tables hold them until somebody's upkeep after {done.gone_after_hours:g} hours;"
            " --at-once deletes those now."
        )
    lines += [f"stays, as only they can take it out: {copy}" for copy in done.stays]
    return lines
