"""`aicx task update`: adds to a task what is known by now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import OptionalTask, answer
from aicx.commands.task.said import (
    Commands,
    Discarded,
    Drop,
    Evidence,
    Files,
    Hypothesis,
    Next,
    Risks,
    Sources,
    Uncertainties,
    Unverified,
    Verified,
    paths_from,
    read_json,
)
from aicx.errors import UsageError
from aicx.work.patch import Patch, Said, parse_patch
from aicx.work.record import Section
from aicx.work.state import update


@options.either("task", "--task", "-t")
def command(
    task: OptionalTask = None,
    next_: Next = None,
    hypothesis: Hypothesis = None,
    goal: Annotated[str | None, typer.Option("--goal", metavar="TEXT", help="The goal, said anew.")] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title, said anew.")] = None,
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
        typer.Option("--json-patch", metavar="JSON", help="The same as an object, named as in `task show --json`."),
    ] = None,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from-file", metavar="FILE", click_type=options.PATH, help="Such an object in a file, or - for stdin."
        ),
    ] = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
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
    written = update(desk.settings, desk.place, task, patch, desk.now, notify=console.notify)
    answer(written, "Updated:", json=json)


def _joined(patch: Patch, said: dict[Section, Sequence[str]]) -> dict[Section, list[Said | str]]:
    sections = dict.fromkeys([*patch.said, *said])
    found = {section: [*patch.said.get(section, ()), *said.get(section, ())] for section in sections}
    return {section: texts for section, texts in found.items() if texts}
