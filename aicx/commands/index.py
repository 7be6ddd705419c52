"""`aicx index`: embeds the corpus, shows how far the indexes are behind it, and deletes the one by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.commands.results import NOTHING_STORED
from aicx.config import Settings, load_settings
from aicx.engine.embedder_choice import MINILM_MAX_CHUNKS, Choice, parse_choice
from aicx.engine.index_answer import SCHEMA, IndexDropped, IndexGain, index_built
from aicx.engine.index_manifest import index_state
from aicx.engine.vector_index import build_vectors, drop_vectors
from aicx.engine.vector_state import index_answer, lexical_state, made_with, vector_state
from aicx.errors import NotFound
from aicx.questions import Option

if TYPE_CHECKING:
    from indexer.vectors import ReportsProgress
    from indexer.vectors import Synced as Synced


_COMPARE = "All embedders compared: aicx bench run -d own -r aicx -r aicx:static -r aicx:minilm"


def build_index(
    embedder: Annotated[
        str | None,
        Option(
            "--embedder",
            metavar="NAME",
            help="minilm, static (light), sentence-transformers, or http; by default the index's own, for a new one"
            f" minilm, beyond {MINILM_MAX_CHUNKS:,} chunks static.",
        ),
    ] = None,
    model: Annotated[
        str | None, Option("--model", metavar="NAME", help="A model's name or folder, for embedders that take one.")
    ] = None,
    quantized: Annotated[
        bool, Option("--quantized", help="8-bit weights, for a model of your own: twice as fast.")
    ] = False,
    download: Annotated[
        bool, Option("--download", help="Download a model that is not on this machine from its hub.")
    ] = False,
    rebuild: Annotated[bool, Option("--rebuild", help="Start over, for example with another model.")] = False,
    gain: Annotated[
        bool | None,
        Option(
            "--gain/--no-gain",
            help="Measure what meaning gains on your own history, in some seconds; by default for a new index.",
        ),
    ] = None,
) -> options.Answered:
    """Embed the corpus, so that `aicx search` also matches by meaning.

    aicx embeds nothing until you call this. Only changed chunks are embedded, so running it again is cheap, and after a
    kill it continues where it stopped. `aicx index status` shows how current it is, `aicx index drop` deletes it.

    An index that an earlier release made with its own MiniLM or static model is embedded again with the packaged one.

    Example: aicx index
    Example: aicx index --embedder static --rebuild
    """
    # Imported here: the other actions only look.
    from aicx.bench.gain import measure_gain
    from aicx.engine.forgetting import complete_forgetting

    settings = load_settings()
    complete_forgetting(settings, console.notify)
    choice = parse_choice(embedder, model, quantized) if embedder or model or quantized else made_with(settings)
    synced = embed(settings, choice, rebuild=rebuild, download=download)
    if settings.layout.memory.is_dir():
        from aicx.memory.recall.meaning import embed_statements

        embed_statements(settings)
    is_new = synced.added > 0 and not synced.unchanged
    # An endpoint is only asked forty more questions where that is wanted: it may allow few requests a minute.
    wanted = is_new and choice.kind != "http" if gain is None else gain
    measured = measure_gain(settings) if wanted else None
    yield SCHEMA, index_built(synced, measured)
    print_indexed(synced)
    # Unless it was asked for, too few questions are not worth a line.
    if measured is not None and (measured.more is not None or gain):
        console.notify(gain_line(measured))


def embed(settings: Settings, choice: Choice, *, rebuild: bool = False, download: bool = False) -> Synced:
    """Brings the vector index up to date while a bar shows how far it is."""
    with console.count_bar("Embedding") as bar:

        def on_progress(progress: ReportsProgress) -> None:
            bar(progress.done, progress.total, f"{progress.rate:,.0f} passages/s")

        return build_vectors(
            settings, choice, rebuild=rebuild, on_progress=on_progress, notify=console.notify, download=download
        )


def print_indexed(synced: Synced) -> None:
    """Prints for people what was embedded."""
    new = console.plural(synced.added + synced.changed, "chunk")
    if not (synced.added or synced.changed or synced.unchanged or synced.removed):
        console.notify(NOTHING_STORED)
        return
    head = console.style("Indexed", fg="green", bold=True)
    console.notify(
        f"{head} {new} ({console.plural(synced.passages, 'passage')}) in {synced.seconds:.1f} s;"
        f" {synced.unchanged:,} were up to date, {synced.removed:,} removed."
    )
    console.notify('Next: aicx search "a question" --explain')


def gain_line(gain: IndexGain) -> str:
    """Returns what meaning gains on one's own history, in one sentence."""
    mined = f"{console.plural(gain.questions, 'question')} mined from your own history"
    if gain.words is None or gain.both is None or gain.more is None:
        return f"{mined}: too few to say what meaning gains there. {_COMPARE}"
    more = f"{gain.more.mean:+.2f} (95 % interval {gain.more.low:+.2f} to {gain.more.high:+.2f})"
    return (
        f"{mined}: the right session's MRR@10 is {gain.words.mean:.2f} by words alone and {gain.both.mean:.2f} with"
        f" meaning, {more}. {_COMPARE}"
    )


def show_status() -> options.Answered:
    """Show how fresh and how large both indexes are.

    Example: aicx index status
    Example: aicx index status --json
    """
    yield from _show_status(load_settings())


def _show_status(settings: Settings) -> options.Answered:
    """Returns what there is, also when there is nothing: asking is no mistake."""
    words = lexical_state(settings)
    try:
        meaning = vector_state(settings)
    except NotFound as error:
        meaning, reason = None, error.message
    yield SCHEMA, index_answer(words, meaning)
    console.out(f"by words    {index_state(exists=words.exists, behind=words.behind)}{_size_of(words.size)}")
    if meaning is None:
        console.out(f"by meaning  {reason}")
        console.notify("Next: aicx index")
        return
    console.out(f"by meaning  {index_state(exists=True, behind=meaning.behind)}{_size_of(meaning.size)}")
    console.out(f"embedder    {meaning.choice.kind} ({meaning.table.model}, {meaning.table.dimensions} dimensions)")
    console.out(f"holds       {meaning.table.rows:,} passages of {len(meaning.table.versions):,} chunks")
    console.out(f"address     {meaning.uri}")
    if meaning.behind != 0:
        console.notify("Next: aicx index")


def _size_of(size: int | None) -> str:
    return f", {console.size(size)}" if size else ""


def drop_index() -> options.Answered:
    """Delete the vector index. The corpus and lexical search stay as they are.

    Example: aicx index drop
    Example: aicx index drop --json
    """
    drop_vectors(load_settings(), console.notify)
    yield SCHEMA, IndexDropped(dropped=True)
    console.notify("The vector index is deleted. The corpus and the search by words are as they were.")
