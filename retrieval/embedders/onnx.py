"""Runs a model with onnxruntime: no torch, and a quick cold start.

Where `indexer.export` made the graph, pooling and normalisation are part of it, so whatever the model's own
configuration says is what runs. A graph that ends with the vectors of tokens is MiniLM's, which takes their mean.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from aicx.errors import MissingExtra, UsageError
from retrieval.embedders import (
    PACKAGED,
    EmbedderSettings,
    Kind,
    Tokens,
    Vectors,
    damaged_model,
    find_model,
    known_words,
    token_ends,
)

# How much padded text goes through the model at a time. Enough to keep every core busy; more only costs cache misses.
_BATCH_TOKENS = 1024
_MAX_BATCH = 64
# A text shorter than this share of a batch's longest begins another batch: padding costs more than a second run does.
_MIN_FILLED = 0.75
# Many passages go through it in smaller batches, each on a core of its own: what a batch needs stays in its cache. A
# graphics card wants large ones.
_PASSAGE_TOKENS, _GPU_TOKENS, _MAX_GPU_BATCH = 256, 16_384, 1024
# Those that need no engine to be built first, the likelier first.
_GPUS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "MIGraphXExecutionProvider", "DmlExecutionProvider")
_CPU = "CPUExecutionProvider"
# A question on the command line takes so many.
_RUNS_UNOPTIMISED = 2


class OnnxEmbedder:
    """The folder exported from ``settings.model``; MiniLM from its package when ``kind`` is `minilm`."""

    kind: Kind = "contextual"

    def __init__(self, kind: str, settings: EmbedderSettings) -> None:
        if kind == "minilm":
            name = settings.model or PACKAGED
        elif settings.model is None:
            raise UsageError(
                "The embedder sentence-transformers needs a model.",
                hint="Name one that sentence-transformers can load, or a folder.",
            )
        else:
            name = _model_name(settings.model)
        model = find_model(settings.models_dir, "onnx", name, quantized=settings.quantized, verify=settings.verify)
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read once, when it is imported
        try:
            import onnxruntime  # noqa: F401 - only asked whether it is there
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra(f"The embedder {kind}", "semantic") from error

        @cache
        def whole() -> Any:
            uncut = Tokenizer.from_file(str(model.tokenizer))
            uncut.no_padding()
            uncut.no_truncation()
            return uncut

        try:
            graph = _Graph(model.weights)
            tokenizer = Tokenizer.from_file(str(model.tokenizer))
        except Exception as error:
            raise damaged_model(model.folder, str(error).splitlines()[0]) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(model.max_tokens + tokenizer.num_special_tokens_to_add(is_pair=False))
        self.name = f"{name}-int8" if model.quantized else name
        self.dimensions, self.max_tokens, self.fingerprint = model.dimensions, model.max_tokens, model.fingerprint
        self._graph, self._tokenizer, self._whole = graph, tokenizer, whole
        self._passages = cache(lambda: _passage_session(model.weights, packaged=name == PACKAGED))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text. A text longer than the model's window is read as far as the window goes."""
        import numpy as np

        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        for rows, mask, found in self._outputs(encodings):
            vectors[rows] = found if found.ndim == 2 else _mean(found, mask)
        return _unit(vectors)

    @property
    def gpu(self) -> str | None:
        provider = str(self._passages().get_providers()[0])
        return None if provider == _CPU else provider.removesuffix("ExecutionProvider")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, for many texts: on every core or the graphics card, and by 8-bit numbers where they are quick.

        There a vector depends a little on the texts beside it, and its cosine to that of `embed` is about 0.99.
        """
        # Imported here, as below: a question has no passages.
        from concurrent.futures import ThreadPoolExecutor

        import numpy as np

        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        session = self._passages()
        names = [item.name for item in session.get_inputs()]

        def fill(rows: list[int]) -> None:
            feeds = _feeds(names, [encodings[row] for row in rows])
            found = session.run(None, feeds)[0]
            vectors[rows] = found if found.ndim == 2 else _mean(found, feeds["attention_mask"])

        lengths = [len(encoding) for encoding in encodings]
        if self.gpu:
            for rows in batches(lengths, _GPU_TOKENS, _MAX_GPU_BATCH):
                fill(rows)
        else:
            with ThreadPoolExecutor(_cores()) as pool:
                list(pool.map(fill, batches(lengths, _PASSAGE_TOKENS)))
        return _unit(vectors)

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        """The tokens of each text without the model's marks; None where the graph ends with a vector for a text."""
        import numpy as np

        if not self._graph.gives_tokens:
            return None
        encodings = self._tokenizer.encode_batch(list(texts))
        tokens = [Tokens(np.zeros((0, self.dimensions), dtype=np.float32), (), ())] * len(texts)
        for rows, _, found in self._outputs(encodings):
            for line, row in enumerate(rows):
                kept = [place for place, mark in enumerate(encodings[row].special_tokens_mask) if not mark]
                spans = [encodings[row].offsets[place] for place in kept]
                vectors = _unit(found[line, kept].astype(np.float32))
                tokens[row] = Tokens(vectors, [start for start, _ in spans], [stop for _, stop in spans])
        return tokens

    def _outputs(self, encodings: Sequence[Any]) -> Iterator[tuple[list[int], Any, Any]]:
        """Runs the model over texts in batches: which texts, their mask, and the graph's output."""
        for rows in batches([len(encoding) for encoding in encodings]):
            feeds = _feeds(self._graph.inputs, [encodings[row] for row in rows])
            yield rows, feeds["attention_mask"], self._graph.run(feeds)

    def known_words(self, text: str) -> str:
        return known_words(self._tokenizer, text)

    def token_ends(self, texts: Sequence[str]) -> list[list[int]]:
        return token_ends(self._whole(), texts)


class _Graph:
    """The model's graph. It is first run as it is, which takes 15 ms to open, and from the third time on optimised.

    To optimise MiniLM takes 120 ms, most of it to unpack the weights, which else happens in each run, in 30 ms.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs = 0
        self._last: tuple[bytes, Any] = b"", None
        self._session = self._opened(optimised=False)
        self.inputs = tuple(item.name for item in self._session.get_inputs())
        self.gives_tokens = len(self._session.get_outputs()[0].shape) == 3

    def run(self, feeds: Mapping[str, Any]) -> Any:
        # A question is embedded whole and by its tokens, one after the other: the same run gives both.
        asked = feeds["input_ids"].tobytes() if len(feeds["input_ids"]) == 1 else b""
        if not asked or asked != self._last[0]:
            self._last = asked, self._run(feeds)
        return self._last[1]

    def _run(self, feeds: Mapping[str, Any]) -> Any:
        self._runs += 1
        if self._runs == _RUNS_UNOPTIMISED + 1:
            self._session = self._opened(optimised=True)
        return self._session.run(None, feeds)[0]

    def _opened(self, *, optimised: bool) -> Any:
        return _session(str(self._path), _cores(), [_CPU], None if optimised else "ORT_DISABLE_ALL")


def _session(graph: str | bytes, threads: int, providers: Sequence[str], level: str | None = None) -> Any:
    """A graph opened; ``level`` names how far it is optimised, all the way where it is None."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Threads that wait for work in a loop take half the time from whatever else runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if level:
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    return onnxruntime.InferenceSession(graph, options, providers=list(providers))


def _passage_session(weights: Path, *, packaged: bool) -> Any:
    """The session for many passages: on a graphics card where onnxruntime has one, else for one core a batch."""
    import onnxruntime

    from retrieval.embedders.minilm_graph import multiplies_bytes, passage_graph

    if gpu := gpu_among(onnxruntime.get_available_providers()):
        session = _session(str(weights), _cores(), [gpu, _CPU])
        if session.get_providers()[0] == gpu:  # it may be named without being there
            return session
    if packaged and multiplies_bytes():
        with suppress(LookupError, ValueError):  # other weights under that name are run as they are
            graph = passage_graph(weights.read_bytes())
            # Optimised further, it would get an operation that takes four times as long as the two in its place.
            return _session(graph, 1, [_CPU], "ORT_ENABLE_BASIC")
    return _session(str(weights), 1, [_CPU])


def gpu_among(available: Sequence[str]) -> str | None:
    """The provider of onnxruntime's that runs a model on a graphics card, if there is one."""
    return next((name for name in _GPUS if name in available), None)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _feeds(names: Sequence[str], encodings: Sequence[Any]) -> dict[str, Any]:
    """The inputs of a graph for some texts, as wide as the longest of them."""
    import numpy as np

    width = max(map(len, encodings))
    feeds: dict[str, Any] = {name: np.zeros((len(encodings), width), dtype=np.int64) for name in names}
    for line, encoding in enumerate(encodings):
        length = len(encoding)
        feeds["input_ids"][line, :length] = encoding.ids
        feeds["attention_mask"][line, :length] = 1
        if "token_type_ids" in feeds:
            feeds["token_type_ids"][line, :length] = encoding.type_ids
    return feeds


def _mean(tokens: Any, mask: Any) -> Any:
    """The mean of each text's token vectors, padding left out."""
    kept = mask[:, :, None].astype(tokens.dtype)
    return (tokens * kept).sum(axis=1) / kept.sum(axis=1)


def _unit(vectors: Any) -> Any:
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)


def _model_name(model: str) -> str:
    """A folder is known by its full path, anything else by the name it has."""
    folder = Path(model).expanduser()
    return str(folder.resolve()) if folder.is_dir() else model


def batches(lengths: Sequence[int], tokens: int = _BATCH_TOKENS, most: int = _MAX_BATCH) -> Iterator[list[int]]:
    """Rows of similar length together, longest first, so that little of a batch is padding.

    ``tokens`` is how many a batch has with its padding, and ``most`` how many rows.
    """
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        longest = lengths[batch[0]] if batch else 0
        full = len(batch) == most or (len(batch) + 1) * longest > tokens
        if batch and (full or lengths[row] < _MIN_FILLED * longest):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


load = OnnxEmbedder
