"""Runs a program as `aicx.lifecycle.program` does, on a system without pseudo-terminals, of which Windows is one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import IO

_BLOCK = 64 * 1024


def hold_signals() -> set[int]:
    """Nothing: Ctrl-C goes to the whole console, and `run_program` leaves it to the program."""
    return set()


def obey_held(mask: set[int]) -> None:
    """Nothing: no signal is kept back."""


def run_program(
    command: Sequence[str],
    environ: Mapping[str, str],
    mask: set[int],
    umask: int = -1,
    heard: Callable[[bytes], None] | None = None,
) -> int:
    """The program's exit code. ``heard`` is given what it prints, as it comes. Raises OSError where it cannot start."""
    pipe = subprocess.PIPE if heard else None
    program = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=dict(environ), close_fds=False)
    streams = [(source, target) for source, target in ((program.stdout, 1), (program.stderr, 2)) if source and heard]
    copying = [Thread(target=_copy, args=(*pair, heard), daemon=True) for pair in streams]
    for thread in copying:
        thread.start()
    for wait in (program.wait, *(thread.join for thread in copying)):
        _undisturbed(wait)
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def _copy(source: IO[bytes], target: int, heard: Callable[[bytes], None]) -> None:
    while block := os.read(source.fileno(), _BLOCK):
        with suppress(OSError):  # nobody reads on
            os.write(target, block)
        heard(block)


def _undisturbed(wait: Callable[[], object]) -> None:
    """Waits; what Ctrl-C means is the program's to decide."""
    while True:
        try:
            wait()
        except KeyboardInterrupt:
            continue
        return
