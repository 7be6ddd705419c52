"""Small models in the layout the indexer writes, for tests that must not wait for a real one."""

from __future__ import annotations

import json
from pathlib import Path

from indexer.distill import RECIPE
from retrieval.embedders import PACKAGED
from tests.parts import require

WORDS = ("fix", "repair", "login", "the", "redirect", "loop", "parser", "of", "dates", "!", "naïve", "数", "据")


def write_static(models_dir: Path, *, name: str = PACKAGED, dimensions: int = 8) -> Path:
    """A static model whose words point in fixed random directions; `fix` and `repair` nearly in one."""
    require("semantic")
    import numpy as np
    import tokenizers

    folder = models_dir / "static-tiny"
    folder.mkdir(parents=True)
    vocabulary = {"[UNK]": 0, **{word: number + 1 for number, word in enumerate(WORDS)}}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(7).normal(size=(len(vocabulary), dimensions)).astype(np.float32)
    table[0] = 0
    table[vocabulary["repair"]] = table[vocabulary["fix"]] * 0.9 + 0.05
    np.save(folder / "table.npy", table)
    # As the indexer marks a table that need not be made anew.
    write_manifest(
        folder,
        format="static",
        name=name,
        dimensions=dimensions,
        weights="table.npy",
        weighting={"recipe": RECIPE},
    )
    return folder


def write_manifest(folder: Path, **fields: object) -> None:
    body = {
        "schema": "aicx.model/1",
        "quantized": False,
        "max_tokens": 32,
        "fingerprint": "tiny",
        **fields,
    }
    (folder / "model.json").write_text(json.dumps(body))


def save_tiny_bert(folder: Path) -> Path:
    """A sentence-transformers model of some thousand random weights, saved where it can be loaded by folder."""
    require("models")
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers import models as parts
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(3)
    folder.mkdir(parents=True)
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary += [word for word in WORDS if len(word) > 1]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), "utf-8")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), vocab_file=str(folder / "vocab.txt"))
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    BertModel(config).eval().save_pretrained(folder / "bert")
    tokenizer.save_pretrained(folder / "bert")
    bert = parts.Transformer(str(folder / "bert"), max_seq_length=32)
    pooling = parts.Pooling(32)
    SentenceTransformer(modules=[bert, pooling, parts.Normalize()], device="cpu").save(str(folder / "whole"))
    return folder / "whole"
