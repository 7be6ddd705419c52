"""Which embedder an index is made with; its model, made when it is first used; and how near chance comes with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aicx.config import Settings
from aicx.engine.index_manifest import read_manifest
from aicx.engine.vector_files import TABLES, record_model, remove_damaged_models, verify_model
from aicx.errors import UsageError
from aicx.text import plural
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS
from retrieval.embedders import EMBEDDERS, PACKAGED, Embedder, EmbedderSettings, open_embedder

if TYPE_CHECKING:
    from indexer.estimate import Estimate
    from indexer.vector_table import EmbeddingModel


Notify = Callable[[str], None]

_PACKAGED_KINDS = ("minilm", "static")
# What an index records that was made before MiniLM came in a package: the same model, with full precision.
_FORMER_MODEL = "minilm"
# Up to this many chunks a new index is made with MiniLM, which takes some minutes on two cores; beyond, with static.
MINILM_MAX_CHUNKS = 10_000
# What each gains and what the other one is. The figures are those of docs/decisions/default-embedder.md.
_GAIN = "MRR@10 of code asked for in other words (CoSQA): 0.33 without meaning, 0.35 with static, 0.51 with minilm"
_ADVICE = {
    "minilm": f"{_GAIN}. For seconds instead of minutes: aicx index --embedder static --rebuild",
    "static": f"{_GAIN}. minilm takes some twenty times as long: aicx index --embedder minilm --rebuild",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which embedder an index is made with; a model of None is the packaged one for embedders that have one."""

    kind: str = "static"
    model: str | None = None
    quantized: bool = False

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.model, "int8" if self.quantized else None)))

    @property
    def renewed(self) -> Choice:
        """The same embedder with the packaged model, where this is a former release's choice."""
        former = self.kind in _PACKAGED_KINDS and self.model == _FORMER_MODEL
        return Choice(self.kind) if former else self


def recorded_choice(made: Mapping[str, Any]) -> Choice:
    """The choice that `to_manifest` wrote into an index's manifest, or that a former release did."""
    kind, model = str(made["embedder"]), made.get("model")
    if kind in _PACKAGED_KINDS:
        model = None if model == PACKAGED else model or _FORMER_MODEL
    return Choice(kind, model, bool(made.get("quantized")))


def to_manifest(choice: Choice) -> dict[str, Any]:
    """The fields by which `recorded_choice` knows a choice again."""
    model = choice.model or (PACKAGED if choice.kind in _PACKAGED_KINDS else None)
    return {"embedder": choice.kind, "model": model, "quantized": choice.quantized}


def default_choice(chunks: int) -> Choice:
    """Chooses the embedder for an index of this many chunks, where a person did not."""
    return Choice("minilm" if chunks <= MINILM_MAX_CHUNKS else "static")


def announcement(choice: Choice, chunks: int, cost: Estimate, present: int = 0, gpu: str | None = None) -> list[str]:
    """For people: what an index will be made with, what that costs and gains, and what else there is.

    ``present`` is the size in bytes of the index that there is, which the new one replaces, and ``gpu`` the kind of
    graphics card that is used.
    """
    duration = f"{cost.seconds / 60:,.0f} min" if cost.seconds >= 90 else f"{max(1.0, cost.seconds):.0f} s"
    megabytes = max(1, round(cost.size / 1e6))
    beside = f" in place of {max(1, round(present / 1e6)):,} MB" if present else ""
    on = f" on the graphics card ({gpu})" if gpu else ""
    what = f"Embedding {plural(chunks, 'chunk')} with {choice}{on}"
    lines = [f"{what}: about {duration}, and {megabytes:,} MB on disk{beside}."]
    if choice in map(Choice, _ADVICE):
        lines.append(_ADVICE[choice.kind])
    return lines


def parse_choice(kind: str | None, model: str | None, quantized: bool) -> Choice:
    kind = Choice().kind if kind is None else kind
    if kind not in EMBEDDERS:
        raise UsageError(f"there is no embedder {kind!r}", hint=f"choose one of {', '.join(EMBEDDERS)}")
    if kind == "sentence-transformers" and not model:
        raise UsageError("which model?", hint="--model NAME or --model FOLDER")
    if kind in _PACKAGED_KINDS and model in (None, _FORMER_MODEL):
        return Choice(kind)  # its weights have 8 bits as they are
    return Choice(kind, model, quantized)


def prepare_embedder(
    settings: Settings, choice: Choice, notify: Notify, *, download: bool = False, full: bool = False
) -> Embedder:
    """The embedder, its model exported or distilled first where that has not been done yet, or where it is damaged."""
    remove_damaged_models(settings.layout, full=full)
    folder = _prepared_model(settings.layout.models, choice, notify, download=download)
    if folder is not None:
        record_model(folder)
    return open_embedder(choice.kind, embedder_settings(settings, choice))


def _prepared_model(models: Path, choice: Choice, notify: Notify, *, download: bool) -> Path | None:
    """The folder of the model that ``choice`` names, made if it is not there; None for an embedder without one."""
    if choice.kind == "static":
        from indexer.distill import distill, distill_static, packaged_minilm

        def starting() -> None:
            notify("the first time a static model is distilled, which takes about half a minute")

        if choice.model is not None:
            return distill_static(choice.model, models, silent=STOP_WORDS, starting=starting, download=download)

        return distill(PACKAGED, packaged_minilm, models, silent=STOP_WORDS, starting=starting)
    if choice.kind == "minilm" and choice.model is None:
        from indexer.models import prepare_minilm

        return prepare_minilm(PACKAGED, models)
    if choice.kind in ("minilm", "sentence-transformers") and choice.model:
        from indexer.export import export_model

        return export_model(choice.model, models, quantized=choice.quantized, download=download)
    return None


def embedder_settings(settings: Settings, choice: Choice) -> EmbedderSettings:
    http = settings.embedding
    return EmbedderSettings(
        models_dir=settings.layout.models,
        model=choice.model,
        quantized=choice.quantized,
        base_url=http.base_url,
        key=http.key,
        dimensions=http.dimensions,
        requests_per_minute=http.requests_per_minute,
        retries=http.retries,
        verify=verify_model,
    )


class CorpusEmbedder(NamedTuple):
    """``near`` is how near chance comes in the corpus, None where that was not measured."""

    embedder: Embedder
    near: float | None

    @property
    def make(self) -> str:
        """Another one whenever the same text may get another vector."""
        return f"{self.embedder.fingerprint}/{self.embedder.dimensions}"


def open_corpus_embedder(settings: Settings) -> CorpusEmbedder | None:
    """The embedder of the corpus, None where it has no vector index. Raises AicxError where it cannot be opened."""
    made = read_manifest(settings.layout).get("vectors")
    if not made or "embedder" not in made:
        return None
    choice = recorded_choice(made)
    return CorpusEmbedder(open_embedder(choice.kind, embedder_settings(settings, choice)), made.get("near"))


# Tool output costs five times the embedding and finds nothing more: docs/decisions/static-embedder.md.
_MIN_WEIGHT = 0.5

# By kind of embedder: tokens of a window, how many of them are repeated in the next, and up to how many a text is one
# window: docs/decisions/windows-and-fusion.md.
_WINDOWS = {"contextual": (64, 8, 128), "static": (16, 4, 0)}


def model_of(embedder: Embedder, windows: tuple[int, int, int] | None = None) -> EmbeddingModel:
    """An embedder as an index is made with it: what counts little, tool output, is not embedded.

    ``windows`` are other tokens of a window, of its overlap and of a whole text than those of its kind.
    """
    from indexer.passages import Windows
    from indexer.vector_table import EmbeddingModel

    tokens, overlap, whole = windows or _WINDOWS[embedder.kind]
    return EmbeddingModel(
        embedder.name,
        embedder.fingerprint,
        embedder.dimensions,
        Windows(min(tokens, embedder.max_tokens), overlap, min(whole, embedder.max_tokens)),
        embedder.embed_passages,
        embedder.token_ends,
        _MIN_WEIGHT,
    )


def calibrate_noise(uri: str, embedder: Embedder, table: str = TABLES[0]) -> float | None:
    """How near the nearest passages come to unrelated questions: the 95th percentile of their scores.

    What a ranker by meaning finds is always nearest to something. An answer that no word speaks for has to be nearer
    than this to be one. None for an index without passages.
    """
    from importlib.resources import files
    from statistics import quantiles

    from retrieval.dense import DenseSearcher, Unusable

    text = files("aicx").joinpath("data/unrelated.txt").read_text("utf-8")
    try:
        searcher = DenseSearcher(uri, table, embedder)
        # Embedded together: an endpoint may allow few requests a minute. As passages are: the process that embedded
        # those need not open the model once more, which would double its memory.
        scores = searcher.nearest_scores(embedder.embed_passages(_lines(text)))
    except Unusable:
        return None
    return round(quantiles(scores, n=20)[-1], 4) if len(scores) > 1 else None


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]
