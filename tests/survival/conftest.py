"""What the survival tests share: a server for runs, a home full of invented logs, and what an undisturbed run makes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attack.histories import World
from tests.forked import Piped
from tests.parts import is_missing
from tests.survival.logs import InventedLog, invent, write_home
from tests.survival.runs import HERE, Home, Runner, running


@dataclass(frozen=True)
class Undisturbed:
    """A home of invented logs and what one run of `store` makes of it."""

    logs: list[InventedLog]
    user: Path
    corpus: Path
    tree: dict[str, bytes]
    answers: list[dict[str, Any]]

    def home(self, corpus: Path) -> Home:
        """The same logs with a corpus of their own."""
        return Home(self.user, corpus)


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    # Most of what importing lancedb takes, which itself has threads and so is not imported before a fork.
    modules = [] if is_missing("semantic") else ["lance_namespace"]
    with running(tmp_path_factory.mktemp("runs"), *modules) as found:
        yield found


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    logs = invent(seed=2, sessions=10)
    user = folder / "user"
    write_home(user, logs)
    home = Home(user, folder / "corpus")
    HERE.store(home)
    return Undisturbed(logs, user, home.corpus, home.tree(), HERE.answers(home))


@pytest.fixture(scope="session", autouse=True)
def _warm_worlds() -> Iterator[None]:
    """What the worlds of attacks start as a process of its own is forked here, for a tenth of what it takes."""

    def process(world: World, *words: str, given: str = "") -> str:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        done = Piped(words, {**os.environ, **world.environ}, world.repo, **streams).to_end(given.encode())
        world.ran.append(f"{' '.join(words)} -> {done.returncode}")
        return (done.stdout + done.stderr).decode()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(World, "process", process)
        yield
