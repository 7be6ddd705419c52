"""Differences between systems: locks, how files are opened, and how processes are held, ended and left alone.

Every other module calls these, and none of what only POSIX has. On Windows a lock is one byte far behind the end of the
file, since what is locked there cannot be read, and it is never shared.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    import subprocess

fcntl: Any = None
with suppress(ImportError):
    import fcntl as _posix

    fcntl = _posix

# With these `os.open` hands a file on to nobody, leaves its bytes as they are, follows no link, and waits for no pipe.
PRIVATE: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
STRICT: int = PRIVATE | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
CAN_FORK = hasattr(os, "fork")
HAS_TERMINALS = fcntl is not None and hasattr(os, "openpty")
ENDING = (signal.SIGINT, signal.SIGTERM)
# Windows flushes what it may write to.
_TO_SYNC: int = os.O_RDWR | PRIVATE if os.name == "nt" else os.O_RDONLY
_LOCKED_AT = 1 << 30
# What `subprocess.Popen` takes so that a process outlives this one and what it was called by.
APART: dict[str, Any] = (
    {"creationflags": 0x00000008 | 0x00000200}  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
    if sys.platform == "win32"
    else {"start_new_session": True}
)


def lock(descriptor: int, *, shared: bool = False, wait: bool = False) -> None:
    """Locks an open file until it is closed. Raises BlockingIOError where another holds it, unless told to wait."""
    if fcntl is not None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        return
    import msvcrt

    while True:
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            os.lseek(descriptor, _LOCKED_AT, os.SEEK_SET)
            # LK_LOCK tries for ten seconds.
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError as error:
            if not wait:
                raise BlockingIOError(error.errno, "another process holds the lock") from error
        else:
            return
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)


def read_at(descriptor: int, size: int) -> bytes:
    """The first ``size`` bytes of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, size)


def write_whole(descriptor: int, body: bytes) -> None:
    """Makes ``body`` all that an open file holds."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, body)


def sync(path: str | os.PathLike[str]) -> None:
    """Has a file, or the names in a folder, written to the disk. Windows does the latter with each file."""
    try:
        handle = os.open(path, _TO_SYNC)
    except PermissionError:
        if os.name == "nt" and os.path.isdir(path):  # noqa: PTH112 - a hook imports this, and pathlib takes long
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def held_back(numbers: Iterable[int] = ENDING) -> Iterator[None]:
    """Keeps signals back while the block runs, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_through(numbers: Iterable[int] = ENDING) -> None:
    """Ends what `held_back` did, in a process that was started meanwhile."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def end_after(seconds: float) -> None:
    """Ends this process after ``seconds``, whatever it does then."""
    if hasattr(signal, "alarm"):
        signal.alarm(max(1, round(seconds)))
        return
    import threading

    timer = threading.Timer(seconds, os._exit, [1])
    timer.daemon = True
    timer.start()


def end_group(process: subprocess.Popen[bytes], *, kindly: bool = False) -> None:
    """Ends a process that was started `APART`, with all that it started where the system can."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM if kindly else signal.SIGKILL)
        else:
            process.terminate()


def interrupt(process: asyncio.subprocess.Process) -> None:
    """Does to a process what Ctrl-C does; where that reaches a whole console, ends it."""
    if sys.platform == "win32":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)


def be_modest() -> None:
    """Lets every other process of this machine go first."""
    if hasattr(os, "nice"):
        os.nice(10)


def is_running(process: int) -> bool:
    """Whether a process has this id. A signal would end it on Windows."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x00100000, False, process)  # SYNCHRONIZE
        if not handle:
            return bool(kernel.GetLastError() == 5)  # somebody else's
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == 0x00000102)  # WAIT_TIMEOUT
        finally:
            kernel.CloseHandle(handle)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        pass
    return True


def when_told_to_end(loop: asyncio.AbstractEventLoop, act: Callable[..., object], *arguments: object) -> None:
    """Has ``act`` called in a loop on SIGINT and SIGTERM, of which it is passed nothing but ``arguments``."""
    for number in ENDING:
        try:
            loop.add_signal_handler(number, act, *arguments)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(act, *arguments) and None)
