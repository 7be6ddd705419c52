"""Files that are written whole or not at all, and that only their owner can read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

from aicx.errors import StoreUnwritable
from aicx.system import PRIVATE, is_running

# The ending of a file that is being written: what a kill leaves behind has it, and nothing else.
UNFINISHED = ".aicx-part"
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
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def part_of(path: Path) -> Path:
    """The name under which a file of somebody else is written anew, beside it."""
    return path.with_name(f".{path.name}.aicx-{os.getpid()}")


def remove_parts(path: Path) -> None:
    """Deletes what killed processes left of writing ``path`` anew."""
    _remove_left(path.parent.glob(f".{escape(path.name)}.aicx-*"), re.compile(r"\.aicx-(\d+)\Z"))


def clear_unfinished(paths: Iterable[Path]) -> int:
    """Deletes those of these files of ours that killed processes left half written, and returns how many."""
    return _remove_left(paths, re.compile(rf"\.(\d+){re.escape(UNFINISHED)}\Z"))


def remove_unfinished(folder: Path) -> None:
    """Deletes what killed processes left of writing files of ours in ``folder``."""
    clear_unfinished(folder.glob(f".*{UNFINISHED}"))


def _remove_left(paths: Iterable[Path], named: re.Pattern[str]) -> int:
    left = 0
    for path in paths:
        writer = named.search(path.name)
        if writer and not _is_running(int(writer[1])):
            with suppress(OSError):
                path.unlink()
                left += 1
    return left


def _is_running(process: int) -> bool:
    # Of a killed process that had the same id: this one has written nothing yet.
    return process != os.getpid() and is_running(process)


def unwritable(path: Path, error: OSError, hint: str = _HINT) -> StoreUnwritable:
    """The one clear line for a disk that is full, read-only or forbidden."""
    return StoreUnwritable(f"cannot write {error.filename or path}: {error.strerror or error}", hint=hint)
