"""Exports a sentence-transformers model to ONNX, once, so that questions need neither torch nor seconds of start-up."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aicx.errors import AicxError, MissingExtra
from indexer.models import (
    TOKENIZER,
    find_teacher,
    fingerprint_of,
    is_complete,
    load_teacher,
    model_folder,
    new_folder,
    write_manifest,
)

OPSET = 17
TOLERANCE = 1e-4
_FULL, _INT8 = "model.onnx", "model.int8.onnx"

# What an export is compared on: nothing, one letter, prose, code, other scripts, emoji, and more than any window holds.
PROBES = (
    "",
    "a",
    "Fix the login redirect loop",
    "The quick brown fox jumps over the lazy dog.",
    "def parse(line: str) -> int:\n    return int(line, 16)",
    "src/aicx/corpus/ingest/chunker.py:42: error: Incompatible return value type",
    "Wie lange dauert der Umzug nach Köln?",
    "数据库连接超时 请稍后重试",
    "Ошибка подключения к базе данных",
    "🎉🚀👩‍💻 shipped!",
    "0xDEADBEEF 12-40 #1337 foo_bar fooBar",
    "word " * 700,
    "The retry policy gives up too early. " * 60,
)


class ExportDiffers(AicxError):
    """The exported model does not answer what the original answers."""


def export_model(name_or_folder: str, models_dir: Path, *, quantized: bool = False, download: bool = False) -> Path:
    """The folder of the exported model, made if it is not there yet.

    Holds the graph (pooling and normalisation included), ``tokenizer.json`` and ``model.json``. With ``quantized`` the
    weights are 8-bit integers, and ``model.json`` says how far its vectors stray from the original's.
    """
    teacher = find_teacher(name_or_folder)
    name, _ = teacher
    folder = model_folder(models_dir, "int8" if quantized else "onnx", name)
    if is_complete(folder):
        return folder
    if find_spec("onnxruntime") is None or (quantized and find_spec("onnx") is None):
        raise MissingExtra(f"Exporting the model {name}", "models")
    model = load_teacher(teacher, models_dir, download=download)
    expected = _unit(model.encode(list(PROBES), batch_size=1, show_progress_bar=False))
    with new_folder(folder) as work:
        model.tokenizer.backend_tokenizer.save(str(work / TOKENIZER))
        tokenizer = _plain_tokenizer(work / TOKENIZER)
        tokenizer.save(str(work / TOKENIZER))
        _write_graph(model, work / _FULL)
        window = int(model.max_seq_length or model.tokenizer.model_max_length)
        found = _run(work / _FULL, tokenizer, window)
        _check(name, expected, found)
        deviation = 0.0
        if quantized:
            _quantize(work / _FULL, work / _INT8)
            (work / _FULL).unlink()
            found = _run(work / _INT8, tokenizer, window)
            deviation = max(0.0, float(1 - (expected * found).sum(axis=1).min()))
        write_manifest(
            work,
            {
                "format": "onnx",
                "name": name,
                "quantized": quantized,
                "dimensions": int(expected.shape[1]),
                "max_tokens": window - tokenizer.num_special_tokens_to_add(is_pair=False),
                "pooling": _pooling(model),
                "normalise": any(type(module).__name__ == "Normalize" for module in model),
                "weights": _INT8 if quantized else _FULL,
                "fingerprint": fingerprint_of(model, (work / TOKENIZER).read_bytes(), "int8" if quantized else "fp32"),
                "opset": OPSET,
                "max_cosine_deviation": round(deviation, 6),
            },
        )
    return folder


def _plain_tokenizer(path: Path) -> Any:
    """The tokenizer without the truncation and padding it was last used with: those are the embedder's business."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _write_graph(model: Any, path: Path) -> None:
    """The whole pipeline as one graph, from token ids to the sentence's vector, for any batch and length."""
    import torch

    encoded = model.tokenizer(["hello world", "a somewhat longer text beside it"], padding=True, return_tensors="pt")
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in encoded]

    class Pipeline(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:
            return self.model(dict(zip(names, inputs, strict=True)))["sentence_embedding"]

    axes = {name: {0: "batch", 1: "tokens"} for name in names} | {"sentence_embedding": {0: "batch"}}
    with torch.no_grad(), warnings.catch_warnings():
        # The tracer warns about branches it freezes. Whether the result is right is checked below, not guessed.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Pipeline().eval(),
            tuple(encoded[name] for name in names),
            str(path),
            input_names=names,
            output_names=["sentence_embedding"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,  # the other exporter needs onnxscript and writes weights to a file beside the graph
        )


def _quantize(source: Path, target: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(str(source), str(target), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def _run(path: Path, tokenizer: Any, window: int) -> Any:
    """Unit vectors of the probes, once alone and once in one padded batch; the batch's where they agree."""
    import numpy as np
    import onnxruntime

    tokenizer.enable_truncation(window)
    encodings = tokenizer.encode_batch(list(PROBES))
    tokenizer.no_truncation()
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    wanted = [item.name for item in session.get_inputs()]

    def run(batch: Sequence[Any]) -> Any:
        width = max(len(encoding) for encoding in batch)
        feeds: dict[str, Any] = {name: np.zeros((len(batch), width), dtype=np.int64) for name in wanted}
        for row, encoding in enumerate(batch):
            values = {
                "input_ids": encoding.ids,
                "attention_mask": encoding.attention_mask,
                "token_type_ids": encoding.type_ids,
            }
            for name in wanted:
                feeds[name][row, : len(encoding)] = values[name]
        return _unit(session.run(None, feeds)[0])

    alone = np.concatenate([run([encoding]) for encoding in encodings])
    together = run(encodings)
    # Quantised activations are scaled by batch, so only the full model must not care about its neighbours.
    return together if path.name == _INT8 or np.abs(alone - together).max() <= TOLERANCE else alone * np.nan


def _check(name: str, expected: Any, found: Any) -> None:
    import numpy as np

    if expected.shape != found.shape or not np.abs(expected - found).max() <= TOLERANCE:
        raise ExportDiffers(
            f"The exported model {name} does not give the vectors the original gives.",
            hint="Choose another model, and report this one.",
        )


def _unit(vectors: Any) -> Any:
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)


def _pooling(model: Any) -> str | None:
    for module in model:
        if type(module).__name__ == "Pooling":
            config: dict[str, Any] = json.loads(json.dumps(module.get_config_dict()))
            return str(config.get("pooling_mode") or next((key for key, on in config.items() if on is True), None))
    return None
