"""Files that are written whole or not at all, and that only their owner can read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from aicx.errors import StoreUnwritable

# The ending of a file that is being written: what a kill leaves behind has it, and nothing else.
UNFINISHED = ".aicx-part"
_PID_DIGITS = 10
_HINT = "free some space, check the folder's permissions, or set AICX_HOME to a writable place"


@contextmanager
def replacing(path: Path, *, hint: str = _HINT) -> Iterator[BinaryIO]:
    """A stream whose content takes the place of ``path`` when the block ends well. Raises StoreUnwritable."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        with suppress(FileNotFoundError):
            temporary.unlink()  # of a killed process that had the same id
        with create_private(temporary) as stream:
            yield stream
        temporary.replace(path)
    except BrokenPipeError:
        raise  # stdout, where the same is written: its reader had enough
    except OSError as error:
        raise unwritable(path, error, hint) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def replace_file(path: Path, body: bytes) -> None:
    """Writes ``path`` whole or not at all, its folder made where it is missing. Raises StoreUnwritable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unwritable(path, error) from error
    with replacing(path) as stream:
        stream.write(body)


@contextmanager
def create_private(path: Path) -> Iterator[BinaryIO]:
    """A stream into a new file, durable when the block ends well and gone when it does not.

    Raises OSError, FileExistsError among them.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def clear_unfinished(paths: Iterable[Path]) -> int:
    """Deletes those of these files that a killed process left half written; how many.

    Their names end with the process that wrote them. One that still runs goes on with its own.
    """
    left = 0
    for path in paths:
        owner = path.name.removesuffix(UNFINISHED).rpartition(".")[2]
        if owner.isdigit() and len(owner) <= _PID_DIGITS and not _runs(int(owner)):
            with suppress(OSError):
                path.unlink()
                left += 1
    return left


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()


def unwritable(path: Path, error: OSError, hint: str = _HINT) -> StoreUnwritable:
    """The one clear line for a disk that is full, read-only or forbidden."""
    return StoreUnwritable(f"cannot write {error.filename or path}: {error.strerror or error}", hint=hint)
