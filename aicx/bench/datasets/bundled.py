"""The set that comes with aicx: some thirty invented notes and twenty questions, small enough to judge by eye."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files

from aicx.bench.dataset import Dataset
from aicx.bench.datasets import trec


def load() -> Dataset:
    with as_file(files("aicx") / "data" / "bench") as folder:
        return replace(trec.load(folder), name="bundled")
