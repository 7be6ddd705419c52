"""An embedder without a model: the same vector everywhere, and related words land near each other.

Importing this module adds it to the table of embedders as ``test``. Run as a program, it is aicx with that embedder.

A text is the sum of what its words contribute; a word is hashed character trigrams, plus, for words in the synonym
table, a strong direction it shares with its synonyms.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b

from retrieval.embedders import EMBEDDERS, EmbedderSettings, Kind, Tokens, Vectors

EMBEDDERS["test"] = __name__

DIMENSIONS = 64
_WORD = re.compile(r"\w+|[^\w\s]")
# A shared meaning outweighs the spelling, and the spelling still tells two synonyms apart.
_SYNONYM_WEIGHT = 3.0


@dataclass(frozen=True, slots=True)
class DeterministicEmbedder:
    """``groups`` says which group of synonyms a word belongs to."""

    name: str
    dimensions: int
    max_tokens: int
    fingerprint: str
    groups: Mapping[str, str]

    @property
    def kind(self) -> Kind:
        return "static"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text; zeros for a text without words."""
        import numpy as np

        vectors: Vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _words(text):
                for feature, weight in self._features(word):
                    vectors[row] += weight * _direction(feature)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(norms > 0, norms, 1)

    @property
    def gpu(self) -> None:
        return None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def known_words(self, text: str) -> str:
        return text

    def token_ends(self, texts: Sequence[str]) -> list[list[int]]:
        """Words and punctuation marks in each text."""
        return [[match.end() for match in _WORD.finditer(text)] for text in texts]

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        found = [list(_WORD.finditer(text)) for text in texts]
        return [
            Tokens(self.embed([word[0] for word in words]), [m.start() for m in words], [m.end() for m in words])
            for words in found
        ]

    def _features(self, word: str) -> list[tuple[str, float]]:
        padded = f"^{word}$"
        grams = [padded[i : i + 3] for i in range(max(1, len(padded) - 2))]
        features = [(gram, len(grams) ** -0.5) for gram in grams]
        if word in self.groups:
            features.append((f"synonyms of {self.groups[word]}", _SYNONYM_WEIGHT))
        return features


def load(kind: str, settings: EmbedderSettings) -> DeterministicEmbedder:
    """The embedder, with ``settings.synonyms`` as groups of words that mean the same."""
    groups = {word.casefold(): group[0].casefold() for group in settings.synonyms for word in group}
    mark = blake2b(repr(sorted(groups.items())).encode(), digest_size=8).hexdigest()
    return DeterministicEmbedder("test", DIMENSIONS, settings.max_tokens or 64, f"test-1-{mark}", groups)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


@cache
def _direction(feature: str) -> Vectors:
    """A fixed direction with entries of 1 and -1, taken from the bits of a hash."""
    import numpy as np

    bits = int.from_bytes(blake2b(feature.encode(), digest_size=DIMENSIONS // 8).digest(), "big")
    return np.array([1.0 if bits >> i & 1 else -1.0 for i in range(DIMENSIONS)], dtype=np.float32)


if __name__ == "__main__":
    from aicx.cli import run

    sys.exit(run(sys.argv[1:]))
