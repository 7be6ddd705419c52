"""Files and locks on disk, which know nothing of what is stored.

Here are files that are written whole or not at all, and that only their owner can read. Then small files of others,
read if they are regular ones; and the checks before a file is written that a person named.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

from aicx.errors import StoreUnwritable, UnsafePath, UsageError
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
        # One with the id of this process is left by a killed one: this one has written nothing yet.
        if writer and (int(writer[1]) == os.getpid() or not is_running(int(writer[1]))):
            with suppress(OSError):
                path.unlink()
                left += 1
    return left


def unwritable(path: Path, error: OSError, hint: str = _HINT) -> StoreUnwritable:
    """The one clear line for a disk that is full, read-only or forbidden."""
    return StoreUnwritable(f"cannot write {error.filename or path}: {error.strerror or error}", hint=hint)


_LIMIT = 1024 * 1024


def read_note(path: Path, limit: int = _LIMIT) -> bytes:
    """The first ``limit`` bytes of a file. Raises OSError, also for a pipe or a device, which might never end."""
    require_regular(path)
    with path.open("rb") as stream:
        return stream.read(limit)


def read_whole(path: Path) -> bytes:
    """All of a file that is going to be edited. Raises OSError as `read_note` does."""
    require_regular(path)
    return path.read_bytes()


def require_regular(path: Path) -> None:
    """Raises OSError for anything but a file, such as a pipe or a device."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))


def is_endless(entry: os.DirEntry[str]) -> bool:
    """Whether it is a pipe or a device, or a link to one: who reads it might wait for ever."""
    if entry.is_file() or entry.is_dir():
        return False
    with suppress(OSError):  # a link to nothing
        mode = entry.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return False


def endless_in(folder: Path) -> Path | None:
    """A pipe or a device directly in ``folder``; None also where there is no folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        return next((Path(entry.path) for entry in entries if is_endless(entry)), None)
    return None


_MARK_WITHIN = 4096


def check_outside(path: Path, corpus: Iterable[Path], but: Path | None = None) -> None:
    """Refuses a file or folder to write that is in one of the ``corpus`` folders, whatever ``..`` and links lead there.

    ``but`` is the folder below the home that a command keeps its own results in. Raises UnsafePath.
    """
    if but is not None and _is_within(path, but):
        return
    if any(_is_within(path, folder) for folder in corpus):
        raise UnsafePath(f"{path} is in the corpus", hint="choose a place outside AICX_HOME")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether writing ``path`` would write into ``folder``, by name or by being the same place on disk."""
    try:
        whole, top = path.absolute().resolve(), folder.absolute().resolve()
    except (OSError, RuntimeError) as error:
        raise UnsafePath(f"{path} cannot be followed: {error}", hint="choose another place") from error
    if whole.is_relative_to(top):
        return True
    # Another spelling where capitals do not count, or a folder that is mounted twice.
    return top.exists() and any(each.exists() and each.samefile(top) for each in (whole, *whole.parents))


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
        raise UsageError(
            f"{path} exists and was not written by {command}", hint="--force replaces it; what it holds now is lost"
        )
