"""Distils a model into a static one: a vector for every token, and a text is their mean.

The recipe is Model2Vec's: embed every token of the vocabulary by itself, keep the main directions (PCA), and weigh
rare tokens above common ones (SIF, with a token's rank standing in for its frequency).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.values import dataclass
from indexer.models import (
    MANIFEST,
    TOKENIZER,
    find_teacher,
    is_complete,
    load_teacher,
    model_folder,
    new_folder,
    packaged_weights,
    wordpiece_tokenizer,
    write_manifest,
)

_TABLE = "table.npy"
_SIF = 1e-4  # smaller pushes common words down harder; the value of the SIF and Model2Vec papers
# Raised when the same model would be distilled into another table: one that was made otherwise is made anew.
RECIPE = 2
_BATCH = 256
_WORD_STARTS = "\u0120\u2581"  # how byte-level and SentencePiece tokenizers mark that a word begins
# A static model has no window, but the mean of too many words says nothing. Why this many is in
# docs/decisions/static-embedder.md.
PASSAGE_TOKENS = 254


@dataclass(frozen=True, slots=True)
class TokenModel:
    """The part of a model that distilling needs. ``tokenizer`` is one of `tokenizers`, without truncation and padding.

    ``run`` takes token ids (rows of texts, all of one length) and gives a vector for each: rows x length x dimensions.
    """

    tokenizer: Any
    run: Callable[[Any], Any]


def distill_static(
    model: str,
    models_dir: Path,
    dimensions: int = 256,
    *,
    silent: Collection[str] = (),
    starting: Callable[[], None] = lambda: None,
    download: bool = False,
) -> Path:
    """The folder of the static model distilled from the sentence-transformers model ``model``, see `distill`."""
    teacher = find_teacher(model)

    def load() -> TokenModel:
        return _torch_model(load_teacher(teacher, models_dir, download=download))

    return distill(teacher[0], load, models_dir, dimensions, silent=silent, starting=starting)


def distill(
    name: str,
    load: Callable[[], TokenModel],
    models_dir: Path,
    dimensions: int = 256,
    *,
    silent: Collection[str] = (),
    starting: Callable[[], None] = lambda: None,
) -> Path:
    """The folder of the static model called ``name``, made from what ``load`` gives if it is not there yet.

    Same input, same bytes. ``silent`` are words that shall say nothing, in lower case; ``starting`` is called before
    the long part begins.
    """
    folder = model_folder(models_dir, f"static{dimensions}", name)
    if is_complete(folder) and _recipe_of(folder) == RECIPE:
        return folder
    import numpy as np

    model = load()
    starting()
    with new_folder(folder) as work:
        model.tokenizer.save(str(work / TOKENIZER), pretty=False)
        table = _weighted(_main_directions(_token_vectors(model), dimensions))
        table[_meaningless(model.tokenizer, silent)] = 0
        np.save(work / _TABLE, table)
        write_manifest(
            work,
            {
                "format": "static",
                "name": name,
                "quantized": False,
                "dimensions": int(table.shape[1]),
                "max_tokens": PASSAGE_TOKENS,
                "pooling": "mean",
                "normalise": True,
                "weights": _TABLE,
                "fingerprint": sha256(table.tobytes() + (work / TOKENIZER).read_bytes()).hexdigest(),
                "weighting": {"sif": _SIF, "recipe": RECIPE},
            },
        )
    return folder


def packaged_minilm() -> TokenModel:
    """MiniLM as it comes in its package."""
    tokenizer, weights = wordpiece_tokenizer(), packaged_weights()
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read once, when it is imported
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def run(ids: Any) -> Any:
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return session.run(None, feeds)[0]

    return TokenModel(tokenizer, run)


def _torch_model(model: Any) -> TokenModel:
    import torch
    from tokenizers import Tokenizer

    fields = json.loads(model.tokenizer.backend_tokenizer.to_str())
    fields["truncation"] = fields["padding"] = None

    def run(ids: Any) -> Any:
        tensor = torch.from_numpy(ids)
        features = {"input_ids": tensor, "attention_mask": torch.ones_like(tensor)}
        if "token_type_ids" in model.tokenizer.model_input_names:
            features["token_type_ids"] = torch.zeros_like(tensor)
        with torch.no_grad():
            return model(features)["token_embeddings"].numpy()

    return TokenModel(Tokenizer.from_str(json.dumps(fields, ensure_ascii=False)), run)


def _recipe_of(folder: Path) -> object:
    try:
        return json.loads((folder / MANIFEST).read_bytes())["weighting"]["recipe"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _token_vectors(model: TokenModel) -> Any:
    """Embeds each token on its own, between the marks it puts around a text."""
    import numpy as np

    size = model.tokenizer.get_vocab_size()
    around = model.tokenizer.encode("").ids  # the marks alone; a token's place is in their middle
    slot = len(around) // 2
    around.insert(slot, 0)
    rows = []
    for start in range(0, size, _BATCH):
        ids = np.tile(np.array(around, dtype=np.int64), (min(size, start + _BATCH) - start, 1))
        ids[:, slot] = np.arange(start, start + len(ids))
        rows.append(model.run(ids).mean(axis=1, dtype=np.float64))
    return np.concatenate(rows)


def _main_directions(vectors: Any, dimensions: int) -> Any:
    """The vectors, centred, in the basis of their ``dimensions`` largest principal components."""
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    basis = directions[:, ::-1][:, :dimensions]
    # An eigenvector's sign is arbitrary; fixing it keeps the result the same wherever it is computed.
    signs = np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])])
    return centred @ (basis * signs)


def _weighted(vectors: Any) -> Any:
    """Each vector times its SIF weight. Vocabularies are sorted by frequency, so a rank gives one by Zipf's law."""
    import numpy as np

    shares = 1 / (np.arange(len(vectors)) + 2)
    weights = _SIF / (_SIF + shares / shares.sum())
    return (vectors * weights[:, None]).astype(np.float32)


def _meaningless(tokenizer: Any, silent: Collection[str]) -> list[int]:
    """Tokens that say nothing about a text: marks, unknowns, punctuation, lone letters and digits, silent words, places
    kept free.

    A mean has no grammar. Left in, ``how do you`` makes questions alike, ``( ) :`` makes code alike, and the letters
    and digits that a hash falls into make hashes alike.
    """
    nothing = {number for number, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    for token, number in tokenizer.get_vocab().items():
        plain = token.lstrip(_WORD_STARTS).removeprefix("##")
        lone = len(plain) == 1 and plain.isascii()
        if lone or not any(map(str.isalnum, plain)) or plain.lower() in silent or token.startswith("[unused"):
            nothing.add(number)
    return sorted(nothing)
