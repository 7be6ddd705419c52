"""Carries the files of a share between this home and a folder on another machine, by `ssh` and `tar` alone.

Each machine writes a folder of its own, and a file is never changed once it is written: those missing by name and size
are copied, those that their writer no longer has are deleted. Over there a shell, `find`, `wc`, `xargs` and `tar` do.
"""

from __future__ import annotations

import shlex
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO
from urllib.parse import urlsplit

from aicx.errors import AicxError
from aicx.share.membership import Membership
from aicx.share.shares import record_fetch
from aicx.share.tables import ShareAway
from aicx.text import plural
from aicx.values import dataclass

_OPTIONS = ("-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15")
_HINT = "check the address, the network and that ssh logs in there: what was fetched before is searched as it is"


@dataclass(frozen=True, slots=True)
class Carried:
    """How many files went each way."""

    sent: int = 0
    fetched: int = 0
    deleted: int = 0  # there, of this machine, and here, of others


def carry(membership: Membership, *, send: bool = True) -> Carried:
    """Sends what this home wrote, and fetches what others sent; nothing where the share is not at ssh://.

    Killed at any moment, the next one goes on: a reader leaves out a machine whose files are not all there.
    """
    if not membership.is_ssh:
        return Carried()
    there, here = _Host(membership.address), membership.root
    here.mkdir(parents=True, exist_ok=True, mode=0o700)
    remote, local = there.files(), _files(here)
    mine = f"{membership.folder_name}/"
    own = {name: size for name, size in local.items() if name.startswith(mine)}
    sent: list[str] = []
    gone_there: list[str] = []
    if send:
        sent = [name for name, size in own.items() if remote.get(name) != size]
        gone_there = [name for name in remote if name.startswith(mine) and name not in own]
        there.take(here, sent)
        there.delete(gone_there)
    theirs = {name: size for name, size in remote.items() if not name.startswith(mine) and _is_a_members(name)}
    fetched = there.give(here, [name for name, size in theirs.items() if local.get(name) != size])
    gone_here = [name for name in local if not name.startswith(mine) and name not in theirs]
    for name in gone_here:
        (here / name).unlink(missing_ok=True)
    record_fetch(membership, datetime.now(UTC))
    return Carried(len(sent), fetched, len(gone_there) + len(gone_here))


def said(done: Carried) -> str:
    """Returns what people are told of it."""
    files = f"{plural(done.sent, 'file')} sent, {done.fetched:,} fetched"
    return f"{files}, {done.deleted:,} deleted" if done.deleted else files


class _Host:
    """A folder on another machine. Everything that fails there raises ShareAway with what it said."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._address = address
        user = f"{parts.username}@" if parts.username else ""
        port = ("-p", str(parts.port)) if parts.port else ()
        self._ssh = ("ssh", *_OPTIONS, *port, "--", f"{user}{parts.hostname}")
        # The shell over there knows its home folder.
        home, path = parts.path.startswith("/~/"), parts.path.removeprefix("/~/")
        self._folder = f'"$HOME"/{shlex.quote(path)}' if home else shlex.quote(path)

    def files(self) -> dict[str, int]:
        """The files in the folder, which is made where it is missing, with their sizes."""
        found = {}
        listing = self._ask("find . -type f -exec wc -c {} +")
        for line in listing.decode("utf-8", "replace").splitlines():
            size, _, name = line.strip().partition(" ")
            if size.isdigit() and name.startswith("./"):
                found[name.removeprefix("./")] = int(size)
        return found

    def take(self, root: Path, names: Sequence[str]) -> None:
        """Copies files of ``root`` into the folder."""
        if not names:
            return
        with TemporaryFile() as packed:
            with tarfile.open(fileobj=packed, mode="w|") as archive:
                # What names the others comes last.
                for name in sorted(names, key=lambda name: ("/_versions/" in name, name)):
                    archive.add(root / name, name, recursive=False)
            packed.seek(0)
            self._ask("tar -xf -", packed)

    def give(self, root: Path, names: Sequence[str]) -> int:
        """Copies files of the folder into ``root``, each whole or not at all; returns how many."""
        if not names:
            return 0
        taken = 0
        with TemporaryDirectory(prefix=".arriving-", dir=root) as arriving, TemporaryFile() as packed:
            # A file that was deleted since it was listed is no failure: the next time it is not listed.
            with _lines(names) as asked:
                self._ask("tar -cf - -T - || [ $? -le 2 ]", asked, packed)
            packed.seek(0)
            with tarfile.open(fileobj=packed, mode="r|") as archive:
                for one in archive:
                    name = one.name.removeprefix("./")
                    # Not extracted by its name: what a tar from elsewhere may do with names differs by Python.
                    content = archive.extractfile(one) if one.isreg() and _is_a_members(name) else None
                    if content is not None:
                        arrived = Path(arriving, str(taken))
                        with arrived.open("wb") as file:
                            copyfileobj(content, file)
                        (root / name).parent.mkdir(parents=True, exist_ok=True)
                        arrived.replace(root / name)
                        taken += 1
        return taken

    def delete(self, names: Sequence[str]) -> None:
        """Deletes files in the folder."""
        if names:
            with _lines(names) as asked:
                self._ask(shlex.join(["xargs", "rm", "-f"]), asked)

    def _ask(self, command: str, given: IO[bytes] | None = None, into: IO[bytes] | None = None) -> bytes:
        asked = [*self._ssh, f"mkdir -p {self._folder} && cd {self._folder} && {command}"]
        try:
            done = subprocess.run(
                asked,
                stdin=given or subprocess.DEVNULL,
                stdout=into or subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
            )
        except FileNotFoundError as error:
            raise AicxError("ssh is not on this machine", hint="install it, or share a folder: docs/team.md") from error
        if done.returncode != 0:
            reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"exit {done.returncode}"
            raise ShareAway(f"the share at {self._address} cannot be used: {reason}", hint=_HINT)
        return done.stdout or b""


def _files(root: Path) -> Mapping[str, int]:
    return {
        path.relative_to(root).as_posix(): path.stat().st_size
        for path in root.rglob("*")
        if path.is_file() and not path.relative_to(root).parts[0].startswith(".")
    }


def _is_a_members(name: str) -> bool:
    """Whether a name is of a file in a machine's folder, and of no other place."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and len(path.parts) > 1 and "@" in path.parts[0]


@contextmanager
def _lines(names: Iterable[str]) -> Iterator[IO[bytes]]:
    """The names as commands read them, none of which can be taken for an option."""
    with TemporaryFile() as found:
        found.write("".join(f"./{name}\n" for name in names).encode())
        found.seek(0)
        yield found
