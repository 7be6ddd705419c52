"""Files made for people: written whole or not at all, readable by their owner only, and never over somebody's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from aicx.errors import StoreUnwritable, UsageError

_MARK_WITHIN = 4096


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content takes the place of ``path`` when the block ends well. Raises StoreUnwritable."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
        temporary.replace(path)
    except BrokenPipeError:
        raise  # stdout, where the same is written: its reader had enough
    except OSError as error:
        raise StoreUnwritable(
            f"cannot write {path}: {error.strerror or error}", hint="free some space, or choose another place"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_target(path: Path, mark: bytes, *, command: str, force: bool) -> None:
    """Refuses to replace what ``command`` has not written, which has ``mark`` near its beginning."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", hint="name the file to write")
    if force or not os.path.lexists(path):
        return
    try:
        with path.open("rb") as stream:
            ours = mark in stream.read(_MARK_WITHIN)
    except OSError:
        ours = False
    if not ours:
        raise UsageError(f"{path} exists and was not written by {command}", hint="--force replaces it")
