"""A folder of the home with a lock and a journal of its own: one writer at a time, its files together or not at all.

Memory and work are such folders, so that a decision or an update does not wait for a long `aicx store`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from aicx.errors import UnsafePath
from aicx.storage.journal import Writer, clear_staging, finish_interrupted
from aicx.storage.lock import writer_lock
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class JournaledFolder:
    """``name`` is that of its lock. Relative paths are below ``folder``, which is ``home`` or in it.

    ``owns`` says of the parts of a path whether it is one of this folder, and ``beside`` is a file in ``home`` itself.
    """

    name: str
    home: Path
    folder: Path
    locks: Path
    owns: Callable[[Sequence[str]], bool]
    beside: str | None = None

    @property
    def staging(self) -> Path:
        return self.locks / f"{self.name}-staging"

    @property
    def journal(self) -> Path:
        return self.staging / "journal"

    def inside(self, relative: str) -> Path:
        """The file behind a relative path. Raises UnsafePath for what is none of the folder."""
        if relative == self.beside:
            return self.home / relative
        parts = relative.split("/")
        plain = not any(sign in relative for sign in "\0\\\n\r") and not any(part in ("", ".", "..") for part in parts)
        if not plain or not self.owns(parts):
            raise UnsafePath(f"not a path of the {self.name}: {relative!r}")
        return self.folder / relative

    @contextmanager
    def locked(self, wait_seconds: float, notify: Callable[[str], None]) -> Iterator[bool]:
        """Holds the lock, after finishing what a killed writer left; whether there was anything.

        Raises StoreLocked, StoreUnwritable, CorpusDamaged for a journal that cannot be read.
        """
        with writer_lock(self.locks, wait_seconds, notify, name=self.name):
            yield finish_interrupted(self)

    def publish(self, files: Mapping[str, bytes | None]) -> None:
        """Puts files in their places in this order, and last deletes those that are None. The lock is held."""
        writer = Writer(self)
        for path, body in files.items():
            if body is None:
                writer.stage_removal(path)
            else:
                writer.stage(path, body)
        writer.publish()
        writer.finish()
        clear_staging(self)
