"""`aicx resume`: a brief for a new session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.catalog.filters import parse_instant
from aicx.errors import UsageError
from aicx.git.state import Git, GitProbe
from aicx.paths import user_path
from aicx.questions import PATH, Option
from aicx.resume import MIN_TOKENS
from aicx.share import sessions_of_team
from aicx.storage import check_outside, check_target, replacing
from aicx.types import Mode
from retrieval.decay import parse_decay

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from aicx.config import Settings
    from aicx.resume.report import ResumeReport
    from aicx.work.record import WorkRecord

# What is worth reading at the start of a session; JSON has names and instants besides.
_TOKENS, _JSON_TOKENS, _FULL = 2000, 4000, 3


def command(
    repo: options.Repo = None,
    task: Annotated[
        str,
        Option(
            "--task",
            "-t",
            metavar="GOAL",
            help="The goal of the new session; without one, the brief shows where work stopped.",
        ),
    ] = "",
    project: options.Projects = None,
    mode: Annotated[Mode, Option("--mode", "-m", help="How history is searched; auto uses what exists.")] = "auto",
    decay: options.Decay = "gentle",
    since: options.Since = None,
    agent_id: Annotated[
        str | None, Option("--agent-id", metavar="NAME", help="Name of the asking agent; repeated in the answer.")
    ] = None,
    exclude_session: options.ExcludeSession = None,
    team: options.Team = False,
    budget: Annotated[
        int | None,
        Option(
            "--budget",
            min=MIN_TOKENS,
            max=1_000_000,
            metavar="TOKENS",
            help=f"Maximum size; by default {_TOKENS:,}, as JSON {_JSON_TOKENS:,}, with --full {_FULL} times as much.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    full: Annotated[bool, Option("--full", help="More of everything.", rich_help_panel=options.OUTPUT)] = False,
    explain: Annotated[
        bool,
        Option(
            "--explain",
            help="Give the reason for including or leaving out each candidate.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    manifest: Annotated[
        str | None,
        Option(
            "--manifest",
            metavar="FILE",
            click_type=PATH,
            help="Write the selection into a file, as JSON.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool,
        Option(
            "--force",
            help="Let --manifest replace a file that is not an earlier manifest.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    record: Annotated[
        bool, Option("--record", help="Record that a session began, with its contract, as `aicx resume --start` does.")
    ] = False,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Brief a new session on the work done here: results, failures, open points and where to look first.

    Combines git, the latest sessions of any agent in this repository, search results for the task, and the repository
    map. Each line names its evidence, which `aicx show` opens. Writes nothing into the repository.

    Example: aicx resume
    Example: aicx resume --task "fix the flaky login test"
    Example: aicx resume -t "fix the flaky login test" --budget 1000 --explain
    """
    now = options.now()
    settings = load_settings()
    since_when = parse_instant(since, now) if since else None
    how_to_decay = parse_decay(decay)
    target = _target(manifest, settings, force=force) if manifest else None
    folder = None if project and repo is None else user_path(repo or ".")
    look = GitProbe(Git(folder.absolute())) if folder else None
    # Imported here: git is at work meanwhile.
    from aicx.resume import Limits, ResumeQuery
    from aicx.resume.brief.output import json_brief, markdown_brief
    from aicx.resume.run import resume

    query = ResumeQuery(
        now=now,
        task=task,
        folder=folder,
        project=next(iter(project or ()), None),
        also=tuple((project or ())[1:]),
        mode=mode,
        decay=how_to_decay,
        since=since_when,
        agent=agent_id,
        exclude_session=tuple(filter(None, exclude_session or ())),
        team=sessions_of_team(settings, team=team),
        limits=Limits.full() if full else Limits(),
    )
    report = resume(settings, query, look)
    tokens = budget or (_JSON_TOKENS if json else _TOKENS) * (_FULL if full else 1)
    begun = _record(settings, report, agent_id, now) if record else None
    attempt, capsule = (begun.ref, _keep(settings, report, begun, now)) if begun else (None, None)
    if json:
        written = [str(target)] if target else []
        brief = json_brief(settings, report, tokens, explain=explain, written=written, attempt=attempt, capsule=capsule)
    else:
        brief = markdown_brief(settings, report, tokens)
    if target is not None:
        with replacing(target) as stream:
            stream.write(orjson.dumps(brief.manifest(), option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_INDENT_2))
    console.out_bytes(brief.text)
    console.notify_notes(filter(None, (report.arbiter_note, report.summary_note)))
    if not json:
        if explain:
            _print_manifest(brief.manifest())
        console.notify_notes(report.unavailable)


def _record(settings: Settings, report: ResumeReport, agent: str | None, now: datetime) -> WorkRecord:
    """Records the start of a session."""
    import os

    from aicx.lifecycle.identity import find_asker
    from aicx.work.attempts import begin
    from aicx.work.place import find_place
    from aicx.work.record import Attempt

    if report.folder is None:
        raise UsageError("--record is for a session in a folder", hint="leave --project out, or name a --repo")
    asker = find_asker(os.environ, agent)
    attempt = Attempt(asker.agent, asker.session, report.contract)
    return begin(settings, find_place(settings, Path(report.folder)), report.task, attempt, now, source="resume")


def _keep(settings: Settings, report: ResumeReport, attempt: WorkRecord, now: datetime) -> str | None:
    """Stores the brief beside its contract, and returns its digest; None where it cannot be stored, which is said."""
    from aicx.errors import AicxError, plainly
    from aicx.resume.brief.output import keep_capsule

    try:
        digest = keep_capsule(settings, report, attempt, now, console.notify)
    except (AicxError, OSError) as error:
        console.warn(f"the capsule is not kept: {plainly(error)}")
        return None
    console.notify(f"Kept as {digest} (aicx pack objects get).")
    return digest


def _target(text: str, settings: Settings, *, force: bool) -> Path:
    from aicx.resume.brief.selection_manifest import SCHEMA

    path = user_path(text)
    check_outside(path, settings.corpus_folders)
    check_target(path, SCHEMA.encode(), command="aicx resume", force=force)
    return path


def _print_manifest(manifest: Mapping[str, Any]) -> None:
    # Imported here, as all of it is: git is at work meanwhile.
    from aicx.brief import fenced

    style = console.style
    lines = []
    for entry in manifest["entries"]:
        shown = entry["included"]
        mark = style(f"{shown:<7}", fg={"full": "green", "partial": "yellow"}.get(shown, "red"))
        why = f"left out: {entry['left_out']}" if entry["left_out"] else ", ".join(entry["reasons"])
        score = "     " if entry["score"] is None else f"{entry['score']:5.2f}"
        lines.append(f"{mark} {score} {entry['ref']}  {style(why, dim=True)}")
    console.out()
    console.out(style("Lines, and where they come from", bold=True))
    lines_of = [
        f"{line['section']}: {line['found_by']}; {' '.join(line['refs']) or line['entry']}"
        for line in manifest["lines"]
    ]
    console.out(fenced("\n".join(lines_of) or "none"))
    console.out()
    console.out(style("Considered", bold=True))
    if lines:
        # References hold names from logs and git: they are quoted, too.
        console.out(fenced("\n".join(lines)))
    counts = ", ".join(f"{reason} {count}" for reason, count in manifest["exclusions"]["by_reason"].items())
    used, limit = manifest["budget"]["used"], manifest["budget"]["limit"]
    console.out(f"{len(lines)} considered; {used} of {limit} tokens used; left out: {counts or 'nothing'}")
