"""`aicx index`: the opt-in vector index."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.engine.answers import INDEX, index_fields
from aicx.engine.vector_index import build_vectors, drop_vectors, lexical_state, made_with, parse_choice, vector_state
from aicx.errors import NotFound

if TYPE_CHECKING:
    from indexer.vectors import Progress


class Action(StrEnum):
    build = "build"
    status = "status"
    drop = "drop"


def command(
    action: Annotated[Action, typer.Argument(help="build, status, or drop.")] = Action.build,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="static, minilm, sentence-transformers, or http; else the index's own, or static for a new one.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="A model's name or folder, where one can be chosen.")
    ] = None,
    quantized: Annotated[bool, typer.Option("--quantized", help="8-bit weights: twice as fast.")] = False,
    download: Annotated[
        bool, typer.Option("--download", help="Let a model that is not on this machine be fetched from its hub.")
    ] = False,
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
            console.out_json(INDEX, {"dropped": True})
        else:
            console.say("The vector index is deleted. The corpus and the search by words are as they were.")
        return
    if action is Action.build:
        choice = parse_choice(embedder, model, quantized) if embedder or model or quantized else made_with(settings)
        with console.count_bar("Embedding") as bar:

            def tell(progress: Progress) -> None:
                bar(progress.done, progress.total, f"{progress.rate:,.0f} passages/s")

            synced = build_vectors(settings, choice, rebuild=rebuild, tell=tell, say=console.say, download=download)
        if json:
            console.out_json(INDEX, asdict(synced))
            return
        new = console.plural(synced.added + synced.changed, "chunk")
        head = console.style("Indexed", fg="green", bold=True)
        console.say(
            f"{head} {new} ({console.plural(synced.passages, 'passage')}) in {synced.seconds:.1f} s;"
            f" {synced.unchanged:,} were up to date, {synced.removed:,} removed."
        )
        console.say('Next: aicx search "a question" --explain')
        return
    _print_status(settings, json)


def _print_status(settings: Settings, json: bool) -> None:
    """What there is, also when there is nothing: asking is no mistake."""
    words = lexical_state(settings)
    try:
        meaning = vector_state(settings)
    except NotFound as error:
        meaning, reason = None, error.message
    if json:
        console.out_json(INDEX, index_fields(words, meaning))
        return
    console.out(f"by words    {_freshness(words.exists, words.behind)}{_size(words.size)}")
    if meaning is None:
        console.out(f"by meaning  {reason}")
        console.say("Next: aicx index")
        return
    console.out(f"by meaning  {_freshness(True, meaning.behind)}{_size(meaning.size)}")
    console.out(f"embedder    {meaning.choice.kind} ({meaning.table.model}, {meaning.table.dimensions} dimensions)")
    console.out(f"holds       {meaning.table.rows:,} passages of {len(meaning.table.versions):,} chunks")
    console.out(f"address     {meaning.uri}")
    if meaning.behind != 0:
        console.say("Next: aicx index")


def _freshness(exists: bool, behind: int | None) -> str:
    if not exists:
        return "none"
    if behind is None:
        return "made for another corpus"
    return f"{console.plural(behind, 'chunk')} behind" if behind else "up to date"


def _size(size: int | None) -> str:
    return f", {console.size(size)}" if size else ""
