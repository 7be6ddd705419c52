"""`aicx task start`, `update`, `resume` and `close`: what changes the state of a task."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import Here, OptionalTask, TaskArgument, answer
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.work import state
from aicx.work.patch import NewItem, Patch, parse_patch
from aicx.work.record import CLOSINGS, Section

MAX_BYTES = 1_000_000


def _texts(name: str, metavar: str, text: str) -> Any:
    return Option(name, metavar=metavar, help=f"{text}; several times.")


Next = Annotated[str | None, Option("--next", metavar="TEXT", help="What is to be done next; empty for nothing.")]
Hypothesis = Annotated[str | None, Option("--hypothesis", metavar="TEXT", help="What you believe at present.")]
Files = Annotated[
    list[str] | None, Option("--file", metavar="PATH", click_type=PATH, help="A file that is worked on; several times.")
]
Verified = Annotated[list[str] | None, _texts("--verified", "TEXT", "What was proved")]
Unverified = Annotated[list[str] | None, _texts("--unverified", "TEXT", "What is not proved yet")]
Discarded = Annotated[list[str] | None, _texts("--discarded", "TEXT", "What was tried and given up, and why")]
Uncertainties = Annotated[list[str] | None, _texts("--uncertainty", "TEXT", "What is not certain")]
Commands = Annotated[list[str] | None, _texts("--command", "LINE", "A command that helps")]
Risks = Annotated[list[str] | None, _texts("--risk", "TEXT", "What may go wrong")]
Sources = Annotated[list[str] | None, _texts("--source", "REF", "A session or chunk that it is from")]
Evidence = Annotated[list[str] | None, _texts("--evidence", "REF", "What proves all that this call says")]
Drop = Annotated[list[str] | None, _texts("--drop", "TEXT", "An entry to take out, by its text or id")]


def start(
    goal: Annotated[
        str | None, Argument(metavar="[GOAL]", help="What is to be reached; by default the open session's goal.")
    ] = None,
    next_: Next = None,
    hypothesis: Hypothesis = None,
    file: Files = None,
    commands: Commands = None,
    source: Sources = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Begin a task: say in a sentence what is to be reached.

    Starting the same goal again in this folder goes on with the task that is open. Without a goal, the task is made
    from the latest session that was left open: its goal, files, checks, failures and next steps. Secrets are redacted.

    Example: aicx task start "Fix the export of empty files" --next "Reproduce it with tests/data/empty.csv"
    Example: aicx task start
    """
    desk = open_desk(repo)
    patch = Patch(
        hypothesis=hypothesis,
        next_action=next_,
        said={"active_files": paths_from(desk.folder, file), "commands": commands or []},
        sources=source or [],
    )
    from aicx.resume.run import chosen

    found = chosen(desk.settings, desk.place, desk.now)
    written = state.start(desk.settings, desk.place, goal, desk.now, patch=patch, gone_on=found, notify=console.notify)
    yield from answer(written, "Begun:" if written.new else "Open already:")


@options.either("task", "--task", "-t")
def update(
    task: OptionalTask = None,
    next_: Next = None,
    hypothesis: Hypothesis = None,
    goal: Annotated[str | None, Option("--goal", metavar="TEXT", help="The goal, said anew.")] = None,
    title: Annotated[str | None, Option("--title", metavar="TEXT", help="The title, said anew.")] = None,
    file: Files = None,
    verified: Verified = None,
    unverified: Unverified = None,
    discarded: Discarded = None,
    uncertainty: Uncertainties = None,
    commands: Commands = None,
    risk: Risks = None,
    source: Sources = None,
    evidence: Evidence = None,
    drop: Drop = None,
    json_patch: Annotated[
        str | None,
        Option("--json-patch", metavar="JSON", help="The same as an object, named as in `show work:ID --json`."),
    ] = None,
    from_file: Annotated[
        str | None,
        Option("--from-file", metavar="FILE", click_type=PATH, help="Such an object in a file, or - for stdin."),
    ] = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Add to a task what is known by now. Lists grow, and say nothing twice; single values are set.

    TASK is an id, the beginning of one, or a title; without it the task is meant that was last begun here. An entry
    that is verified leaves the list of those that are not. The answer names what changed. A task that was left on a
    branch that is not merged here is not changed.

    Example: aicx task update --verified "the parser accepts empty files" --evidence chunk:019f1fc3:017
    Example: aicx task update fix-the-export --next "Write the changelog" --file src/export.py
    Example: aicx task update --json-patch '{"uncertainties": [{"claim": "Windows", "confidence": "low"}]}'
    """
    desk = open_desk(repo)
    said: dict[Section, Sequence[str]] = {
        "active_files": paths_from(desk.folder, file),
        "verified": verified or [],
        "unverified": unverified or [],
        "discarded_paths": discarded or [],
        "uncertainties": uncertainty or [],
        "commands": commands or [],
        "risks": risk or [],
    }
    patch = parse_patch(read_json(json_patch, from_file))
    patch = replace(
        patch,
        next_action=patch.next_action if next_ is None else next_,
        hypothesis=patch.hypothesis if hypothesis is None else hypothesis,
        goal=patch.goal if goal is None else goal,
        title=patch.title if title is None else title,
        said=_joined(patch, said),
        sources=[*patch.sources, *(source or [])],
        evidence=[*patch.evidence, *(evidence or [])],
        drop=[*patch.drop, *(drop or [])],
    )
    if patch.is_empty:
        raise UsageError("there is nothing to add", hint='aicx task update --next "what is to be done next"')
    written = state.update(desk.settings, desk.place, task, patch, desk.now, notify=console.notify)
    yield from answer(written, "Updated:")


def _joined(patch: Patch, said: dict[Section, Sequence[str]]) -> dict[Section, list[NewItem | str]]:
    sections = dict.fromkeys([*patch.said, *said])
    found = {section: [*patch.said.get(section, ()), *said.get(section, ())] for section in sections}
    return {section: texts for section, texts in found.items() if texts}


@options.either("task", "--task", "-t")
def resume(task: TaskArgument, here: Here = False, repo: options.Repo = None) -> options.Answered:
    """Take a task up again in this folder: one that is open, set aside or closed.

    It is then the one that `aicx task update` means without a name, and holds on the branch that is checked out. A
    task that was left on a branch that is not merged here is refused, unless you add --here, as after a squash merge.

    Example: aicx task resume fix-the-export
    Example: aicx task resume 3fa29c01 --here
    """
    desk = open_desk(repo)
    written = state.resume_task(desk.settings, desk.place, task, desk.now, here=here, notify=console.notify)
    yield from answer(written, "Resumed:")


@options.either("task", "--task", "-t")
def close(
    task: OptionalTask = None,
    status: Annotated[str, Option("--status", metavar="STATUS", help=f"One of {', '.join(CLOSINGS)}.")] = "resolved",
    note: Annotated[str, Option("--note", metavar="TEXT", help="What to remember of how it ended.")] = "",
    here: Here = False,
    repo: options.Repo = None,
) -> options.Answered:
    """Close a task as resolved or abandoned, or set it aside as blocked or paused.

    Without TASK, the task is closed that was last begun here. Closing the same twice changes nothing. With
    `aicx task resume` you take up each of them again.

    Example: aicx task close --status resolved --note "merged as 3fa29c0"
    Example: aicx task close fix-the-export --status blocked --note "waits for the new API"
    """
    closing = options.one_of(status, CLOSINGS, "closes no task", "--status")
    desk = open_desk(repo)
    written = state.close(
        desk.settings, desk.place, task, closing, desk.now, note=note, here=here, notify=console.notify
    )
    yield from answer(written, "Closed:" if not written.record.is_open else "Set aside:")


def paths_from(folder: Path, files: Sequence[str] | None) -> list[str]:
    """Paths as they were written in ``folder``, whole."""
    return [str(folder.absolute() / path) for path in files or []]


def read_json(text: str | None, file: str | None) -> dict[str, Any]:
    """The object of `--json-patch` or of the file of `--from-file`, empty without. Raises UsageError, NotFound."""
    if text is not None and file is not None:
        raise UsageError("--json-patch is without --from-file", hint="leave out one of them")
    if text is None and file is None:
        return {}
    body = _read(file) if file is not None else (text or "").encode("utf-8", "replace")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the patch is not JSON: {error}", hint='such as {"next_action": "run the tests"}') from error
    if not isinstance(found, dict):
        raise UsageError("the patch is not a JSON object", hint='such as {"next_action": "run the tests"}')
    return found


def _read(file: str) -> bytes:
    if file == "-":
        body = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        try:
            with user_path(file).open("rb") as stream:
                body = stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise NotFound(f"{file} cannot be read: {error.strerror}", hint="--from-file PATH, or -") from error
    if len(body) > MAX_BYTES:
        raise UsageError(f"a patch has at most {MAX_BYTES:,} bytes")
    return body
