"""Which embedder an index is made with, and its model, made the first time it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aicx.config import Settings
from aicx.engine.damage import record_model, remove_damaged_models, verify_model
from aicx.errors import UsageError
from aicx.text import plural
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS
from retrieval.embedders import EMBEDDERS, PACKAGED, Embedder, EmbedderSettings, open_embedder

if TYPE_CHECKING:
    from indexer.estimate import Estimate

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
        from indexer.minilm import prepare_minilm

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
