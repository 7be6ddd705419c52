"""Takes sessions, projects or texts out of the corpus and everything derived from it, for good.

The order is what makes a kill harmless: first a record of what is to be forgotten (`forgetting`); then the BM25 index
goes; then tombstones and files change together, by one journal; then the catalogue records it. Whatever a kill leaves
is finished by the same call again, by `store` or by `doctor --fix`. Nobody writes an index meanwhile: what it had read
of the corpus before would come back with it.

The record of a call in progress, last in this file, holds ids, paths and counts, never what was said, titles among it.
The request itself, which may be a pattern, is in it only as long as everything that it matches is still stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import erase_chunk, put_chunk
from aicx.corpus.catalog.query import apply_ignore_file, write_summary
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.catalog.watermarks import drop_places
from aicx.corpus.files import FORGOTTEN, encode_sidecar
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path
from aicx.corpus.files.tombstones import read_tombstones, with_tombstones
from aicx.corpus.forget.blanking import Targets, blank_chunk
from aicx.corpus.forget.holding import Affected, Erasure, ForgetPlan, ForgetRequest, LogCopy, TextHolder, plan_forget
from aicx.corpus.ingest.publishing import drop_empty_folders, stage_chunk
from aicx.corpus.ingest.reading import read_logs
from aicx.errors import NotFound
from aicx.paths import Layout
from aicx.redaction import redactor
from aicx.sources import is_agent, load_source
from aicx.sources.items import LogFile
from aicx.storage import replace_file, unwritable
from aicx.storage.journal import Writer, clear_staging
from aicx.storage.lock import writer_lock
from aicx.values import dataclass


def forget(
    settings: Settings, request: ForgetRequest, notify: Callable[[str], None], holders: Sequence[TextHolder]
) -> ForgetPlan:
    """Does what `plan_forget` says, on the corpus as it is once the locks are held; returns what was done.

    Holders lose it from the last to the first: what is derived before what it is made from. What they keep and the free
    pages of the catalogue still hold what is forgotten: the caller goes on with `tidy` and `end_forgetting`.

    Raises StoreLocked while somebody goes on writing the store or an index, StoreUnwritable when something of it
    cannot be deleted.
    """
    layout = settings.layout

    def locked(name: str) -> AbstractContextManager[None]:
        return writer_lock(layout.locks, settings.lock_wait_seconds, notify, name)

    def work(catalog: Catalog) -> ForgetPlan:
        plan = plan_forget(layout, request, holders)
        if not plan.empty:
            plan.messages |= copy_keys(settings, plan.copies)
            with locked("lexical"):
                kept = frozenset[str]().union(*(holder.kept(settings, notify) for holder in holders))
                record_forgetting(layout, request, plan, published=False)
                try:
                    for holder in reversed(holders):
                        holder.erase(Erasure(settings, catalog, plan, kept))
                except Exception:
                    # What fails is for a person to look at; only what is killed is finished by the next command.
                    if not (layout.staging / "journal").exists():
                        end_forgetting(layout)
                    raise
                record_forgetting(layout, request, plan, published=True)
        return plan

    # Embedding may take long, so its lock comes first: `store` does not wait for it too.
    with locked("vectors"), locked("writer"):
        return with_catalog(layout, notify, work)


def copy_keys(settings: Settings, copies: Iterable[LogCopy]) -> set[str]:
    """The keys that the copies have in their own logs, by which the next reading of those logs knows them.

    A copy is recorded as the place it has in a log. Where that log is gone the copy cannot come back.
    """
    by_log: dict[tuple[str, str], list[LogCopy]] = {}
    for copy in copies:
        by_log.setdefault((copy[0]["agent"], copy[0]["path"]), []).append(copy)
    logs = _logs(settings, {agent for agent, _ in by_log})
    keys: set[str] = set()
    for place, wanted in by_log.items():
        if place not in logs:
            continue
        drafts = read_logs(place[0], [logs[place]], settings.redact_secrets).drafts
        for reference, text_key in wanted:
            there = [draft for draft in drafts if [draft.entry.ref.start, draft.entry.ref.end] == reference["span"]]
            # A record may hold several messages. A prompt history words them differently: then all of the record.
            same = [draft for draft in there if draft.text_key == text_key]
            keys.update(draft.key for draft in same or there)
    return keys


def _logs(settings: Settings, agents: Iterable[str]) -> dict[tuple[str, str], LogFile]:
    clean = redactor(settings.redact_secrets)
    return {
        (agent, clean(str(log.path)).text): log
        for agent in sorted(agents)
        if is_agent(agent)
        for log in load_source(agent).discover(settings.homes)
        if isinstance(log, LogFile)
    }


def _stage_tombstones(writer: Writer, layout: Layout, plan: ForgetPlan) -> None:
    known = read_tombstones(layout.tombstones)
    rows: list[dict[str, Any]] = [
        {"agent": agent, "session": session} for agent, session in sorted(plan.sessions - known.sessions)
    ]
    rows += [{"project": project} for project in sorted(plan.projects - known.projects)]
    if messages := sorted(plan.messages - known.messages):
        rows.append({"messages": messages})
    if rows:
        writer.stage(layout.tombstones.name, with_tombstones(layout.tombstones, rows))


def publish(layout: Layout, catalog: Catalog, plan: ForgetPlan) -> None:
    """Changes tombstones, chunks and catalogue together."""
    writer = Writer(layout)
    catalog.begin()
    _stage_tombstones(writer, layout, plan)
    for path in plan.removed:
        writer.stage_removal(path)
        writer.stage_removal(sidecar_path(path))
    for path, targets in plan.rewritten.items():
        markdown, fields = load_markdown(layout, path), dict(load_sidecar(layout, path).fields)
        markdown, fields = blank_chunk(markdown, fields, targets) or (markdown, fields)
        fields["forgotten"] = True
        sidecar = encode_sidecar(fields)
        stage_chunk(writer, path.removesuffix(".md"), markdown, sidecar)
        put_chunk(catalog, fields, path, sha256(sidecar).hexdigest(), markdown)
    for path in plan.references:
        fields = dict(load_sidecar(layout, path).fields)
        fields["duplicates"] = [
            copy for copy in fields["duplicates"] if (copy["agent"], copy["session_id"]) not in plan.sessions
        ]
        sidecar = encode_sidecar(fields)
        writer.stage(sidecar_path(path), sidecar)
        # No index holds references, so none is behind for this.
        known = catalog.rows("SELECT sequence, id FROM chunks WHERE id=?", (fields["id"],))
        put_chunk(catalog, fields, path, sha256(sidecar).hexdigest(), load_markdown(layout, path))
        catalog.connection.executemany("UPDATE chunks SET sequence=? WHERE id=?", map(tuple, known))
    _drop_rows(catalog, plan)
    writer.publish()
    apply_ignore_file(layout, catalog)
    write_summary(layout, catalog)
    catalog.commit()
    writer.finish()
    clear_staging(layout)
    drop_empty_folders(layout, plan.removed)


def _drop_rows(catalog: Catalog, plan: ForgetPlan) -> None:
    """Deletes rows of the catalogue that are not chunks."""
    drop_places(catalog)
    for path in plan.removed:
        for row in catalog.rows("SELECT id FROM chunks WHERE path=?", (path,)):
            erase_chunk(catalog, row["id"])
    for session in plan.sessions:
        for table in ("late_titles", "records", "sessions"):
            catalog.connection.execute(f"DELETE FROM {table} WHERE agent=? AND session_id=?", session)
        catalog.connection.execute(
            "DELETE FROM duplicates WHERE json_extract(reference, '$.agent')=?"
            " AND json_extract(reference, '$.session_id')=?",
            session,
        )
    catalog.connection.execute("DELETE FROM duplicates WHERE key NOT IN (SELECT key FROM messages)")


def tidy(layout: Layout, catalog: Catalog, plan: ForgetPlan, notify: Callable[[str], None]) -> None:
    """Finishes the corpus once the files of ``plan`` are changed and recorded; safe to repeat."""
    catalog.begin()
    apply_ignore_file(layout, catalog)
    write_summary(layout, catalog)
    catalog.commit()
    drop_empty_folders(layout, plan.removed)
    scrub(catalog, notify)


def scrub(catalog: Catalog, notify: Callable[[str], None]) -> None:
    """SQLite leaves deleted rows readable in free pages and in its write-ahead log; this overwrites both."""
    catalog.connection.execute("PRAGMA busy_timeout=2000")
    catalog.connection.execute("VACUUM")
    busy = catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        notify("another aicx is reading the catalogue, which keeps traces until the next `aicx store`")


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A call of `forget` that was begun; of ``plan`` only what is counted and shown.

    ``request`` is there until the files are published; ``digest`` is of it.
    """

    digest: str
    request: ForgetRequest | None
    plan: ForgetPlan


def record_forgetting(layout: Layout, request: ForgetRequest, plan: ForgetPlan, *, published: bool) -> None:
    """Records it durably: from here on it is to be done, and once it is published, the indexes are to follow."""
    fields: dict[str, Any] = {
        "schema": "aicx.forgetting/1",
        "digest": _digest(request),
        "request": None if published else asdict(request),
        "removed": plan.removed,
        "rewritten": list(plan.rewritten),
        "references": plan.references,
        "sessions": [asdict(replace(affected, title=FORGOTTEN)) for affected in plan.affected.values()],
        "counts": {name: getattr(plan, name) for name in ("blanked", "shortened", "named")},
    }
    replace_file(layout.forgetting, orjson.dumps(fields))


def read_forgetting(layout: Layout) -> Forgetting | None:
    """The call that is under way or was killed; None when there is none. One that cannot be read counts as empty."""
    try:
        fields = orjson.loads(layout.forgetting.read_bytes())
        plan = ForgetPlan(
            removed=list(fields["removed"]),
            rewritten=dict.fromkeys(fields["rewritten"], Targets()),
            references=list(fields["references"]),
            affected={(row["agent"], row["session_id"]): Affected(**row) for row in fields["sessions"]},
            **fields["counts"],
        )
        request = fields["request"]
        return Forgetting(str(fields["digest"]), ForgetRequest(**request) if request else None, plan)
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return Forgetting("", None, ForgetPlan())


def plan_or_finished(
    layout: Layout, request: ForgetRequest, earlier: Forgetting | None, holders: Sequence[TextHolder]
) -> ForgetPlan:
    """Plans the changes that ``request`` asks for; where none are left, those of ``earlier``, the same call killed.

    Raises as `plan_forget` does, but not for what was forgotten before: asking for that again changes nothing.
    """
    same = earlier if earlier is not None and earlier.digest == _digest(request) else None
    try:
        plan = plan_forget(layout, request, holders)
    except NotFound:
        if same is not None:
            return same.plan
        if _forgotten_before(layout, request):
            return ForgetPlan(before=True)
        raise
    return same.plan if same is not None and plan.empty else plan


def _forgotten_before(layout: Layout, request: ForgetRequest) -> bool:
    known = read_tombstones(layout.tombstones)
    if request.session is not None:
        names = (name for agent, session in known.sessions for name in (session, f"{agent}:{session}"))
        return bool(request.session) and any(name.startswith(request.session) for name in names)
    return request.project is not None and request.project.rstrip("/") in known.projects


def end_forgetting(layout: Layout) -> None:
    try:
        layout.forgetting.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(layout.forgetting, error) from error


def _digest(request: ForgetRequest) -> str:
    return sha256(orjson.dumps(request)).hexdigest()
