"""Exported models: found by name, and said to be missing or damaged when they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.errors import CorpusDamaged, NotFound, UsageError
from retrieval.embedders import EmbedderSettings, open_embedder
from tests.models import write_static


@pytest.mark.parametrize("kind", ["minilm", "static"])
def test_a_model_that_was_never_exported_says_what_to_run(tmp_path: Path, kind: str) -> None:
    with pytest.raises(NotFound) as raised:
        open_embedder(kind, EmbedderSettings(tmp_path / "models"))
    assert "aicx index" in str(raised.value.hint)


def test_a_model_of_another_name_is_not_taken(tmp_path: Path) -> None:
    write_static(tmp_path)
    with pytest.raises(NotFound):
        open_embedder("static", EmbedderSettings(tmp_path, model="other"))


def test_sentence_transformers_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_embedder("sentence-transformers", EmbedderSettings(tmp_path))


def test_a_half_written_folder_is_not_seen(tmp_path: Path) -> None:
    folder = write_static(tmp_path)
    folder.rename(tmp_path / f".{folder.name}-1234")
    with pytest.raises(NotFound):
        open_embedder("static", EmbedderSettings(tmp_path))


@pytest.mark.parametrize("name", ["table.npy", "tokenizer.json", "model.json"])
@pytest.mark.parametrize("content", [None, b"", b"junk"])
def test_a_damaged_model_names_its_folder(tmp_path: Path, name: str, content: bytes | None) -> None:
    path = write_static(tmp_path) / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises((CorpusDamaged, NotFound)) as raised:
        open_embedder("static", EmbedderSettings(tmp_path))
    assert str(tmp_path) in raised.value.message
    assert "aicx index" in str(raised.value.hint)


def test_static_words_that_mean_the_same_are_near(tmp_path: Path) -> None:
    write_static(tmp_path)
    fix, repair, loop = open_embedder("static", EmbedderSettings(tmp_path)).embed(["fix", "repair", "loop"])
    assert float(fix @ repair) > 0.9 > float(fix @ loop)


def test_static_reads_long_texts_to_their_end(tmp_path: Path) -> None:
    write_static(tmp_path)
    embedder = open_embedder("static", EmbedderSettings(tmp_path))
    one, other = embedder.embed(["the " * 5000, "the " * 5000 + "loop " * 500])
    assert float(one @ other) < 0.9999
