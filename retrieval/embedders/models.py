"""Exported models on disk: folders under ``models_dir``, each described by its ``model.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from aicx.errors import CorpusDamaged, NotFound
from aicx.values import dataclass

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
