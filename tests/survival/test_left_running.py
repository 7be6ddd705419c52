"""Nothing that `store` started is still running once it has ended, however it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from tests.corpus.builders import ClaudeLog
from tests.sampling import sample

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"),
]

SECONDS = 60.0


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A home with enough to read for workers to be started, and two of them."""
    return home_with(tmp_path, prompts=31)


def home_with(tmp_path: Path, prompts: int) -> dict[str, str]:
    """Logs that have so many long prompts each, and are filled up with bookkeeping, which is read in no time."""
    logs = tmp_path / "home/.claude/projects/-srv-ada-orbit"
    logs.mkdir(parents=True)
    for number in range(24):
        log = ClaudeLog(f"{number:08x}-1111-4111-8111-111111111111")
        for index in range(prompts):
            log.prompt(f"{number} {index} " + "turn the lamp and look " * 1000, number * 100 + index)
        for _ in range(prompts, 31):
            log.add("progress", number * 100 + 50, data={"output": "turn the lamp and look " * 1000})
        (logs / f"{log.session}.jsonl").write_bytes(b"".join(json.dumps(item).encode() + b"\n" for item in log.records))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/config.toml").write_text("workers = 2\n")
    return {**os.environ, "HOME": str(tmp_path / "home"), "AICX_HOME": str(tmp_path / "corpus")}


def running(session: int) -> list[str]:
    """The command lines of a session's processes, those that ended and wait to be noticed left out."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            state, _, _, leader, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(leader) == session and state != "Z":
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # ended meanwhile
    return found


def start(environ: dict[str, str]) -> subprocess.Popen[bytes]:
    def hear() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())

    command = [sys.executable, "-m", "aicx", "store"]
    return subprocess.Popen(command, env=environ, start_new_session=True, stderr=subprocess.PIPE, preexec_fn=hear)


def with_workers(environ: dict[str, str]) -> subprocess.Popen[bytes]:
    """A `store` whose workers are at work."""
    store = start(environ)
    end = time.monotonic() + SECONDS
    while sum("spawn_main" in line for line in running(store.pid)) < 2:
        assert store.poll() is None, "ended before it had workers"
        assert time.monotonic() < end
        time.sleep(0.01)
    return store


def test_nothing_is_left_after_a_whole_run(tmp_path):
    store = with_workers(home_with(tmp_path, prompts=1))
    _, said = store.communicate(timeout=SECONDS)
    assert (store.returncode, running(store.pid)) == (0, [])
    assert b"Stored" in said


@pytest.mark.parametrize(
    ("number", "to_all"), sample([*product([signal.SIGINT, signal.SIGTERM], [False, True])], 2, ends=False)
)
def test_nothing_is_left_after_a_signal(environ, number, to_all):
    store = with_workers(environ)
    (os.killpg if to_all else os.kill)(store.pid, number)
    _, said = store.communicate(timeout=SECONDS)
    assert (store.returncode, running(store.pid)) == (130, [])
    assert said.decode() == "interrupted; everything stored so far is whole\n"


def test_workers_end_soon_after_a_kill(environ):
    store = with_workers(environ)
    store.kill()
    store.communicate(timeout=SECONDS)
    end = time.monotonic() + 10
    while running(store.pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert running(store.pid) == []
