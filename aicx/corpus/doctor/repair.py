"""The repairs of `doctor --fix`: everything that can be made again from the corpus or the logs. Deletes no chunk."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import remove_chunk, stored_chunks
from aicx.corpus.catalog.query import apply_ignore_file, ignore_is_current, summarise, write_summary
from aicx.corpus.catalog.rebuild import drop_catalog, open_or_rebuild, recover
from aicx.corpus.doctor.inputs import Survey, compare_catalog, survey_store
from aicx.corpus.doctor.tombstone_repair import mend_tombstones
from aicx.corpus.files.read import load_markdown
from aicx.corpus.forget.apart import set_apart
from aicx.corpus.ingest.filing import file_stored
from aicx.corpus.ingest.reading import read_logs
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import is_filed
from aicx.errors import AicxError, CorpusDamaged, UsageError
from aicx.paths import Layout, parse_chunk_name, safe_session
from aicx.redaction import redactor
from aicx.sources import is_agent
from aicx.sources.door import CleanSource, Door
from aicx.sources.items import LogFile, clean_id
from aicx.storage.derived import find_damage
from aicx.storage.journaled import JournaledFolder
from aicx.storage.lock import writer_lock
from aicx.text import plural
from aicx.values import dataclass

Notify = Callable[[str], None]

_HISTORY = "~history"
_HEADING = re.compile(rb"^### (\d\d:\d\d:\d\d) .*$(?<! repeated)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Repair:
    """The outcome of a repair: what was mended, and what could not be, each as a line for people."""

    applied: list[str]
    refused: list[str]


def repair(settings: Settings, notify: Notify) -> Repair:
    """Mends what can be mended. Raises StoreLocked or StoreUnwritable when it must not or cannot write."""
    layout = settings.layout
    found = Repair([], [])
    if not layout.home.is_dir():
        return found
    if stat.S_IMODE(layout.home.stat().st_mode) & 0o077:
        layout.home.chmod(0o700)
        found.applied.append("closed the home to other users")
    with writer_lock(layout.locks, settings.lock_wait_seconds, notify):
        interrupted = layout.staging.is_dir() and any(layout.staging.iterdir())
        readable = _is_readable(layout)
        if find_damage(layout.catalog, full=True):
            readable = False
            drop_catalog(layout)
        # What a rebuild has to leave out is what the report goes on to name.
        catalog = open_or_rebuild(layout, lambda line: None)
        try:
            recover(layout, catalog, notify)
            if interrupted:
                found.applied.append("finished an interrupted run")
            found.applied.extend(mend_tombstones(settings, catalog))
            survey = survey_store(layout)
            differences = compare_catalog(catalog, survey)
            if any(differences.values()):
                catalog.close()
                drop_catalog(layout)
                catalog = open_or_rebuild(layout, lambda line: None)
            if survey.chunks and (not readable or any(differences.values())):
                found.applied.append(f"rebuilt the catalogue from {plural(len(survey.chunks), 'chunk')}")
            apart: dict[str, str] = {}
            agents = _release_sessions(settings, catalog, survey, found, apart)
            if apart:
                set_apart(layout, catalog, apart)
                found.applied.extend(f"set {path} apart in {layout.set_apart}: {why}" for path, why in apart.items())
            # Chunks that were recorded and are gone: their logs may still have them.
            agents |= {parsed[1] for path in differences["extra"] if (parsed := parse_chunk_name(_name(path)))}
            _derive(layout, catalog, found)
            _file(settings, catalog, found)
        finally:
            catalog.rollback()
            catalog.close()
    if agents := set(filter(is_agent, agents)):
        _store_again(settings, survey, sorted(agents), found, notify)
    return found


def finish_change(folder: JournaledFolder, what: str, settings: Settings, notify: Notify, done: Repair) -> None:
    """Brings to its end what a killed writer of a folder had begun: a change of ``what``."""
    if not folder.staging.exists():
        return
    try:
        with folder.locked(settings.lock_wait_seconds, notify) as finished:
            if finished:
                done.applied.append(f"finished an interrupted change of {what}")
    except AicxError as error:
        done.refused.append(f"an interrupted change of {what}: {error.message}")


def _is_readable(layout: Layout) -> bool:
    catalog = Catalog.open_for_reading(layout.catalog)
    if catalog is not None:
        catalog.close()
    return catalog is not None


def _derive(layout: Layout, catalog: Catalog, found: Repair) -> None:
    catalog.begin()
    current = ignore_is_current(layout, catalog)
    try:
        apply_ignore_file(layout, catalog)
    except UsageError as error:
        found.refused.append(error.message)
    else:
        if not current:
            found.applied.append("applied .aicxignore")
    before = layout.summary.read_bytes() if layout.summary.exists() else b""
    if summarise(catalog)["totals"]["chunks"] or before:
        write_summary(layout, catalog)
        if layout.summary.read_bytes() != before:
            found.applied.append("wrote index.json again")
    catalog.commit()


def _file(settings: Settings, catalog: Catalog, found: Repair) -> None:
    """Decides again which repository each folder belongs to: a rebuilt catalogue has the evidence alone."""
    try:
        decisions = load_decisions(settings.layout.projects)
        if is_filed(catalog, decisions):
            return
        filing = file_stored(settings, catalog, decisions)
    except (CorpusDamaged, UsageError) as error:
        found.refused.append(error.message)
        return
    if filing.moved:
        found.applied.append(f"filed {plural(filing.moved, 'chunk')} under another repository")
    found.refused.extend(filing.notes)


# Broken chunks ------------------------------------------------------------------------------------------------------


def _release_sessions(
    settings: Settings, catalog: Catalog, survey: Survey, found: Repair, apart: dict[str, str]
) -> set[str]:
    """Makes the next `store` write broken and altered chunks again where their logs hold them; the agents concerned.

    A broken chunk whose messages are no longer all in the logs is left as it is: what it holds exists nowhere else. An
    altered one holds something else than it should, and is put into ``apart`` with the reason.
    """
    agents: set[str] = set()
    for (agent, name), paths in _broken_sessions(survey):
        altered = sorted(set(paths) & set(survey.altered))
        broken = sorted(set(paths) - set(altered))
        if not is_agent(agent):
            apart |= dict.fromkeys(altered, "altered on disk, by an unknown agent")
            found.refused.extend(f"{path}: unknown agent" for path in broken[:1])
            continue
        logs = _logs_of(settings, agent, name)
        reason = "its log is gone" if not logs else _objection(settings, catalog, agent, name, broken, logs)
        if reason is not None:
            apart |= dict.fromkeys(altered, f"altered on disk, and cannot be made again: {reason}")
            if broken:
                found.refused.append(f"{', '.join(broken)}: cannot be made again, {reason}")
                continue
        catalog.begin()
        for path in paths if reason is None else ():
            for row in catalog.rows("SELECT id FROM chunks WHERE path=?", (path,)):
                remove_chunk(catalog, row["id"])
        # Also behind a chunk that is set apart: what its log still holds is stored anew.
        for log in logs:
            names = (str(log.path), clean_id(str(log.path), redactor(settings.redact_secrets)))
            catalog.connection.execute("DELETE FROM sources WHERE path IN (?,?)", names)
        catalog.commit()
        agents.add(agent)
    return agents


def _broken_sessions(survey: Survey) -> list[tuple[tuple[str, str], list[str]]]:
    """Agents and sessions with broken or altered chunks, by what the names of these say of them, and their paths."""
    by_session: dict[tuple[str, str], list[str]] = {}
    for path in sorted({*survey.broken, *survey.altered}):
        if parsed := parse_chunk_name(_name(path)):
            by_session.setdefault((parsed[1], parsed[2]), []).append(path)
    return sorted(by_session.items())


def _logs_of(settings: Settings, agent: str, name: str) -> list[LogFile]:
    source = CleanSource(agent, Door(redactor(settings.redact_secrets)))
    logs = [log for log in source.discover(settings.homes) if isinstance(log, LogFile)]
    if name.endswith(_HISTORY):
        return [log for log in logs if source.identify(log).session_id is None]
    found = [(log, source.identify(log)) for log in logs]
    own = [(log, one) for log, one in found if one.session_id and safe_session(one.session_id) == name]
    return [log for log, _ in sorted(own, key=lambda pair: (str(pair[1].started_at or "~"), str(pair[0].path)))]


def _objection(
    settings: Settings, catalog: Catalog, agent: str, name: str, broken: list[str], logs: list[LogFile]
) -> str | None:
    """Why the logs must not decide over the session's chunks, None when they may."""
    drafts = [
        draft
        for draft in read_logs(agent, logs, settings.redact_secrets).drafts
        if safe_session(draft.entry.session_id) == name.removesuffix(_HISTORY)
    ]
    stream = "history" if name.endswith(_HISTORY) else ""
    keys = {draft.key for draft in drafts}
    ids = {draft.entry.session_id for draft in drafts}
    stored = [chunk for one in ids for chunk in stored_chunks(catalog, agent, one, stream)]
    if not {key for chunk in stored for key in chunk.keys} <= keys:
        return "because its log no longer holds all of the session, or some of it was forgotten"
    times = {f"{draft.entry.at:%H:%M:%S}".encode() for draft in drafts}
    for path in broken:  # the sidecar of an altered chunk names its messages
        try:
            markdown = load_markdown(settings.layout, path)
        except AicxError:
            continue
        if not set(_HEADING.findall(markdown)) <= times:
            return "because it holds messages that are not in its log"
    return None


def _store_again(settings: Settings, before: Survey, agents: list[str], found: Repair, notify: Notify) -> None:
    report = store(settings, StoreRequest(agents=tuple(agents)), lambda done, total, label: None, notify)
    after = survey_store(settings.layout)
    mended = sorted(set(before.broken) - set(after.broken))
    if mended:
        found.applied.append(f"wrote {plural(len(mended), 'broken chunk')} again from the logs")
    restored = sorted(set(before.altered) & after.chunks.keys() - set(after.altered))
    if restored:
        found.applied.append(f"restored {plural(len(restored), 'altered chunk')} from the logs")
    mended += restored
    if report.chunks_written > len(mended):
        found.applied.append(f"stored {plural(report.chunks_written - len(mended), 'further chunk')} from the logs")
    left = set(after.broken) & set(before.broken)
    named = {path for line in found.refused for path in left if path in line}
    found.refused.extend(f"{path}: its log did not give it again" for path in sorted(left - named))


def _name(path: str) -> str:
    return path.rpartition("/")[2]
