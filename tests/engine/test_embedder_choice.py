"""Which embedder an index is made with, what a person is told of it, and indexes of former releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import indexer.distill
from aicx.engine.embedder_choice import (
    MINILM_MAX_CHUNKS,
    Choice,
    announcement,
    default_choice,
    parse_choice,
    recorded_choice,
    to_manifest,
)
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.vector_index import build_vectors
from aicx.engine.vector_state import made_with, vector_state
from indexer.distill import RECIPE
from indexer.estimate import Estimate
from indexer.models import model_folder
from retrieval.embedders import PACKAGED
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.engine.search_helpers import ask, ignore, keep
from tests.models import write_static
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own

FORMER = Choice("static", "minilm")


def static_model(models: Path, name: str) -> None:
    """A small static model where the indexer would put the one distilled from ``name``."""
    folder = write_static(models, name=name).rename(model_folder(models, "static256", name))
    fields = json.loads((folder / "model.json").read_text())
    assert fields["weighting"]["recipe"] == RECIPE
    (folder / "model.json").write_text(json.dumps({**fields, "fingerprint": f"tiny {name}"}))


@pytest.fixture
def former(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A corpus with an index as a release left it that had no packaged model."""
    require("semantic")
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt("Fix the login redirect loop", 0).answer("The cookie was never renewed.", 1))
    keep(user)
    for name in ("minilm", PACKAGED):
        static_model(user.settings.layout.models, name)
    monkeypatch.setattr(indexer.distill, "find_teacher", lambda name: (name, name))
    build_vectors(user.settings, FORMER, rebuild=False, on_progress=ignore, notify=ignore)
    layout = user.settings.layout
    write_manifest(layout, "vectors", read_manifest(layout)["vectors"] | {"model": None})
    return user


def index(user: Home) -> tuple[list[str], int]:
    """What `aicx index` says, and how many chunks it embedded."""
    lines: list[str] = []
    synced = build_vectors(
        user.settings, made_with(user.settings), rebuild=False, on_progress=ignore, notify=lines.append
    )
    return lines, synced.added


# Indexes of former releases -------------------------------------------------------------------------------------------


def test_a_former_index_answers(former: Home) -> None:
    assert vector_state(former.settings).choice == FORMER
    assert ask(former, "repair login").oracle_status["rankers"] == ["dense", "lexical"]


def test_a_former_index_is_embedded_again_once_and_says_so(former: Home) -> None:
    lines, added = index(former)
    assert lines[0] == "the vector index was made with the static model of a former release; embedding it again"
    assert added == 1
    state = vector_state(former.settings)
    assert (state.choice, state.table.fingerprint) == (Choice("static"), f"tiny {PACKAGED}")
    assert ask(former, "repair login").oracle_status["rankers"] == ["dense", "lexical"]
    assert index(former) == ([], 0)


def test_a_former_index_ended_early_goes_on_with_the_packaged_model(former: Home) -> None:
    def killed(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_vectors(former.settings, made_with(former.settings), rebuild=False, on_progress=killed, notify=ignore)
    assert index(former)[1] == 1
    assert vector_state(former.settings).behind == 0


@pytest.mark.parametrize(
    ("choice", "recorded"),
    [
        (Choice("static"), {"embedder": "static", "model": PACKAGED, "quantized": False}),
        (Choice("minilm"), {"embedder": "minilm", "model": PACKAGED, "quantized": False}),
        (FORMER, {"embedder": "static", "model": None, "quantized": False}),
        (Choice("minilm", "minilm", True), {"embedder": "minilm", "model": None, "quantized": True}),
        (Choice("static", "/srv/bert"), {"embedder": "static", "model": "/srv/bert", "quantized": False}),
        (Choice("http", "m"), {"embedder": "http", "model": "m", "quantized": False}),
    ],
    ids=str,
)
def test_a_record_is_read_as_what_it_was_made_with(choice: Choice, recorded: dict[str, object]) -> None:
    assert recorded_choice(recorded) == choice
    assert recorded_choice(to_manifest(choice)) == choice


@pytest.mark.parametrize(
    ("former", "now"),
    [
        (FORMER, Choice("static")),
        (Choice("minilm", "minilm", True), Choice("minilm")),
        (Choice("sentence-transformers", "minilm"), Choice("sentence-transformers", "minilm")),
        (Choice("static", "/srv/bert"), Choice("static", "/srv/bert")),
    ],
    ids=str,
)
def test_only_a_former_release_s_own_models_are_replaced(former: Choice, now: Choice) -> None:
    assert former.renewed == now


# New indexes ----------------------------------------------------------------------------------------------------------


def test_minilm_is_the_default_where_it_takes_minutes() -> None:
    assert default_choice(0) == default_choice(MINILM_MAX_CHUNKS) == Choice("minilm")
    assert default_choice(MINILM_MAX_CHUNKS + 1) == Choice("static")


@pytest.mark.parametrize("kind", ["minilm", "static"])
def test_packaged_weights_are_not_quantized_again(kind: str) -> None:
    assert parse_choice(kind, None, quantized=True) == parse_choice(kind, "minilm", quantized=False) == Choice(kind)


def test_what_a_new_index_costs_and_gains_is_said() -> None:
    first, gain = announcement(Choice("minilm"), 4382, Estimate(9173, 480.0, 15_100_000))
    assert first == "Embedding 4,382 chunks with minilm: about 8 min, and 15 MB on disk."
    assert "--embedder static" in gain
    assert (
        "on the graphics card (CUDA): about" in announcement(Choice("minilm"), 9, Estimate(9, 4.0, 10), gpu="CUDA")[0]
    )
    assert "--embedder minilm" in announcement(Choice("static"), 20_000, Estimate(42_000, 20.0, 48_000_000))[1]


def test_a_graphics_card_is_named() -> None:
    first, *_ = announcement(Choice("minilm"), 9, Estimate(9, 4.0, 10), gpu="CUDA")
    assert "with minilm on the graphics card (CUDA): about" in first


def test_a_model_of_one_s_own_is_announced_without_figures_of_others() -> None:
    assert announcement(Choice("sentence-transformers", "m"), 1, Estimate(1, 0.2, 10)) == [
        "Embedding 1 chunk with sentence-transformers m: about 1 s, and 1 MB on disk."
    ]
