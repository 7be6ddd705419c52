"""The checks of `doctor`: each examines one thing and returns a severity and a recommendation. None of them writes."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.query import ignore_is_current, ignore_matcher
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import (
    FIX,
    MAX_NAMED,
    STORE,
    Check,
    DoctorInputs,
    Severity,
    catalog_copy,
    counted,
    current_writer,
    discover_logs,
    survey_store,
    while_nobody_writes,
)
from aicx.corpus.doctor.retention import Retention, retention
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.ingest.filing import changed_sessions
from aicx.corpus.places.evidence import UNDECIDED
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.report import list_places
from aicx.corpus.places.stored import open_places
from aicx.errors import CorpusDamaged, UsageError
from aicx.installation import clash
from aicx.paths import Layout
from aicx.redaction import redact_plain
from aicx.storage.lock import holder_of
from aicx.text import first_of, plural

_ALARMS = ("warning", "critical")
_LOOKS = 5  # after the first
_SECONDS_BETWEEN = 0.2
_LOW_SPACE = 1_000_000_000
_NO_SPACE = 100_000_000
_UNFINISHED = "unfinished last line"  # of a log that is being written: no damage


class VerifiedHolder(Protocol):
    """A holder of people's text, as far as `doctor` and `.aicxignore` look at it."""

    @property
    def noun(self) -> str:
        """Returns the word for one thing of it."""

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        """The paths below the home that `.aicxignore` may hide."""

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        """Yields a check for each thing that is wrong with it."""


def examine(
    settings: Settings,
    now: datetime,
    holders: Sequence[VerifiedHolder],
    *,
    quick: bool,
    config_error: UsageError | None = None,
) -> list[Check]:
    """Every check: of the home, of each holder, and of the logs. Changes nothing, not even for a moment.

    Where somebody writes meanwhile, what alarms is looked at again, and only what is found each time is reported.
    """
    locks = _locks(settings.layout)
    found = _examine(settings, now, holders, quick=quick, config_error=config_error)
    for _ in range(_LOOKS):
        written = _locks(settings.layout) != locks or any(holder_of(path) is not None for path in locks)
        if overall(found) == "green" or not written:
            break
        time.sleep(_SECONDS_BETWEEN)
        again = {one.name: one for one in _examine(settings, now, holders, quick=quick, config_error=config_error)}
        found = [again.get(one.name, one) if one.severity in _ALARMS else one for one in found]
    return found


def _locks(layout: Layout) -> dict[Path, int]:
    """When each lock of the home was taken or given back last, either of which writes to its file."""
    return {path: path.stat().st_mtime_ns for path in layout.locks.glob("*.lock")}


def _examine(
    settings: Settings,
    now: datetime,
    holders: Sequence[VerifiedHolder],
    *,
    quick: bool,
    config_error: UsageError | None,
) -> list[Check]:
    layout = settings.layout
    if layout.home.exists() and not layout.home.is_dir():
        return [home(settings)]
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
        found = [home(settings), *_installation()]
        found += [check(facts) for check in (permissions, config, lock, staging)]
        found += [check for holder in holders for check in holder.verify(facts)]
        found += [_ignore_file(facts, holders), _projects(facts), _tombstones(facts), sources(facts)]
        found.append(retention_of_logs(facts))
        # The path of a log may hold a secret.
        return [replace(check, detail=redact_plain(check.detail).text) for check in found]


def overall(checks: Iterable[Check]) -> Severity:
    """The worst of the severities; what was skipped does not count."""
    found = {check.severity for check in checks}
    return "critical" if "critical" in found else "warning" if "warning" in found else "green"


def _ignore_file(facts: DoctorInputs, holders: Iterable[VerifiedHolder]) -> Check:
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


@while_nobody_writes("projects")
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
        detail = f"{counted('session', named, 'filed where the evidence of today does not put them')}"
        return Check("projects", "warning", detail, STORE)
    places = list_places(facts.catalog)
    known = sum(place.repository is not None for place in places)
    detail = f"{known:,} of {plural(len(places), 'folder')} with a repository"
    contested = [f"{place.folder} ({place.reason})" for place in places if place.reason.startswith(UNDECIDED)]
    detail += f"; {first_of(contested, MAX_NAMED, '; ')}" if contested else ""
    return Check("projects", "green", detail)


@while_nobody_writes("tombstones")
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
        detail = f"{counted('session', sorted(back), 'forgotten and still stored')}: `forget` was interrupted"
        return Check(
            "tombstones", "critical", detail, "run the same aicx forget again; what it names is removed for good"
        )
    if facts.layout.forgetting.exists():
        return Check("tombstones", "critical", "`forget` was interrupted; an index may still hold what went", FIX)
    counts = (len(found) for found in (forgotten.sessions, forgotten.projects, forgotten.messages))
    return Check("tombstones", "green", "forgotten: {} sessions, {} projects, {} messages".format(*counts))


def home(settings: Settings) -> Check:
    home = settings.layout.home
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


def _installation() -> list[Check]:
    other = clash()
    return [Check("installation", "warning", *other.split("; ", 1))] if other else []


def permissions(facts: DoctorInputs) -> Check:
    try:
        mode = stat.S_IMODE(facts.layout.home.stat().st_mode)
    except OSError:
        return Check("permissions", "skipped", "there is no home")
    if mode & 0o077:
        return Check("permissions", "warning", f"other users can look into the home (mode {mode:04o})", FIX)
    return Check("permissions", "green", f"only you can look into the home (mode {mode:04o})")


def config(facts: DoctorInputs) -> Check:
    if facts.config_error is not None:
        return Check("config", "critical", facts.config_error.message, facts.config_error.hint or "mend the line")
    if not facts.layout.config_file.exists():
        return Check("config", "green", "no config.toml, so everything is as it comes")
    if not facts.settings.redact_secrets:
        return Check("config", "warning", "secrets are stored as they are", "remove redact_secrets = false")
    return Check("config", "green", "config.toml is understood")


def lock(facts: DoctorInputs) -> Check:
    if facts.writer is not None:
        return Check("lock", "green", f"process {facts.writer} is writing right now")
    return Check("lock", "green", "nobody is writing")


@while_nobody_writes("staging")
def staging(facts: DoctorInputs) -> Check:
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


def sources(facts: DoctorInputs) -> Check:
    if not facts.logs and not facts.unreadable:
        return Check("sources", "green", "no agent logs on this machine")
    rows = facts.catalog.rows("SELECT path, problems FROM sources WHERE problems IS NOT NULL") if facts.catalog else []
    bad = {
        row["path"]: sum(_UNFINISHED not in str(problem) for problem in orjson.loads(row["problems"])) for row in rows
    }
    bad = {path: count for path, count in bad.items() if count}
    lines = []
    if bad:
        lines.append(counted("log", sorted(bad), f"with bad records, {sum(bad.values())} in all, which were left out"))
    if facts.unreadable:
        names = [f"{item.path} ({item.reason})" for item in facts.unreadable]
        lines.append(counted("log", names, "that cannot be read"))
    if lines:
        return Check("sources", "warning", "; ".join(lines), f"{STORE} --full-rescan --json names every record")
    return Check("sources", "green", f"{len(facts.logs):,} logs, no bad record known")


def retention_of_logs(facts: DoctorInputs) -> Check:
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
