"""`aicx store` and then the notes of continuity, started by a hook and left to themselves: one run at a time, and once
more for what was asked for meanwhile.

The process that holds the lock of the hooks only waits: what reads logs and repositories is done by others, each with a
deadline, since a disk may hang.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from aicx.agents import SAVE, STORE, wishes
from aicx.agents.wishes import note
from aicx.errors import StoreLocked
from aicx.installation import program
from aicx.paths import Layout
from aicx.storage.lock import hold_lock, holder_of
from aicx.system import APART, be_modest, end_group

# Each run is one that a hook asked for after the one before had begun; a loop that never ends would be a bug.
_MAX_RUNS = 100
# A first run may have years of logs to read. What was stored when it is ended stays, and the next run goes on.
_STORE_SECONDS = 3600.0
SAVE_SECONDS = 120  # for the notes of one session
_SECONDS_TO_END = 10.0


def request(layout: Layout) -> None:
    """Asks for a run, and starts a process that makes it unless one is at work already."""
    layout.agents.mkdir(parents=True, exist_ok=True, mode=0o700)
    _wanted(layout).touch()
    nowhere = subprocess.DEVNULL
    subprocess.Popen(
        [*program(), "hook", STORE],
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        cwd=layout.home,
        **APART,  # it outlives the hook, and the agent
    )


def run(layout: Layout, save: Callable[[Path], None], seconds: float = _STORE_SECONDS) -> None:
    """Stores as long as runs are asked for, and then has each wish for notes saved that was there before.

    While another process writes to the corpus, all of it waits for the next hook. A store is ended after ``seconds``.
    """
    be_modest()
    for _ in range(_MAX_RUNS):
        if not _wanted(layout).exists():
            return
        try:
            with hold_lock(layout.locks / "hooks.lock", 0, lambda line: None):
                if holder_of(layout.locks / "writer.lock") is not None:
                    return
                _wanted(layout).unlink(missing_ok=True)
                wishes.remove_unfinished(layout)
                waiting = wishes.waiting(layout)
                problem = _run(["store"], seconds)
                if problem is None:
                    last_stored(layout).touch()
                else:
                    note(f"store: {problem}", layout.agents)
                for file in waiting:
                    begun = wishes.begin(file)
                    if begun is not None:
                        save(begun)
        except StoreLocked:
            return  # which looks for wishes again when it is done


def save_apart(layout: Layout, file: Path, seconds: float = SAVE_SECONDS) -> None:
    """Has a wish fulfilled by a process of its own, which is ended after ``seconds``."""
    problem = _run(["hook", SAVE, str(file)], seconds)
    if problem is not None:
        note(f"continuity: {problem}", layout.agents)


def last_stored(layout: Layout) -> Path:
    """The file whose modification time is when a hook last had the logs stored."""
    return layout.agents / "stored"


def _run(words: list[str], seconds: float) -> str | None:
    """Runs aicx; why it failed, None where it did not. What cannot be ended, hanging in the kernel, is left behind."""
    nowhere = subprocess.DEVNULL
    # A file: a pipe would stay open in whatever is left behind.
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([*program(), *words], stdin=nowhere, stdout=nowhere, stderr=errors, **APART)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            for kindly in (True, False):
                end_group(process, kindly=kindly)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_SECONDS_TO_END)
                    break
            return f"gave up after {seconds:g} s"
        errors.seek(0)
        told = errors.read().decode("utf-8", "replace")[-300:]
        return f"exit {code}: {told}" if code else None


def _wanted(layout: Layout) -> Path:
    """There from the moment a hook asks for a run until one begins."""
    return layout.agents / "store-wanted"
