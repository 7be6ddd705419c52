"""`aicx store` and then the notes of continuity, started by a hook and left to themselves: one run at a time, and once
more for what was asked for meanwhile.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from aicx.agents.hook import STORE
from aicx.agents.hook_log import note
from aicx.agents.wishes import waiting
from aicx.errors import StoreLocked
from aicx.installation import program
from aicx.paths import Layout
from aicx.storage.lock import hold_lock, holder_of

# Each run is one that a hook asked for after the one before had begun; a loop that never ends would be a bug.
_MAX_RUNS = 100


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
        start_new_session=True,  # it outlives the hook, and the agent
        cwd=layout.home,
    )


def run(layout: Layout, save: Callable[[Path], None]) -> None:
    """Stores as long as runs are asked for, and then has each wish for notes saved that was there before.

    While another process writes to the corpus, all of it waits for the next hook.
    """
    os.nice(10)
    for _ in range(_MAX_RUNS):
        if not _wanted(layout).exists():
            return
        try:
            with hold_lock(layout.locks / "hooks.lock", 0, lambda line: None):
                if holder_of(layout.locks / "writer.lock") is not None:
                    return
                _wanted(layout).unlink(missing_ok=True)
                wishes = waiting(layout)
                done = subprocess.run([*program(), "store"], capture_output=True, text=True)
                if done.returncode:
                    note(f"store: exit {done.returncode}: {done.stderr[-300:]}", layout.agents)
                for file in wishes:
                    save(file)
        except StoreLocked:
            return  # which looks for wishes again when it is done


def _wanted(layout: Layout) -> Path:
    """There from the moment a hook asks for a run until one begins."""
    return layout.agents / "store-wanted"
