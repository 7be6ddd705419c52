"""The checks of `doctor` on what the store stands on: the home, its settings and locks, and the agents' logs."""

from __future__ import annotations

import os
import shutil
import stat

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import FIX, STORE, Check, DoctorInputs, counted, while_nobody_writes
from aicx.corpus.doctor.retention import Retention, retention

_LOW_SPACE = 1_000_000_000
_NO_SPACE = 100_000_000
_UNFINISHED = "unfinished last line"  # of a log that is being written: no damage


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
    bad = {row["path"]: _bad_records(row["problems"]) for row in rows}
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


def _bad_records(problems: str) -> int:
    return sum(_UNFINISHED not in str(problem) for problem in orjson.loads(problems))


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
