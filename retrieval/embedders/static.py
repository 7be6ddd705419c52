"""A static model: one vector per token, a text is the mean of its tokens. Plain numpy, and fast.

How much each token counts is already part of its vector (see `indexer.distill`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.errors import MissingExtra
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

# Tokens summed at a time: bounds the copy of table rows to some 30 MB.
_SLICE_TOKENS = 32_768


class StaticEmbedder:
    """The model distilled from ``settings.model``, from the packaged MiniLM unless told otherwise.

    Its table is mapped, not read: a question touches a few rows of it.
    """

    kind: Kind = "static"
    gpu = None

    def __init__(self, kind: str, settings: EmbedderSettings) -> None:
        teacher = settings.model or PACKAGED
        model = find_model(settings.models_dir, "static", teacher, verify=settings.verify)
        try:
            import numpy as np
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra(f"The embedder {kind}", "semantic") from error
        try:
            table = np.load(model.weights, mmap_mode="r", allow_pickle=False)
            tokenizer = Tokenizer.from_file(str(model.tokenizer))
        except Exception as error:
            raise damaged_model(model.folder, str(error).splitlines()[0]) from error
        if table.ndim != 2 or table.shape != (tokenizer.get_vocab_size(), model.dimensions):
            raise damaged_model(model.folder, f"its table has the shape {table.shape}")
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.name, self.dimensions, self.fingerprint = f"static-{teacher}", model.dimensions, model.fingerprint
        self.max_tokens = settings.max_tokens or model.max_tokens
        self._table, self._tokenizer = table, tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; zeros for a text without tokens. Texts of any length are read whole."""
        import numpy as np

        vectors: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start, stop, tokens in self._slices(texts):
            lengths = np.array([len(ids) for ids in tokens])
            rows = np.flatnonzero(lengths)
            if not len(rows):
                continue
            flat = np.fromiter((token for ids in tokens for token in ids), dtype=np.int64, count=int(lengths.sum()))
            starts = np.concatenate(([0], np.cumsum(lengths[rows])[:-1]))
            sums = np.add.reduceat(self._table[flat], starts, axis=0, dtype=np.float32)
            norms = np.linalg.norm(sums, axis=1, keepdims=True)
            vectors[start:stop][rows] = sums / np.where(norms > 0, norms, 1)
        return vectors

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def known_words(self, text: str) -> str:
        return known_words(self._tokenizer, text)

    def token_ends(self, texts: Sequence[str]) -> list[list[int]]:
        return token_ends(self._tokenizer, texts)

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        """The tokens of each text that say something."""
        import numpy as np

        tokens = []
        for encoding in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            rows = np.asarray(self._table[encoding.ids], dtype=np.float32).reshape(-1, self.dimensions)
            norms = np.linalg.norm(rows, axis=1)
            kept = np.flatnonzero(norms)
            offsets = encoding.offsets  # which it makes anew whenever it is asked
            spans = [offsets[place] for place in kept.tolist()]
            vectors = rows[kept] / norms[kept, None]
            tokens.append(Tokens(vectors, [start for start, _ in spans], [stop for _, stop in spans]))
        return tokens

    def _slices(self, texts: Sequence[str]) -> Iterator[tuple[int, int, list[list[int]]]]:
        """Runs of texts with their token ids, each run about ``_SLICE_TOKENS`` long."""
        start, total = 0, 0
        held: list[list[int]] = []
        for row, encoding in enumerate(self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)):
            held.append(encoding.ids)
            total += len(held[-1])
            if total >= _SLICE_TOKENS:
                yield start, row + 1, held
                start, total, held = row + 1, 0, []
        if held:
            yield start, len(texts), held


load = StaticEmbedder
