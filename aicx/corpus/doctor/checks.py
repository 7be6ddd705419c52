"""The checks of `doctor`: each examines one thing and returns a severity and a recommendation. None of them writes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.rebuild import index_chunks
from aicx.corpus.catalog.summary import apply_ignore_file, ignore_is_current, ignore_matcher, summarise
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import (
    Check,
    DoctorInputs,
    Severity,
    catalog_copy,
    compare_catalog,
    current_writer,
    discover_logs,
)
from aicx.corpus.doctor.retention import Retention, retention
from aicx.corpus.doctor.survey import survey_store
from aicx.corpus.files.sidecar import without_tool_facts
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.forget.apart import list_apart
from aicx.corpus.ingest.filing import changed_sessions
from aicx.corpus.places.decisions import load_decisions
from aicx.corpus.places.evidence import UNDECIDED
from aicx.corpus.places.report import list_places
from aicx.corpus.places.stored import open_places
from aicx.corpus.views.provenance import is_there
from aicx.errors import CorpusDamaged, UsageError
from aicx.redaction import redact_plain
from aicx.text import plural

FIX = "aicx doctor --fix"
STORE = "aicx store"

_LOW_SPACE = 1_000_000_000
_NO_SPACE = 100_000_000
_MAX_NAMED = 5
_UNFINISHED = "unfinished last line"  # of a log that is being written: no damage


class Verified(Protocol):
    """A holder of people's text, as far as `doctor` and `.aicxignore` look at it."""

    @property
    def noun(self) -> str:
        """What one thing of it is called."""

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        """The paths below the home that `.aicxignore` may hide."""

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        """What is wrong with it."""


def examine(
    settings: Settings,
    now: datetime,
    holders: Sequence[Verified],
    *,
    quick: bool,
    config_error: UsageError | None = None,
) -> list[Check]:
    """Every check: of the home, of each holder, and of the logs. Changes nothing, not even for a moment."""
    layout = settings.layout
    logs, unreadable = discover_logs(settings.homes)
    with catalog_copy(layout, full=not quick) as (catalog, problem):
        facts = DoctorInputs(
            settings,
            config_error,
            now,
            quick,
            current_writer(layout),
            survey_store(layout, quick=quick),
            catalog,
            problem,
            logs,
            unreadable,
        )
        found = [check(facts) for check in (_home, _permissions, _config, _lock, _staging)]
        found += [check for holder in holders for check in holder.verify(facts)]
        found += [_ignore_file(facts, holders), _projects(facts), _tombstones(facts), _sources(facts)]
        found.append(_retention(facts))
        return list(map(_without_secrets, found))


def _without_secrets(check: Check) -> Check:
    """``check`` as it may be shown: the path of a log may hold a secret."""
    return replace(check, detail=redact_plain(check.detail).text)


def overall(checks: Iterable[Check]) -> Severity:
    """The worst of the severities; what was skipped does not count."""
    found = {check.severity for check in checks}
    return "critical" if "critical" in found else "warning" if "warning" in found else "green"


def _while_nobody_writes(name: str) -> Callable[[Callable[[DoctorInputs], Check]], Callable[[DoctorInputs], Check]]:
    """What a run is changing at this moment cannot be judged: the check called ``name`` is skipped then."""

    def guard(check: Callable[[DoctorInputs], Check]) -> Callable[[DoctorInputs], Check]:
        def guarded(facts: DoctorInputs) -> Check:
            if facts.writer is not None:
                return Check(name, "skipped", f"process {facts.writer} is writing; look again when it is done")
            return check(facts)

        return guarded

    return guard


# The checks ---------------------------------------------------------------------------------------------------------


def _home(facts: DoctorInputs) -> Check:
    home = facts.layout.home
    if not home.exists():
        return Check("home", "warning", f"{home} does not exist: nothing is stored yet", STORE)
    if not home.is_dir():
        return Check("home", "critical", f"{home} is not a folder", "move it away, or set AICX_HOME")
    if not os.access(home, os.W_OK | os.X_OK):
        return Check("home", "critical", f"{home} cannot be written to", "check its owner and permissions")
    free = shutil.disk_usage(home).free
    detail = f"{home}, {free / 1e9:.1f} GB free"
    if free < _NO_SPACE:
        return Check("home", "critical", detail, "free some disk space before the next aicx store")
    return Check("home", "warning" if free < _LOW_SPACE else "green", detail)


def _permissions(facts: DoctorInputs) -> Check:
    try:
        mode = stat.S_IMODE(facts.layout.home.stat().st_mode)
    except OSError:
        return Check("permissions", "skipped", "there is no home")
    if mode & 0o077:
        return Check("permissions", "warning", f"other users can look into the home (mode {mode:04o})", FIX)
    return Check("permissions", "green", f"only you can look into the home (mode {mode:04o})")


def _config(facts: DoctorInputs) -> Check:
    if facts.config_error is not None:
        return Check("config", "critical", facts.config_error.message, facts.config_error.hint or "mend the line")
    if not facts.layout.config_file.exists():
        return Check("config", "green", "no config.toml, so everything is as it comes")
    if not facts.settings.redact_secrets:
        return Check("config", "warning", "secrets are stored as they are", "remove redact_secrets = false")
    return Check("config", "green", "config.toml is understood")


def _lock(facts: DoctorInputs) -> Check:
    if facts.writer is not None:
        return Check("lock", "green", f"process {facts.writer} is writing right now")
    return Check("lock", "green", "nobody is writing")


@_while_nobody_writes("canonical_store")
def canonical_store(facts: DoctorInputs) -> Check:
    survey = facts.survey
    lines = [
        _count("chunk", survey.without_sidecar, "without a sidecar"),
        _count("sidecar", survey.without_chunk, "without its chunk"),
        _count("chunk", survey.altered, "altered since it was written"),
        _count("chunk", list(survey.misfiled), "in another place than its sidecar says"),
    ]
    strays = _count("file", survey.strays, "that aicx did not write")
    hashed = "not compared with their checksums" if facts.quick else f"{survey.hashed:,} compared with their checksums"
    if problems := [line for line in lines if line]:
        advice = FIX
        if survey.misfiled and not (survey.broken or survey.altered):
            advice = "move the files back to where their sidecars say, or remove those that are copies"
        return Check("canonical_store", "critical", "; ".join(problems), advice)
    detail = f"{len(survey.chunks):,} chunks, {hashed}"
    if strays:
        return Check("canonical_store", "warning", f"{detail}; {strays}", "move them elsewhere")
    return Check("canonical_store", "green", detail)


def set_apart(facts: DoctorInputs) -> Check:
    named = [f"{item.path}: {item.reason}" for item in list_apart(facts.layout)]
    lines = [_count("chunk", named, "altered on disk and out of every answer")]
    if facts.layout.bad_tombstones.exists():
        lines.append("lines of forgotten.jsonl that could not be understood")
    if not any(lines):
        return Check("set_apart", "green", "nothing")
    advice = f"compare with a backup, or delete what you do not need from {facts.layout.set_apart}"
    return Check("set_apart", "warning", "; ".join(filter(None, lines)), advice)


@_while_nobody_writes("sidecars")
def sidecars(facts: DoctorInputs) -> Check:
    damaged = facts.survey.damaged
    if damaged:
        named = "; ".join([*list(damaged.values())[:_MAX_NAMED], *_more(len(damaged))])
        return Check("sidecars", "critical", named, FIX)
    if newer := facts.survey.newer:
        detail = _count("sidecar", sorted(newer), f"of a newer version ({', '.join(sorted(set(newer.values())))})")
        return Check("sidecars", "warning", detail, "a newer aicx reads them")
    return Check("sidecars", "green", f"{len(facts.survey.chunks):,} read")


@_while_nobody_writes("tool_facts")
def tool_facts(facts: DoctorInputs) -> Check:
    logs = [seen.log_without_facts for seen in facts.survey.chunks.values() if seen.log_without_facts is not None]
    if not logs:
        return Check("tool_facts", "green", "no chunk was stored without them")
    left = sum(map(is_there, logs))
    detail = f"{without_tool_facts(len(logs))}; the logs of {left:,} are there"
    return Check("tool_facts", "warning" if left else "green", detail, f"{STORE} --full-rescan" if left else None)


@_while_nobody_writes("catalog")
def catalog_as_stored(facts: DoctorInputs) -> Check:
    if facts.catalog is None:
        if not facts.survey.chunks:
            return Check("catalog", "skipped", "nothing is stored yet")
        severity: Severity = "critical" if facts.layout.catalog.exists() else "warning"
        return Check("catalog", severity, f"{facts.catalog_problem}; every question reads all sidecars", FIX)
    try:
        differences = compare_catalog(facts.catalog, facts.survey)
    except sqlite3.DatabaseError as error:
        return Check("catalog", "critical", f"it is damaged: {error}", FIX)
    if not any(differences.values()):
        return Check("catalog", "green", f"{len(facts.survey.chunks):,} chunks, as in the store")
    said = {"missing": "not in it", "changed": "different in it", "extra": "in it but not on disk"}
    lines = [_count("chunk", paths, said[kind]) for kind, paths in differences.items() if paths]
    return Check("catalog", "critical", "; ".join(lines), FIX)


@_while_nobody_writes("index_json")
def index_json(facts: DoctorInputs) -> Check:
    if not facts.survey.chunks:
        return Check("index_json", "skipped", "nothing is stored yet")
    try:
        found = orjson.loads(facts.layout.summary.read_bytes())
    except FileNotFoundError:
        return Check("index_json", "warning", "there is none", FIX)
    except (OSError, orjson.JSONDecodeError) as error:
        return Check("index_json", "critical", f"it cannot be read: {error}", FIX)
    try:
        expected = _recount(facts)
    except UsageError as error:
        return Check("index_json", "skipped", error.message)
    if found != expected:
        return Check("index_json", "warning", "its numbers are not those of the store", FIX)
    return Check("index_json", "green", f"as counted again: {expected['totals']['chunks']:,} chunks")


def _recount(facts: DoctorInputs) -> dict[str, Any]:
    if facts.catalog is not None and not any(compare_catalog(facts.catalog, facts.survey).values()):
        return summarise(facts.catalog)
    catalog = Catalog.in_memory()
    try:
        index_chunks(facts.layout, catalog, facts.survey.chunks, lambda line: None)
        apply_ignore_file(facts.layout, catalog)
        return summarise(catalog)
    finally:
        catalog.close()


@_while_nobody_writes("staging")
def _staging(facts: DoctorInputs) -> Check:
    staging = facts.layout.staging
    if facts.layout.redacting.exists():
        return Check("staging", "warning", "redacting again was interrupted", STORE)
    if (staging / "journal").exists():
        return Check("staging", "warning", "a run was interrupted while it published; its files are complete", FIX)
    leftovers = [path.name for path in staging.iterdir()] if staging.is_dir() else []
    for path in (facts.layout.summary, facts.layout.tombstones):
        leftovers += [left.name for left in facts.layout.home.glob(f".{path.name}.*")]
    if leftovers:
        return Check("staging", "warning", f"{len(leftovers)} files of an interrupted run, never published", FIX)
    return Check("staging", "green", "no interrupted run")


def _ignore_file(facts: DoctorInputs, holders: Iterable[Verified]) -> Check:
    layout = facts.layout
    if not layout.ignore_file.exists():
        return Check("ignore_file", "green", "no .aicxignore")
    try:
        matches = ignore_matcher(layout)
        counts = [(sum(map(matches, paths)), len(paths), one.noun) for one in holders if (paths := one.paths(facts))]
    except UsageError as error:
        return Check("ignore_file", "critical", error.message, error.hint)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or error}"
        return Check("ignore_file", "critical", reason, "check its permissions")
    hidden = (f"{count:,} of {plural(every, noun)}" for count, every, noun in counts)
    detail = f".aicxignore hides {', '.join(hidden) or 'nothing'}"
    if facts.catalog is not None and not ignore_is_current(layout, facts.catalog):
        return Check("ignore_file", "warning", f"{detail}; it has changed since the last run", FIX)
    return Check("ignore_file", "green", detail)


@_while_nobody_writes("projects")
def _projects(facts: DoctorInputs) -> Check:
    """Whether every session is filed where today's evidence and decisions put it, and which folders are undecided."""
    try:
        decisions = load_decisions(facts.layout.projects)
    except CorpusDamaged as error:
        return Check("projects", "critical", error.message, error.hint)
    if facts.catalog is None:
        return Check("projects", "skipped", "the catalogue cannot be read")
    misfiled = changed_sessions(facts.catalog, open_places(facts.catalog, facts.settings.user_home, decisions))
    if misfiled:
        named = [f"{agent}:{session}" for agent, session in misfiled]
        detail = f"{_count('session', named, 'filed where the evidence of today does not put them')}"
        return Check("projects", "warning", detail, STORE)
    places = list_places(facts.catalog)
    known = sum(place.repository is not None for place in places)
    detail = f"{known:,} of {plural(len(places), 'folder')} with a repository"
    contested = [f"{place.folder} ({place.reason})" for place in places if place.reason.startswith(UNDECIDED)]
    more = f" and {len(contested) - _MAX_NAMED} more" if len(contested) > _MAX_NAMED else ""
    detail += f"; {'; '.join(contested[:_MAX_NAMED])}{more}" if contested else ""
    return Check("projects", "green", detail)


@_while_nobody_writes("tombstones")
def _tombstones(facts: DoctorInputs) -> Check:
    try:
        forgotten = read_tombstones(facts.layout.tombstones)
    except CorpusDamaged as error:
        return Check("tombstones", "critical", error.message, error.hint)
    back = {
        f"{seen.agent}:{seen.session_id}"
        for seen in facts.survey.chunks.values()
        if (seen.agent, seen.session_id) in forgotten.sessions or forgotten.covers(seen.project, seen.cwd)
    }
    if back:
        detail = f"{_count('session', sorted(back), 'forgotten and still stored')}: `forget` was interrupted"
        return Check("tombstones", "critical", detail, "run the same aicx forget again")
    if facts.layout.forgetting.exists():
        return Check("tombstones", "critical", "`forget` was interrupted; an index may still hold what went", FIX)
    counts = (len(found) for found in (forgotten.sessions, forgotten.projects, forgotten.messages))
    return Check("tombstones", "green", "forgotten: {} sessions, {} projects, {} messages".format(*counts))


def _sources(facts: DoctorInputs) -> Check:
    if not facts.logs and not facts.unreadable:
        return Check("sources", "green", "no agent logs on this machine")
    rows = facts.catalog.rows("SELECT path, problems FROM sources WHERE problems IS NOT NULL") if facts.catalog else []
    bad = {row["path"]: _bad_records(row["problems"]) for row in rows}
    bad = {path: count for path, count in bad.items() if count}
    lines = []
    if bad:
        lines.append(_count("log", sorted(bad), f"with bad records, {sum(bad.values())} in all, which were left out"))
    if facts.unreadable:
        names = [f"{item.path} ({item.reason})" for item in facts.unreadable]
        lines.append(_count("log", names, "that cannot be read"))
    if lines:
        return Check("sources", "warning", "; ".join(lines), f"{STORE} --full-rescan --json names every record")
    return Check("sources", "green", f"{len(facts.logs):,} logs, no bad record known")


def _bad_records(problems: str) -> int:
    return sum(_UNFINISHED not in str(problem) for problem in orjson.loads(problems))


def _retention(facts: DoctorInputs) -> Check:
    known = fingerprints(facts.catalog) if facts.catalog else {}
    found = retention(facts.settings.homes, facts.logs, known, facts.now)
    if not found:
        return Check("retention", "green", "no agent logs on this machine")
    detail = "; ".join(map(_outlook, found))
    if any(item.unstored_urgent for item in found):
        return Check("retention", "critical", detail, f"{STORE}, now")
    if any(item.unstored_soon for item in found):
        return Check("retention", "warning", detail, STORE)
    if any(item.policy.problem for item in found):
        return Check("retention", "warning", detail, "mend the agent's settings")
    return Check("retention", "green", detail)


def _outlook(item: Retention) -> str:
    text = f"{item.agent} {item.policy.says}: {item.logs:,} logs"
    if item.policy.days is not None or item.policy.most is not None:
        text += f", {item.due_soon:,} due within 7 days, {item.unstored_soon:,} of them not stored"
    if item.unstored_urgent:
        text += f" ({item.unstored_urgent:,} due within 24 hours)"
    return f"{text} ({item.policy.problem})" if item.policy.problem else text


def _count(noun: str, found: Sequence[str], what: str) -> str:
    """``2 chunks without a sidecar (a, b)``; empty when there are none."""
    if not found:
        return ""
    named = ", ".join([*found[:_MAX_NAMED], *_more(len(found))])
    return f"{len(found):,} {noun}{'' if len(found) == 1 else 's'} {what} ({named})"


def _more(count: int) -> list[str]:
    return [f"and {count - _MAX_NAMED:,} more"] if count > _MAX_NAMED else []
