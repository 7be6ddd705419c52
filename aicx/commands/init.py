"""`aicx init`: sets the agents of a repository up, so that they know its history without being asked to."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Annotated, Literal

from aicx import console, options
from aicx.agents import LANES
from aicx.agents.change import SetupChange, diff
from aicx.agents.plan import apply, place_of, plan_init
from aicx.agents.table import AGENTS, on_this_machine
from aicx.config import Settings, load_settings
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.questions import Option
from aicx.values import dataclass

SCHEMA = "aicx.init/1"
CLEAN_SCHEMA = "aicx.clean/1"
UNINSTALL_SCHEMA = "aicx.uninstall/1"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, as it was changed or would be."""

    file: Annotated[str, "its path"]
    action: Annotated[Literal["created", "changed", "deleted", "unchanged"], "what was done to the file"]
    diff: Annotated[list[str], "lines of a unified diff, secrets replaced"]


@dataclass(frozen=True, slots=True)
class InitAnswer:
    """The files of one repository's agents."""

    folder: Annotated[str, "the repository's working folder"]
    agents: Annotated[list[str], "the agents that are set up in it; none after `--undo`"]
    dry_run: bool
    files: Annotated[list[FileChange], "each file"]
    next: Annotated[list[str], "what a person has to do for each agent"]
    continuity: Annotated[bool, "whether notes of continuity are saved and shown by themselves"] = False
    shared: Annotated[bool, "whether the files are meant to be committed"] = False
    recall: Annotated[list[str], "where sessions are told of earlier ones unasked: `prompt`, `command`, `edit`"] = (
        field(default_factory=list)
    )


@dataclass(frozen=True, slots=True)
class UninstallAnswer:
    """Everything that `aicx init` and `aicx init --mcp` put anywhere."""

    folders: Annotated[list[str], "working folders from which everything was taken out"]
    dry_run: bool
    files: Annotated[list[FileChange], "each file"]
    failed: Annotated[list[str], "what could not be changed, and why"]


_COLORS = {"+": "green", "-": "red", "@": "cyan"}
DryRun = Annotated[bool, Option("--dry-run", help="Show the changes without making them.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]


def command(
    repo: options.Repo = None,
    agents: Annotated[
        str | None,
        Option(
            "--agents",
            metavar="NAMES",
            help="claude,codex,gemini,copilot,cursor,generic; by default those used on this machine.",
        ),
    ] = None,
    continuity: Annotated[
        bool | None,
        Option(
            "--continuity/--no-continuity",
            help="Save a note at the end of each session and show it to the next; on unless it was switched off.",
        ),
    ] = None,
    shared: Annotated[
        bool | None,
        Option(
            "--shared/--not-shared",
            help="Write the files for all who work in the repository, to be committed; by default for this machine.",
        ),
    ] = None,
    recall: Annotated[
        str | None,
        Option(
            "--recall",
            metavar="LANES",
            help="Where sessions are told of earlier ones unasked: prompt,command,edit; `all`; or `none`, as at first.",
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
    """Give the agents of a repository its history: a brief at the start of each session, and logs stored at its end.

    With hooks, a note of what is open is saved at the end of each session and shown to the next, unless --no-continuity
    switches that off.

    Puts a short block into AGENTS.md, CLAUDE.md, GEMINI.md, .github/copilot-instructions.md and a rule of Cursor, and
    hooks into the settings of Claude Code, Codex and Gemini CLI. Shows the changes and asks. Nothing else in these
    files changes, running it again changes nothing, and `aicx init --undo` takes everything out again.

    With --recall, sessions are told of an earlier one also without asking, where the evidence is strong: at a prompt,
    after a command that failed, and before an edit of a file. It is off until it is switched on, lane by lane.

    Files that it makes are for this machine, and git is told to leave them aside (.git/info/exclude). With --shared
    they are meant to be committed: their hooks call the aicx on the PATH, and do nothing where there is none.

    Example: aicx init
    Example: aicx init --agents claude,codex --dry-run
    Example: aicx init --repo ~/src/orbit --yes
    Example: aicx init --no-continuity
    Example: aicx init --recall all
    Example: aicx init --shared
    """
    settings = load_settings()
    place = place_of(settings, user_path(repo or "."))
    names = _names(agents) if agents is not None else on_this_machine(settings, place.root)
    if not names:
        raise UsageError(
            "no agent has left traces on this machine", hint=f"name some: aicx init --agents {','.join(AGENTS)}"
        )
    lanes = _lanes(recall) if recall is not None else None
    plan = plan_init(settings, place, names, continuity=continuity, for_team=shared, recall=lanes)
    if not json:
        with console.may_stay_unread(yes):
            show(plan.changes)
    if not dry_run:
        confirm(plan.changes, yes=yes)
        apply(settings, plan)
        if plan.recall:
            _index_reminders(settings)
    steps = [f"{AGENTS[name].title}: {AGENTS[name].next}" for name in names if AGENTS[name].next]
    if plan.for_team:
        steps.append("git: commit the files; each person then runs `aicx init` once, and without aicx they do nothing")
    if plan.needs_path and shutil.which("aicx") is None:
        steps.append("aicx: put it on the PATH; until then the hooks that name nothing of this machine do nothing")
    if json:
        files = files_of(plan.changes)
        answer = InitAnswer(
            str(plan.folder), plan.agents, dry_run, files, steps, plan.continuity, plan.for_team, list(plan.recall)
        )
        console.out_answer(SCHEMA, answer)
        return
    titles = ", ".join(AGENTS[name].title for name in names)
    if plan.is_empty:
        console.notify(f"{titles}: set up already; nothing to change.")
    elif dry_run:
        console.notify("Nothing was changed; without --dry-run it would be.")
    else:
        console.notify(f"{titles}: set up in {plan.folder}.")
        for step in steps:
            console.notify(f"Next, {step}.")
    if not dry_run:
        state = "on: a note is saved at the end of each session, and shown to the next" if plan.continuity else "off"
        console.notify(f"Continuity is {state}.")
        console.notify(f"Recall is {'on: ' + ', '.join(plan.recall) if plan.recall else 'off'}.")


def _index_reminders(settings: Settings) -> None:
    """Makes what recall asks, as `store` does from now on."""
    from aicx.reminders.building import refresh_reminders

    with suppress(NotFound):  # nothing is stored yet
        refresh_reminders(settings)


def show(changes: Iterable[SetupChange]) -> None:
    """The changes as diffs on stdout."""
    for change in changes:
        if change.action == "unchanged":
            continue
        for line in diff(change):
            console.out(console.style(line, fg=_COLORS.get(line[:1])))


def confirm(changes: Iterable[SetupChange], *, yes: bool) -> None:
    """Asks at a terminal. Raises UsageError elsewhere, unless nothing changes or the answer was given."""
    if yes or all(change.action == "unchanged" for change in changes):
        return
    options.need_person("the changes need a confirmation", "add --yes, or --dry-run to look first")
    console.confirm("Make these changes?")


def files_of(changes: Iterable[SetupChange]) -> list[FileChange]:
    return [FileChange(str(change.path), change.action, list(diff(change))) for change in changes]


def _lanes(text: str) -> Sequence[str]:
    names = list(dict.fromkeys(filter(None, (name.strip().lower() for name in text.split(",")))))
    if names in (["all"], ["none"]):
        return list(LANES) if names == ["all"] else []
    unknown = [name for name in names if name not in LANES]
    if unknown or not names:
        raise UsageError(
            f"--recall: unknown {', '.join(unknown) or 'empty list'}", hint=f"known: {', '.join(LANES)}, all, none"
        )
    return [lane for lane in LANES if lane in names]


def _names(text: str) -> Sequence[str]:
    names = list(dict.fromkeys(filter(None, (name.strip().lower() for name in text.split(",")))))
    unknown = [name for name in names if name not in AGENTS]
    if unknown or not names:
        raise UsageError(f"--agents: unknown {', '.join(unknown) or 'empty list'}", hint=f"known: {', '.join(AGENTS)}")
    return names
