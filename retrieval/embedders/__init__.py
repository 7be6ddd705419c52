"""Embedders: they turn texts into vectors. One module each, imported only when it is opened.

None of them imports torch. A model is prepared once while indexing, and queries run the folder that this leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from aicx.errors import UsageError
from aicx.values import dataclass

# A float32 numpy array with one row per text. numpy belongs to an extra, so its types cannot be named here.
Vectors = Any


# MiniLM from its package, as model folders name it. Indexes made before there was this package name `minilm`, the same
# with full precision.
PACKAGED = "minilm-int8"


# A contextual model reads a text in its order, so a token's vector depends on its neighbours. A static one has a vector
# for each token, and a text is their mean, which says the less the longer the text is.
Kind = Literal["contextual", "static"]


class Tokens(NamedTuple):
    """The tokens of a text: a unit vector for each, and the characters of the text it stands for."""

    vectors: Any  # float32 numpy array, a row a token
    starts: Sequence[int]
    stops: Sequence[int]


class Embedder(Protocol):
    """What every embedder offers.

    ``max_tokens`` is how many tokens of text one vector can take in, the model's own marks already taken off.
    ``fingerprint`` changes whenever the same text may get another vector.
    """

    @property
    def kind(self) -> Kind: ...

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of unit length; a text without anything to embed gets zeros."""
        ...

    @property
    def gpu(self) -> str | None:
        """The kind of graphics card that `embed_passages` runs on; None where it runs on none."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, for the many passages of an index: the quickest way whose vectors can be compared with those."""
        ...

    def token_ends(self, texts: Sequence[str]) -> list[list[int]]:
        """For each text, the character after each token that the model sees in it, nothing cut off."""
        ...

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        """The tokens of each text with their vectors; None for an embedder that only gives a vector for a text."""
        ...

    def known_words(self, text: str) -> str:
        """``text`` without words that the model only knows as pieces; all of it where that cannot be told."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Everything an embedder may be told. Each reads what concerns it."""

    models_dir: Path
    model: str | None = None  # a model's name or folder; for `static`, what it was distilled from; None is PACKAGED
    quantized: bool = False
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    max_tokens: int | None = None
    batch_size: int = 64
    requests_per_minute: int | None = None
    retries: int = 5
    timeout: float = 30.0  # seconds
    synonyms: tuple[tuple[str, ...], ...] = ()
    # Called with the folder of an exported model before it is read; raises where that is damaged.
    verify: Callable[[Path], None] = field(default=lambda folder: None, repr=False)


# Each module has a function `load(kind, settings)`. Strings, so that looking at the table imports nothing.
EMBEDDERS: Mapping[str, str] = {
    "minilm": "retrieval.embedders.onnx",
    "static": "retrieval.embedders.static",
    "sentence-transformers": "retrieval.embedders.onnx",
    "http": "retrieval.embedders.http",
}


def open_embedder(kind: str, settings: EmbedderSettings) -> Embedder:
    """The embedder called ``kind``, ready to embed."""
    try:
        module = EMBEDDERS[kind]
    except KeyError:
        raise UsageError(f"There is no embedder {kind!r}.", hint=f"Choose one of: {', '.join(EMBEDDERS)}.") from None
    load: Callable[[str, EmbedderSettings], Embedder] = import_module(module).load
    return load(kind, settings)
