"""`aicx index drop`: deletes the vector index."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.index import SCHEMA, IndexDropped
from aicx.config import load_settings
from aicx.engine.vector_index import drop_vectors


def command(json: options.Json = False) -> None:
    """Delete the vector index. The corpus and lexical search stay as they are."""
    drop_vectors(load_settings(), console.notify)
    if json:
        console.out_answer(SCHEMA, IndexDropped(dropped=True))
    else:
        console.notify("The vector index is deleted. The corpus and the search by words are as they were.")
