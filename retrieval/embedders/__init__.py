"""Embedders: they turn texts into vectors. One module each, imported only when it is opened.

None of them imports torch. A model is prepared once while indexing, and queries run the folder that this leaves: one
below ``models_dir``, described by its ``model.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from aicx.errors import CorpusDamaged, NotFound, UsageError
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
    """The contract of every embedder.

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


# Each module has `load(kind, settings)`. Strings, so that looking at the table imports nothing.
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


SCHEMA = "aicx.model/1"
MANIFEST = "model.json"

Format = Literal["onnx", "static"]


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """One exported model. ``name`` is what it was exported from."""

    folder: Path
    format: Format
    name: str
    quantized: bool
    dimensions: int
    max_tokens: int
    fingerprint: str
    weights: Path
    tokenizer: Path


def find_model(
    models_dir: Path,
    format: Format,
    name: str,
    *,
    quantized: bool = False,
    verify: Callable[[Path], None] = lambda folder: None,
) -> ExportedModel:
    """The model exported from ``name``. ``NotFound`` when that has not happened yet; ``verify`` is given its folder."""
    for model in _models(models_dir):
        if (model.format, model.name, model.quantized) == (format, name, quantized):
            verify(model.folder)
            for path in (model.weights, model.tokenizer):
                if not path.is_file():
                    raise damaged_model(model.folder, f"{path.name} is missing")
            return model
    what = {"onnx": "prepared", "static": "distilled"}[format]
    variant = " with int8 weights" if quantized else ""
    raise NotFound(
        f"The model {name} has not been {what}{variant} yet: {models_dir} does not hold it.",
        hint="Run `aicx index` with this embedder once: it prepares the model.",
    )


def damaged_model(folder: Path, reason: str) -> CorpusDamaged:
    """The error for a model folder that cannot be used."""
    return CorpusDamaged(
        f"The model in {folder} cannot be used: {reason}.",
        hint=f"Delete {folder} and run `aicx index` again. It prepares the model anew, so nothing is lost.",
    )


def _models(models_dir: Path) -> Iterator[ExportedModel]:
    # A name with a dot in front belongs to an export under way, or to one that was killed.
    for path in sorted(models_dir.glob(f"[!.]*/{MANIFEST}")):
        try:
            fields = json.loads(path.read_bytes())
            if fields["schema"] == SCHEMA:
                yield _model(path.parent, fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged_model(path.parent, f"{MANIFEST} is not what it should be") from error


def _model(folder: Path, fields: dict[str, Any]) -> ExportedModel:
    return ExportedModel(
        folder=folder,
        format=fields["format"],
        name=str(fields["name"]),
        quantized=bool(fields["quantized"]),
        dimensions=int(fields["dimensions"]),
        max_tokens=int(fields["max_tokens"]),
        fingerprint=str(fields["fingerprint"]),
        weights=folder / str(fields["weights"]),
        tokenizer=folder / "tokenizer.json",
    )


def known_words(tokenizer: Any, text: str) -> str:
    """``text`` without words that fall into pieces, which WordPiece tokenizers mark with ``##``."""
    words = text.split()
    encodings = tokenizer.encode_batch(words, add_special_tokens=False)
    return " ".join(
        word
        for word, encoding in zip(words, encodings, strict=True)
        if not any(token.startswith("##") for token in encoding.tokens)
    )


def token_ends(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    """The character after each token of each text, for a tokenizer that cuts nothing off."""
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [[stop for _, stop in encoding.offsets] for encoding in encodings]
