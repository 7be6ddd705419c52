"""`aicx index status` and `drop`: how far the indexes are behind the corpus, and deleting the one by meaning."""

from __future__ import annotations

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.engine.freshness import index_state
from aicx.engine.index_answer import SCHEMA, IndexDropped
from aicx.engine.vector_index import drop_vectors
from aicx.engine.vector_state import index_answer, lexical_state, vector_state
from aicx.errors import NotFound


def command() -> options.Answered:
    """Show how fresh and how large both indexes are.

    Example: aicx index status
    Example: aicx index status --json
    """
    yield from _print_status(load_settings())


def _print_status(settings: Settings) -> options.Answered:
    """What there is, also when there is nothing: asking is no mistake."""
    words = lexical_state(settings)
    try:
        meaning = vector_state(settings)
    except NotFound as error:
        meaning, reason = None, error.message
    yield SCHEMA, index_answer(words, meaning)
    console.out(f"by words    {index_state(exists=words.exists, behind=words.behind)}{_size(words.size)}")
    if meaning is None:
        console.out(f"by meaning  {reason}")
        console.notify("Next: aicx index")
        return
    console.out(f"by meaning  {index_state(exists=True, behind=meaning.behind)}{_size(meaning.size)}")
    console.out(f"embedder    {meaning.choice.kind} ({meaning.table.model}, {meaning.table.dimensions} dimensions)")
    console.out(f"holds       {meaning.table.rows:,} passages of {len(meaning.table.versions):,} chunks")
    console.out(f"address     {meaning.uri}")
    if meaning.behind != 0:
        console.notify("Next: aicx index")


def _size(size: int | None) -> str:
    return f", {console.size(size)}" if size else ""


def drop() -> options.Answered:
    """Delete the vector index. The corpus and lexical search stay as they are.

    Example: aicx index drop
    Example: aicx index drop --json
    """
    drop_vectors(load_settings(), console.notify)
    yield SCHEMA, IndexDropped(dropped=True)
    console.notify("The vector index is deleted. The corpus and the search by words are as they were.")
