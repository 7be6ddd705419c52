"""Datasets: one module a form of file. Which one a name means, and where its data lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated

from aicx.bench.dataset import Dataset
from aicx.errors import AicxError, NotFound, UsageError
from aicx.paths import Layout
from aicx.values import dataclass

Notify = Callable[[str], None]

# Form -> module with a function `load`.
FORMS: Mapping[str, str] = {
    "bundled": "aicx.bench.datasets.bundled",
    "own": "aicx.bench.datasets.own",
    "commits": "aicx.bench.datasets.commits",
    "why": "aicx.bench.datasets.why",
    "memory": "aicx.bench.datasets.memory",
    "locomo": "aicx.bench.datasets.locomo",
    "cosqa": "aicx.bench.datasets.cosqa",
    "trec": "aicx.bench.datasets.trec",
}
_WITHOUT_PATH = ("bundled", "own")
# What a form's data is called in a data folder.
_IN_FOLDER: Mapping[str, str] = {"commits": "commit*session*.jsonl", "locomo": "locomo*.json", "cosqa": "cosqa"}


# A dataset asked for: its form, and its file or folder unless it needs none.
DatasetRequest = tuple[str, Path | None]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A dataset that is not there, and what was missing."""

    name: Annotated[str, "its name"]
    reason: Annotated[str, "what was missing"]


@dataclass(frozen=True, slots=True)
class Around:
    """Needs of loaders beside their file: a home folder with agents' logs, where stored logs are kept, what is own.

    ``repositories`` holds the repositories of commits, as `read_places` reads it.
    """

    user_home: Path | None
    cache: Path
    notify: Notify
    layout: Layout  # of the user's own corpus
    seed: int = 0
    repositories: Path | None = None


def parse_wanted(text: str) -> DatasetRequest:
    """``locomo=FILE``, or ``bundled``."""
    form, given, path = text.partition("=")
    if form not in FORMS:
        raise UsageError(f"there is no dataset {form!r}", hint=f"choose from {', '.join(FORMS)}")
    if form in _WITHOUT_PATH and given:
        raise UsageError(f"{form} takes no file", hint=f"--dataset {form}")
    return form, Path(path).expanduser() if path else None


def in_folder(folder: Path) -> list[DatasetRequest]:
    """The datasets a data folder holds, known forms first; any other folder in it may be a TREC collection."""
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder", hint="--data FOLDER, or AICX_BENCH_DATA")
    found: list[DatasetRequest] = [
        (form, path) for form, pattern in _IN_FOLDER.items() for path in sorted(folder.glob(pattern))
    ]
    taken = {path for _, path in found}
    judged = {path.parent for path in folder.glob("*/*qrel*")}
    return found + [("trec", path) for path in sorted(judged) if path not in taken]


def open_datasets(wanted: Sequence[DatasetRequest], around: Around) -> Iterator[Dataset | Skipped]:
    """Each dataset asked for, or why it is not there. Two of one name are told apart by a number."""
    seen: dict[str, int] = {}
    for form, path in wanted:
        try:
            dataset = _open(form, path, around)
        except AicxError as error:
            yield Skipped(form, error.message + (f" ({error.hint})" if error.hint else ""))
            continue
        seen[dataset.name] = seen.get(dataset.name, 0) + 1
        number = seen[dataset.name]
        yield dataset if number == 1 else replace(dataset, name=f"{dataset.name}-{number}")


def _open(form: str, path: Path | None, around: Around) -> Dataset:
    if form == "bundled":
        from aicx.bench.datasets import bundled

        return bundled.load()
    if form == "own":
        from aicx.bench.datasets import own

        return own.load(around.layout, around.seed, around.repositories)
    if form == "memory":
        from aicx.bench.datasets import memory

        return memory.load(around.seed, path)
    if path is None:
        raise NotFound(f"no data for {form}", hint=f"--dataset {form}=FILE")
    if form in ("commits", "why"):
        from aicx.bench.datasets import commits, why

        if around.user_home is None:
            raise NotFound("the home folder whose sessions made the commits is not given", hint="--home FOLDER")
        logs = (path, around.user_home, around.cache, around.notify)
        if form == "commits":
            return commits.load(*logs, around.repositories)
        if around.repositories is None:
            raise NotFound("the repositories of the commits are not given", hint="--repositories FOLDER")
        return why.load(*logs, around.repositories)
    dataset: Dataset = import_module(FORMS[form]).load(path)
    return dataset
