"""all-MiniLM-L6-v2 as ChromaDB wants to find it, made from the packaged weights: nothing is fetched."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from indexer.models import MINILM, find_teacher, load_teacher, new_folder

_OPSET = 17


def export_for_chroma(folder: Path) -> None:
    """Writes the graph and the tokenizer's files into ``folder``.

    ChromaDB pools and normalises by itself, so the graph ends with the vectors of tokens, unlike our own export.
    """
    model = load_teacher(find_teacher(MINILM), folder.parent, download=False)
    transformer, tokenizer = model[0].auto_model, model.tokenizer
    with new_folder(folder) as work:
        tokenizer.save_pretrained(str(work))
        transformer.config.to_json_file(str(work / "config.json"))
        vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
        (work / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in vocabulary), "utf-8")
        special = work / "special_tokens_map.json"
        if not special.exists():  # older releases of the tokenizer write it, newer ones do not; it is only looked for
            special.write_text("{}")
        _write_graph(transformer, tokenizer, work / "model.onnx")


def _write_graph(transformer: Any, tokenizer: Any, path: Path) -> None:
    import torch

    names = ("input_ids", "attention_mask", "token_type_ids")
    encoded = tokenizer(["hello world", "a somewhat longer text beside it"], padding=True, return_tensors="pt")

    class Tokens(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, *inputs: Any) -> Any:
            return self.transformer(**dict(zip(names, inputs, strict=True))).last_hidden_state

    axes: dict[str, dict[int, str]] = {name: {0: "batch", 1: "tokens"} for name in (*names, "last_hidden_state")}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's, about branches it freezes
        torch.onnx.export(
            Tokens().eval(),
            tuple(encoded[name] for name in names),
            str(path),
            input_names=list(names),
            output_names=["last_hidden_state"],
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,  # the other exporter needs onnxscript
        )
