"""Panics of libraries written in Rust: an exception no `except Exception` catches, and lines printed to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from aicx.errors import CorpusDamaged

_lock = Lock()
_inside = 0
_held: tuple[int, int] | None = None  # the real stderr, and the file in memory that has its place
_panicked = False


@contextmanager
def panics_as_damage(what: str, hint: str) -> Iterator[None]:
    """Around reading a file with such a library: its panic becomes CorpusDamaged, and what it prints is left out.

    Other output to stderr is passed on at the end. Several threads may be inside at once.
    """
    _hold()
    panicked = False
    try:
        yield
    except BaseException as error:
        # The class of a panic cannot be imported. Who met it may have said already that something is damaged.
        panicked = _is_panic(error) or _is_panic(error.__cause__)
        if not _is_panic(error):
            raise
        raise CorpusDamaged(f"{what} is damaged", hint=hint) from error
    finally:
        _release(panicked=panicked)


def _is_panic(error: BaseException | None) -> bool:
    return type(error).__name__ == "PanicException"


def _hold() -> None:
    global _inside, _held, _panicked
    with _lock:
        _inside += 1
        if _inside > 1:
            return
        _panicked = False
        with suppress(OSError, AttributeError):  # no stderr to hold, or a system without files in memory
            memory = os.memfd_create("aicx-stderr")
            # What several threads print at once goes one behind the other, on every kernel.
            import fcntl

            fcntl.fcntl(memory, fcntl.F_SETFL, os.O_APPEND)
            _held = os.dup(2), memory
            os.dup2(memory, 2)


def _release(*, panicked: bool) -> None:
    global _inside, _held, _panicked
    with _lock:
        _inside -= 1
        _panicked |= panicked
        if _inside or _held is None:
            return
        (real, memory), _held = _held, None
        if sys.stderr is not None:
            with suppress(ValueError):  # closed
                sys.stderr.flush()
        os.dup2(real, 2)
        said = os.pread(memory, os.fstat(memory).st_size, 0)
        os.close(memory)
        # Under the lock: another thread that comes in meanwhile would hold back what is passed on here.
        if said and not _panicked:
            with suppress(OSError):
                os.write(real, said)
        os.close(real)
