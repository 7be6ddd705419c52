"""The architecture page, the import contract, the tree and the docs name the same modules."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from docs import generate_architecture
from docs.generate_architecture import layers

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs" / "changelog.md"})]
# A name in dots, but not a schema such as `aicx.chunk/2` or a page such as `benchmarks.md`.
DOTTED = re.compile(r"(?<![\w./-])(?:aicx|indexer|retrieval|benchmarks)(?:\.(?!md\b)[A-Za-z_]\w*)++(?![/-])")
PATH = re.compile(r"(?<![\w./~-])(?:aicx|indexer|retrieval|benchmarks|tests|docs)/[\w./-]*\w(?![\w<{*]|/<)")
FENCE = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)

purposes = cache(generate_architecture.purposes)


@cache
def is_a_name(dotted: str) -> bool:
    """Whether it is a module, or something that a module has."""
    module, _, attribute = dotted.rpartition(".")
    for path in (Path(*dotted.split(".")), Path(*module.split("."))):
        if (ROOT / path).with_suffix(".py").exists() or (ROOT / path / "__init__.py").exists():
            return path == Path(*dotted.split(".")) or hasattr(import_module(module), attribute)
    return module.count(".") > 0 and is_a_name(module)


def test_the_architecture_pages_are_what_the_tree_and_the_contract_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert (generate_architecture.main(["--check"]), capsys.readouterr().err) == (0, "")


def test_every_module_says_what_it_is_for() -> None:
    sentences = purposes()
    assert len(sentences) > 300
    assert [name for name, sentence in sentences.items() if not re.search(r"[.?!][`\"]?$", sentence)] == []


def test_every_module_has_its_layer() -> None:
    contract = [name for layer in layers() for name in layer]
    assert len(contract) == len(set(contract))
    assert [name for name in contract if name not in purposes()] == []
    top = {name for name in purposes() if name.count(".") == (1 if name.startswith("aicx.") else 0)} - {"aicx"}
    assert set(contract) == top


def test_every_room_of_the_corpus_has_its_layer() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (contract,) = (one for one in linter["contracts"] if one.get("containers") == ["aicx.corpus"])
    assert set(contract["layers"]) == {path.parent.name for path in (ROOT / "aicx" / "corpus").glob("*/__init__.py")}


@pytest.mark.slow
def test_every_module_of_retrieval_is_either_open_to_all_or_kept_to_the_engine() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (contract,) = (one for one in linter["contracts"] if one["name"].startswith("Only the engine"))
    tree = {name for name in purposes() if name.startswith("retrieval.") and name.count(".") == 1}
    open_to_all = tree - set(contract["forbidden_modules"])
    assert open_to_all == {"retrieval.analysis", "retrieval.decay", "retrieval.excerpts", "retrieval.lines"}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert all(f"(`{name}`)" in page for name in open_to_all)


def test_modules_and_files_named_on_a_page_exist() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        assert [name for name in DOTTED.findall(text) if not is_a_name(name)] == [], page
        assert [path for path in PATH.findall(FENCE.sub("", text)) if not (ROOT / path).exists()] == [], page


def test_a_name_that_is_gone_would_be_found() -> None:
    assert not is_a_name("aicx.corpus.writer")
    assert is_a_name("aicx.sources.items.LogSource")
    assert DOTTED.findall("`aicx.corpus.writer` and `aicx.chunk/1`") == ["aicx.corpus.writer"]
    assert PATH.findall("see aicx/corpus/writer.py.") == ["aicx/corpus/writer.py"]
