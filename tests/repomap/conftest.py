from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.forked import Piped
from tests.repomap.builders import Repo


class _Reader(Piped):
    """What reads the files of a refresh, forked: it starts in a tenth of the time of an interpreter of its own."""

    def __init__(self, command: Sequence[str], **streams: int) -> None:
        super().__init__((), os.environ, code=command[-1], **streams)
        self.stdout = io.BufferedReader(self.stdout)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> tuple[bytes, bytes]:
        done = self.to_end()
        return done.stdout, done.stderr


@pytest.fixture(autouse=True)
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aicx.repomap.pool.subprocess", SimpleNamespace(Popen=_Reader, PIPE=subprocess.PIPE))


@pytest.fixture
def new_repo(tmp_path: Path, home: Path) -> Callable[[Mapping[str, str]], Repo]:
    return lambda files: Repo.new(tmp_path / "orchard", home / ".aicx", files)


@pytest.fixture
def no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the optional part is not installed."""
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
