"""`aicx search --in memory`: what the memory has on a question."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import typer

from aicx import console, options
from aicx.commands.memory.outside import Outside, Owner, Paths, named_outside
from aicx.config import load_settings
from aicx.errors import UsageError


def command(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="What is to be done, or asked.")],
    limit: options.Limit = 8,
    with_evidence: Annotated[
        bool, typer.Option("--with-evidence", help="Also passages of stored sessions; they are evidence, never agreed.")
    ] = False,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind; several times.")
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="STATUS", help="Also what is stale, superseded or archived; several times."),
    ] = None,
    decay: Annotated[
        Literal["off", "gentle", "strong"],
        typer.Option("--decay", help="How much to prefer what was stated or confirmed lately."),
    ] = "gentle",
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep an event with the references that were shown, for `memory check eval`."),
    ] = False,
    repo: options.Repo = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="The records of all repositories.")] = False,
    outside: Outside = False,
    path: Paths = None,
    source: Owner = None,
    json: options.Json = False,
) -> None:
    """Say what the memory and the instruction files of a repository have on a question, and what may be believed.

    What a person accepted is agreed. What a file such as CLAUDE.md says is guidance, read as it is now. A candidate is
    shown as one, and believed by nobody. What is stale, superseded, archived or blocked is left out, and counted; as
    JSON every considered reference is listed with its reasons. Where nothing fits well, that is said.

    Example: aicx search --in memory how are exports authorised
    Example: aicx search --in memory "retry limit" --with-evidence --json
    """
    from aicx.commands.memory.recalled import print_answer
    from aicx.memory.assess import Status
    from aicx.memory.recall.asking import RecallQuery
    from aicx.memory.recall.run import Recaller
    from aicx.memory.record import KINDS

    for what, given, known in (("kind", kind, KINDS), ("status", status, get_args(Status))):
        for word in given or ():
            if word not in known:
                raise UsageError(f"{word!r} is not a {what}", hint=f"one of {', '.join(known)}")
    named = named_outside(outside, path, source)
    settings = load_settings()
    with Recaller(settings) as recaller:
        query = RecallQuery(
            " ".join(question),
            options.now(),
            recaller.scope(options.folder(repo)),
            limit,
            everywhere,
            tuple(kind or ()),
            frozenset(status or ()),
            with_evidence,
            named,
            decay,
        )
        answer = recaller.recall(query)
    if record:
        from aicx.memory.recall.run import record_recall

        record_recall(settings, answer, query.now, console.notify)
    print_answer(answer, json=json)
