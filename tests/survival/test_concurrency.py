"""Any number of processes at once: writers wait for each other, readers wait for nobody, and nothing is lost."""

from __future__ import annotations

import fcntl
import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.forked import Piped
from tests.survival.conftest import Undisturbed
from tests.survival.logs import invent, last_moment, write_home
from tests.survival.runs import HERE, TIMEOUT, Home, Runner, until

pytestmark = pytest.mark.process

# Runs one command several times, and says of each run how it ended and what it wrote.
_LOOP = """
import json, os, sys, time
from pathlib import Path
import aicx.cli

times, scratch, *arguments = sys.argv[1:]
said = os.dup(1)
for number in range(int(times)):
    for name, descriptor in (("out", 1), ("err", 2)):
        os.dup2(os.open(f"{scratch}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    begin = time.monotonic()
    code = aicx.cli.run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    out, err = (Path(f"{scratch}.{name}").read_text() for name in ("out", "err"))
    line = [code, time.monotonic() - begin, out, err]
    os.write(said, json.dumps(line).encode() + b"\\n")
"""


def test_eight_writers_and_eight_readers_lose_nothing(tmp_path: Path) -> None:
    logs = invent(seed=6)
    home = Home(tmp_path / "user", tmp_path / "corpus")
    write_home(home.user, logs, until=last_moment(logs) / 4)
    HERE.store(home)
    readers = [("steer", "--json", "--limit", "10000"), ("refs", "--json")] * 4
    processes = [_loop(home, tmp_path / f"w{number}", 2, "store") for number in range(8)]
    processes += [_loop(home, tmp_path / f"r{number}", 4, *words) for number, words in enumerate(readers)]
    steps = 40
    for step in range(steps + 1):
        write_home(home.user, logs, until=last_moment(logs) * (1 + 3 * step / steps) / 4, torn=step)
        time.sleep(0.05)  # how fast the logs grow
    results = [
        [json.loads(line) for line in process.to_end(timeout=TIMEOUT).stdout.splitlines()] for process in processes
    ]
    assert [run[3] for runs in results for run in runs if run[0] != 0] == []
    assert [len(runs) for runs in results] == [2] * 8 + [4] * 8
    for runs in results[8::2]:
        _check_answers([json.loads(out) for _, _, out, _ in runs])
    for runs in results[9::2]:
        assert all(json.loads(out)["projects"] for _, _, out, _ in runs)
    write_home(home.user, logs)
    HERE.store(home)
    once = Home(home.user, tmp_path / "once")
    HERE.store(once)
    assert home.tree() == once.tree()
    assert HERE.answers(home) == HERE.answers(once)


def _check_answers(answers: list[dict[str, Any]]) -> None:
    """Whole answers from the catalogue, and never fewer chunks than before."""
    counts = [answer["matched"] for answer in answers]
    assert counts == sorted(counts)
    assert counts[0] > 0
    assert all(answer["oracle_status"]["fallback_reason"] is None for answer in answers)
    assert all(answer["oracle_status"]["source_paths_verified"] for answer in answers), answers[-1]["notes"]


@pytest.mark.parametrize("words", [("steer", "--json"), ("refs", "--json"), ("state", "--json"), ("list", "--json")])
def test_a_reader_does_not_wait_for_the_writer(
    words: tuple[str, ...], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    HERE.store(home)
    with _writing(home):
        run = runner.run(home, *words)
    assert run.code == 0, run.err
    assert run.seconds < 10
    assert json.loads(run.out)


def test_a_writer_waits_and_says_for_whom(undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    with _locked(home, holder="4711"):
        writer = _loop(home, tmp_path / "writer", 1, "store")
        until(lambda: "process 4711" in _text(tmp_path / "writer.err"))
        assert home.chunks() == []
    (line,) = writer.to_end(timeout=TIMEOUT).stdout.splitlines()
    assert json.loads(line)[0] == 0
    assert home.tree() == undisturbed.tree


def test_a_writer_that_waits_too_long_gives_up_with_one_clear_line(
    runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    home.corpus.mkdir()
    (home.corpus / "config.toml").write_text("lock_wait_seconds = 0.2\n")
    with _locked(home, holder="4711"):
        run = runner.run(home, "store")
    assert run.code == 5
    assert "another aicx (process 4711) is writing" in run.err
    assert home.chunks() == []


def test_the_lock_of_a_killed_writer_is_free(runner: Runner, undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    step = runner.steps(undisturbed.home(tmp_path / "measured")).index("after begin") + 1
    assert runner.run(home, "store", fatal_step=step).killed
    assert "waiting" not in runner.store(home).err
    assert home.tree() == undisturbed.tree


def _loop(home: Home, scratch: Path, times: int, *arguments: str) -> Piped:
    words = (str(times), str(scratch), *arguments)
    return Piped(words, home.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, code=_LOOP)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


@contextmanager
def _locked(home: Home, holder: str) -> Iterator[None]:
    (home.corpus / "locks").mkdir(parents=True, exist_ok=True)
    with (home.corpus / "locks" / "writer.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(holder)
        lock.flush()
        yield


@contextmanager
def _writing(home: Home) -> Iterator[None]:
    """The store as it is in the middle of a run: locked, with a transaction open and changes in it."""
    with _locked(home, holder="1"):
        catalog = sqlite3.connect(home.corpus / "catalog.sqlite", isolation_level=None)
        catalog.execute("BEGIN IMMEDIATE")
        catalog.execute("DELETE FROM chunks")
        yield
        catalog.execute("ROLLBACK")
        catalog.close()
