"""The membership of a home in a share: its address, who pushes from here, and which projects."""

from __future__ import annotations

import getpass
import re
import socket
from dataclasses import field, replace
from pathlib import Path
from secrets import token_hex
from typing import Annotated
from urllib.parse import urlsplit

import orjson

from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.fields import INTERNAL
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.storage.typed import from_json, to_json
from aicx.values import dataclass

SCHEMES = ("s3", "gs", "az", "db", "ssh")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?")
_INIT = "aicx share init ADDRESS"


@dataclass(frozen=True, slots=True)
class Membership:
    """Where the share is and what this home gives to it."""

    address: Annotated[str, "where the share is"]
    member: Annotated[str, "whose rows come from here"]
    machine: Annotated[str, "this home's name in the share, made by `init`"]
    carried: Annotated[
        bool, "whether something else carries its files, so that each machine writes a database of its own"
    ] = False
    projects: Annotated[tuple[str, ...], "the chosen projects, as they were written"] = ()
    # Of a share at ssh://, the folder of this home with its files; never written down.
    copy: str = field(default="", metadata=INTERNAL)

    @property
    def is_ssh(self) -> bool:
        """Whether aicx itself carries the files, to a folder of another machine."""
        return self.address.startswith("ssh://")

    @property
    def root(self) -> Path:
        """The folder that has the databases of a share whose files are carried."""
        return Path(self.copy or self.address)

    @property
    def folder_name(self) -> str:
        """The name of this home's own folder in it."""
        return f"{self.member}@{self.machine}"

    def within(self, layout: Layout) -> Membership:
        """The same, of a home that may have been moved or copied since."""
        return replace(self, copy=str(layout.share_copy)) if self.is_ssh else self

    @property
    def own(self) -> str:
        """The beginning of every key of a row from here."""
        return f"{self.member}/{self.machine}"

    def key(self, agent: str, session: str) -> str:
        """The key of a session in the share. No other machine writes one that begins like it."""
        return f"{self.own}/{agent}:{session}"


def new_membership(address: str, member: str | None, *, carried: bool, before: Membership | None) -> Membership:
    """The membership that `share init` asks for; a home that joins the same share again keeps its name there."""
    address = parse_address(address)
    if carried and "://" in address:
        raise UsageError("only a folder can be carried between machines", hint="leave out --carried")
    if before is not None and before.address == address and member in (None, before.member):
        return before
    name = member or getpass.getuser()
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a member's name", hint="--member NAME, of letters, digits, - and .")
    host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname().partition(".")[0]).strip("-")[:40]
    # A copied home, or another with this host name, must not write the same keys.
    carried = carried or address.startswith("ssh://")
    return Membership(address, name, f"{host or 'machine'}-{token_hex(3)}", carried)


def parse_address(text: str) -> str:
    """The address of a share: one with a known scheme and without credentials, or a folder made absolute."""
    scheme, found, _ = text.partition("://")
    if not found:
        return str(Path(text).expanduser().absolute())
    if scheme not in SCHEMES:
        raise UsageError(
            f"no share can be at {scheme}://", hint=f"a folder, or {', '.join(f'{s}://' for s in SCHEMES)}"
        )
    parts = urlsplit(text)
    if parts.query or parts.password:
        raise UsageError(
            "an address is written to a file, so it must not hold credentials",
            hint="they come from the environment or the cloud's own chain: docs/team.md",
        )
    if scheme == "ssh" and (not _HOST.fullmatch(parts.netloc) or not parts.path.strip("/")):
        raise UsageError(
            f"{text} names no folder of a machine", hint="ssh://HOST/PATH, or ssh://HOST/~/PATH in its home"
        )
    return text.rstrip("/")


def find_membership(layout: Layout) -> Membership | None:
    """The membership of a home, or None where it is part of no share."""
    try:
        return from_json(Membership, orjson.loads(layout.share.read_bytes())).within(layout)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise CorpusDamaged(f"{layout.share} cannot be read: {error}", hint=_INIT) from error


def need_membership(layout: Layout) -> Membership:
    """The membership of a home. Raises NotFound where it is part of no share."""
    if (found := find_membership(layout)) is None:
        raise NotFound("this home is part of no share", hint=_INIT)
    return found


def write_membership(layout: Layout, membership: Membership) -> None:
    """Records the membership, durably."""
    layout.share.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(layout.share, orjson.dumps(to_json(replace(membership, copy="")), option=orjson.OPT_INDENT_2))
