"""`aicx index build`: embeds the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.api.answers.index import SCHEMA, index_built
from aicx.config import Settings, load_settings
from aicx.engine.embedder_choice import MINILM_MAX_CHUNKS, Choice, parse_choice
from aicx.engine.forgetting import complete_forgetting
from aicx.engine.vector_index import build_vectors, made_with

if TYPE_CHECKING:
    from indexer.vectors import Progress
    from indexer.vectors import Synced as Synced


def command(
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="minilm, static (light), sentence-transformers, or http; by default the index's own, for a new one"
            f" minilm, beyond {MINILM_MAX_CHUNKS:,} chunks static.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="A model's name or folder, for embedders that take one."),
    ] = None,
    quantized: Annotated[
        bool, typer.Option("--quantized", help="8-bit weights, for a model of your own: twice as fast.")
    ] = False,
    download: Annotated[
        bool, typer.Option("--download", help="Download a model that is not on this machine from its hub.")
    ] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Start over, for example with another model.")] = False,
    json: options.Json = False,
) -> None:
    """Embed the corpus, so that `aicx search` also matches by meaning.

    aicx embeds nothing until you call this. Only changed chunks are embedded, so running it again is cheap, and after a
    kill it continues where it stopped. `aicx index status` shows how current it is, `aicx index drop` deletes it.

    An index that an earlier release made with its own MiniLM or static model is embedded again with the packaged one.

    Example: aicx index
    Example: aicx index --embedder static --rebuild
    """
    settings = load_settings()
    complete_forgetting(settings, console.notify)
    choice = parse_choice(embedder, model, quantized) if embedder or model or quantized else made_with(settings)
    synced = embed(settings, choice, rebuild=rebuild, download=download)
    if settings.layout.memory.is_dir():
        from aicx.memory.recall.meaning import embed_statements

        embed_statements(settings)
    if json:
        console.out_answer(SCHEMA, index_built(synced))
    else:
        print_indexed(synced)


def embed(settings: Settings, choice: Choice, *, rebuild: bool = False, download: bool = False) -> Synced:
    """Brings the vector index up to date while a bar shows how far it is."""
    with console.count_bar("Embedding") as bar:

        def on_progress(progress: Progress) -> None:
            bar(progress.done, progress.total, f"{progress.rate:,.0f} passages/s")

        return build_vectors(
            settings, choice, rebuild=rebuild, on_progress=on_progress, notify=console.notify, download=download
        )


def print_indexed(synced: Synced) -> None:
    """What was embedded, for people."""
    new = console.plural(synced.added + synced.changed, "chunk")
    head = console.style("Indexed", fg="green", bold=True)
    console.notify(
        f"{head} {new} ({console.plural(synced.passages, 'passage')}) in {synced.seconds:.1f} s;"
        f" {synced.unchanged:,} were up to date, {synced.removed:,} removed."
    )
    console.notify('Next: aicx search "a question" --explain')
