"""`aicx index status`: the existing indexes and how far they are behind the corpus."""

from __future__ import annotations

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.engine.answers import INDEX, index_fields
from aicx.engine.vector_index import lexical_state, vector_state
from aicx.errors import NotFound


def command(json: options.Json = False) -> None:
    """Show how fresh and how large both indexes are."""
    _print_status(load_settings(), json)


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
