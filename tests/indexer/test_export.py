"""Exporting and distilling: the same answers as the original, the same bytes every time, and never half a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import indexer.export
from aicx.errors import NotFound
from indexer.distill import distill_static
from indexer.export import ExportDiffers, export_model
from indexer.models import load_teacher
from retrieval.embedders import EmbedderSettings, open_embedder
from tests.models import save_tiny_bert
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # torch warns about itself

TEXTS = ["", "fix the login", "def parse(line): return 1", "🎉 naïve", "the " * 300]


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("models", "semantic")
    return save_tiny_bert(tmp_path_factory.mktemp("teacher") / "tiny")


@pytest.fixture(scope="module")
def models_dir(teacher: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    export_model(str(teacher), folder)
    export_model(str(teacher), folder, quantized=True)
    distill_static(str(teacher), folder, 16)
    return folder


def original(teacher: Path, texts: list[str]) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(teacher), device="cpu").encode(texts, normalize_embeddings=True)


def test_export_gives_the_vectors_of_the_original(teacher: Path, models_dir: Path) -> None:
    embedder = open_embedder("sentence-transformers", EmbedderSettings(models_dir, model=str(teacher)))
    assert embedder.embed(TEXTS) == pytest.approx(original(teacher, TEXTS), abs=1e-4)


def test_quantised_export_says_how_far_it_strays(teacher: Path, models_dir: Path) -> None:
    fields = json.loads((export_model(str(teacher), models_dir, quantized=True) / "model.json").read_text())
    settings = EmbedderSettings(models_dir, model=str(teacher), quantized=True)
    cosines = (open_embedder("sentence-transformers", settings).embed(TEXTS) * original(teacher, TEXTS)).sum(axis=1)
    assert 0 < fields["max_cosine_deviation"] < 0.2
    assert 1 - cosines.min() < 0.2


def test_variants_have_fingerprints_of_their_own(models_dir: Path) -> None:
    prints = [json.loads(path.read_text())["fingerprint"] for path in models_dir.glob("*/model.json")]
    assert len(set(prints)) == len(prints) == 3


def test_a_model_is_exported_once(teacher: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.export, "load_teacher", None)
    assert export_model(str(teacher), models_dir).is_dir()


def test_window_and_dimensions_are_the_models(teacher: Path, models_dir: Path) -> None:
    embedder = open_embedder("sentence-transformers", EmbedderSettings(models_dir, model=str(teacher)))
    assert (embedder.dimensions, embedder.max_tokens) == (32, 30)


def test_an_export_that_differs_leaves_nothing(teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sentence_transformers import SentenceTransformer

    encode = SentenceTransformer.encode
    monkeypatch.setattr(SentenceTransformer, "encode", lambda *words, **options: encode(*words, **options) + 0.001)
    with pytest.raises(ExportDiffers):
        export_model(str(teacher), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("models")
def test_an_unknown_model_is_not_found_and_not_downloaded(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        export_model("nobody/no-such-model", tmp_path)


def test_a_distilled_model_answers(teacher: Path, models_dir: Path) -> None:
    embedder = open_embedder("static", EmbedderSettings(models_dir, model=str(teacher)))
    same, near, far = embedder.embed(["fix the login", "fix the login !", "parser of dates"])
    assert embedder.dimensions == 16
    assert float(same @ near) > float(same @ far)


def test_distilling_again_gives_the_same_bytes(teacher: Path, models_dir: Path, tmp_path: Path) -> None:
    again = distill_static(str(teacher), tmp_path, 16)
    first = models_dir / again.name
    assert (again / "table.npy").read_bytes() == (first / "table.npy").read_bytes()


def test_marks_and_unknowns_have_no_direction(teacher: Path, models_dir: Path) -> None:
    embedder = open_embedder("static", EmbedderSettings(models_dir, model=str(teacher)))
    assert not embedder.embed(["[UNK]", "数据"])[1].any()


def test_nothing_is_downloaded_unless_asked(models_dir: Path) -> None:
    assert models_dir.is_dir()
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_a_model_made_by_another_recipe_is_made_anew(teacher: Path, models_dir: Path, tmp_path: Path) -> None:
    again = distill_static(str(teacher), tmp_path, 16)
    manifest = json.loads((again / "model.json").read_bytes())
    manifest["weighting"]["recipe"] = 1
    (again / "model.json").write_text(json.dumps(manifest))
    starts: list[int] = []
    distill_static(str(teacher), tmp_path, 16, starting=lambda: starts.append(1))
    distill_static(str(teacher), tmp_path, 16, starting=lambda: starts.append(1))
    assert starts == [1]


@pytest.mark.needs("models")
def test_what_is_downloaded_goes_into_the_models_folder_and_is_found_there(tmp_path, monkeypatch):
    import sentence_transformers as library

    asked = []

    def unreachable(source: str, **options: object) -> None:
        asked.append((options["local_files_only"], options["cache_folder"]))
        raise OSError("no such model")

    monkeypatch.setattr(library, "SentenceTransformer", unreachable)
    for name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_XET"):
        monkeypatch.setenv(name, "1")  # which are set in this very process, and so taken back
    downloads = tmp_path / "downloads"
    for download in (False, True):
        with pytest.raises(NotFound):
            load_teacher(("someone/some-model", "someone/some-model"), tmp_path, download=download)
    (downloads / "models--someone--some-model").mkdir(parents=True)
    with pytest.raises(NotFound):
        load_teacher(("someone/some-model", "someone/some-model"), tmp_path, download=False)
    assert asked == [(True, None), (False, str(downloads)), (True, str(downloads))]
