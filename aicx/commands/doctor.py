"""`aicx doctor`: whether everything is in order, and mending what can be mended."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from aicx import console, options
from aicx.agents.health import examine as examine_agents
from aicx.config import Settings, load_settings
from aicx.corpus.doctor.checks import examine, overall
from aicx.corpus.doctor.inputs import Check
from aicx.corpus.doctor.repair import Repair
from aicx.engine.forgetting import complete_forgetting
from aicx.engine.holders import load_holders
from aicx.errors import AicxError, UsageError
from aicx.paths import Layout, user_path
from aicx.questions import PATH, Option
from aicx.values import dataclass

SCHEMA = "aicx.doctor/1"


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """With `critical` the exit code is 1."""

    overall: Annotated[str, "`green`, `warning` or `critical`"]
    checks: Annotated[list[Check], "everything that was looked at"]
    fixes_applied: Annotated[list[str], "repairs made by `--fix`"]
    not_fixed: Annotated[list[str], "repairs that failed"]


_COLORS = {"green": "green", "warning": "yellow", "critical": "red", "skipped": "bright_black"}
_REPO_COLORS = {"ok": "green", "warning": "yellow", "error": "red"}

Fix = Annotated[bool, Option("--fix", help="Repair everything that can be made again; never deletes a chunk.")]
Quick = Annotated[bool, Option("--quick", "-q", help="Do not compare chunks with their checksums.")]


def command(
    fix: Fix = False,
    quick: Quick = False,
    repo: Annotated[
        str | None,
        Option(
            *("--repo", "-r"),
            metavar="FOLDER",
            click_type=PATH,
            help="Check a repository instead: agents set up, sessions stored, tasks and contracts in order.",
        ),
    ] = None,
    release_readiness: Annotated[
        bool, Option("--release-readiness", help="With --repo: be strict, as before a release.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Check the corpus, everything derived from it, and the logs that are about to be deleted.

    Changes nothing unless --fix is given. With it, an interrupted run is finished, damaged catalogues, indexes and
    index.json are made again, .aicxignore is applied, the home is closed to other users, and
    chunks that lost a file or were altered are read again from their logs if those still have them. An altered chunk
    that is in no log is set apart, and so is an unreadable line of forgotten.jsonl. Of a damaged vector index, only the
    lost part is embedded again.

    Exit code 1 if something critical is found (with --fix: remains), 0 otherwise.

    Example: aicx doctor
    Example: aicx doctor --quick --json
    Example: aicx doctor --fix
    Example: aicx doctor --repo . --json
    """
    if repo is not None:
        if fix or quick:
            raise UsageError("--repo only looks", hint="aicx doctor --fix mends the corpus")
        return _examine_repository(repo, release=release_readiness, json=json)
    if release_readiness:
        raise UsageError("--release-readiness is about a repository", hint="aicx doctor --repo . --release-readiness")
    settings, config_error = _settings()
    if fix and config_error is not None:
        raise config_error
    done = _mend(settings) if fix else Repair([], [])
    checks = examine(settings, options.now(), load_holders(), quick=quick, config_error=config_error)
    checks += examine_agents(settings, options.now())
    worst = overall(checks)
    if json:
        console.out_answer(SCHEMA, DoctorAnswer(worst, checks, done.applied, done.refused))
    else:
        _show(checks, done)
    return AicxError.exit_code if worst == "critical" else 0


def _examine_repository(repo: str, *, release: bool, json: bool) -> int:
    # Imported here: most ask about the corpus.
    from aicx.agents import readiness

    found = readiness.examine(load_settings(), user_path(repo), options.now(), release=release)
    if json:
        console.out_answer(readiness.SCHEMA, found)
    else:
        width = max(len(check.name) for check in found.checks)
        for check in found.checks:
            status = console.style(f"{check.status:8}", fg=_REPO_COLORS[check.status], bold=check.status == "error")
            console.out(f"{status}  {check.name:{width}}  {check.summary}")
            if check.recommended_action:
                console.out(f"{'':10}{'':{width}}  {console.style('next:', fg='cyan')} {check.recommended_action}")
    return AicxError.exit_code if found.status == "error" else 0


def _mend(settings: Settings) -> Repair:
    done, unfinished = Repair([], []), []
    forgotten = False
    try:
        forgotten = complete_forgetting(settings, console.notify)
    except AicxError as error:
        unfinished.append(f"an interrupted aicx forget: {error.message}")
    for holder in load_holders():
        holder.mend(settings, console.notify, done)
    done.refused.extend(unfinished)
    if forgotten:
        done.applied.append("finished an interrupted aicx forget")
    return done


def _settings() -> tuple[Settings, UsageError | None]:
    """The settings; where config.toml is damaged, everything but what it says, and the damage."""
    try:
        return load_settings(), None
    except UsageError as error:
        # The same environment with a home that has no config.toml, and then the real home again.
        with TemporaryDirectory(prefix="aicx-doctor-") as folder:
            settings = load_settings({**os.environ, "AICX_HOME": folder})
        home = os.environ.get("AICX_HOME")
        layout = Layout(Path(home).expanduser() if home else settings.user_home / ".aicx")
        return replace(settings, layout=layout), error


def _show(checks: list[Check], done: Repair) -> None:
    style = console.style
    width = max(len(check.name) for check in checks)
    for check in checks:
        severity = style(f"{check.severity:8}", fg=_COLORS[check.severity], bold=check.severity == "critical")
        console.out(f"{severity}  {check.name:{width}}  {check.detail}")
        if check.recommendation and check.severity in ("warning", "critical"):
            console.out(f"{'':10}{'':{width}}  {style('next:', fg='cyan')} {check.recommendation}")
    for line in done.applied:
        console.notify(f"{style('fixed:', fg='green', bold=True)} {line}")
    for line in done.refused:
        console.notify(f"{style('not fixed:', fg='yellow', bold=True)} {line}")
    worst = overall(checks)
    words = {"green": "Everything is in order.", "warning": "Nothing critical.", "critical": "Something is critical."}
    console.notify(style(words[worst], fg=_COLORS[worst], bold=True))
