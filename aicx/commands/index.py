"""`aicx index`: the opt-in vector index."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.engine.semantic import build_vectors, drop_vectors, parse_choice, vector_state

if TYPE_CHECKING:
    from indexer.vectors import Progress

SCHEMA = "aicx.index/1"


class Action(StrEnum):
    build = "build"
    status = "status"
    drop = "drop"


def command(
    action: Annotated[Action, typer.Argument(help="build, status, or drop.")] = Action.build,
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAME", help="static, minilm, sentence-transformers, or http.")
    ] = "static",
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="A model's name or folder, where one can be chosen.")
    ] = None,
    quantized: Annotated[bool, typer.Option("--quantized", help="8-bit weights: twice as fast.")] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Start over, as for another model.")] = False,
    json: options.Json = False,
) -> None:
    """Embed the corpus, so that `aicx search` also finds by meaning.

    Nothing of this happens unless you ask for it. Only what changed is embedded, so running it again is cheap; killed
    at any moment, it goes on where it stopped. `aicx index status` says how fresh it is, `aicx index drop` deletes it.

    Example: aicx index
    Example: aicx index --embedder minilm --quantized --rebuild
    Example: aicx index status
    """
    settings = load_settings()
    if action is Action.drop:
        drop_vectors(settings, console.say)
        if json:
            console.out_json(SCHEMA, {"dropped": True})
        else:
            console.say("The vector index is deleted. The corpus and the search by words are as they were.")
        return
    if action is Action.build:
        choice = parse_choice(embedder, model, quantized)
        with console.count_bar("Embedding") as bar:

            def tell(progress: Progress) -> None:
                bar(progress.done, progress.total, f"{progress.rate:,.0f} passages/s")

            synced = build_vectors(settings, choice, rebuild=rebuild, tell=tell, say=console.say)
        if json:
            console.out_json(SCHEMA, asdict(synced))
            return
        new = console.plural(synced.added + synced.changed, "chunk")
        head = console.style("Indexed", fg="green", bold=True)
        console.say(
            f"{head} {new} ({console.plural(synced.passages, 'passage')}) in {synced.seconds:.1f} s;"
            f" {synced.unchanged:,} were up to date, {synced.removed:,} removed."
        )
        console.say('Next: aicx search "a question" --explain')
        return
    state = vector_state(settings)
    behind = "unknown" if state.behind is None else state.behind
    if json:
        fields = {"embedder": state.choice.kind, "model": state.table.model, "uri": state.uri}
        rows = {"passages": state.table.rows, "chunks": len(state.table.versions), "behind": state.behind}
        console.out_json(SCHEMA, fields | rows | {"dimensions": state.table.dimensions})
        return
    console.out(f"embedder   {state.choice.kind} ({state.table.model}, {state.table.dimensions} dimensions)")
    console.out(f"passages   {state.table.rows:,} of {len(state.table.versions):,} chunks")
    console.out(f"behind     {behind} chunks")
    console.out(f"address    {state.uri}")
    if state.behind != 0:
        console.say("Next: aicx index")
