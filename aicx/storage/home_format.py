"""The format of a home, by its number in `format.json`: a newer one is refused, an older one is taken over.

Within a number, files may gain what older releases skip. A new number is for what they would misread or spoil.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from aicx import __version__
from aicx.errors import CorpusDamaged, HomeTooNew
from aicx.storage import replace_file, unwritable
from aicx.system import lock
from aicx.text import instant

# 1: homes from before there was a number, with sidecars `aicx.chunk/1` or `/2`. 2: the same, numbered.
FORMAT = 2
NAME, JOURNAL = "format.json", "upgrades.jsonl"
_LOCK = "format.lock"
# Any of it tells a home from before there was a number from a new one.
_OLD = ("index.json", "catalog.sqlite", "store", "non-repository-contexts", "memory", "work", "cas", "forgotten.jsonl")


def check_format(home: Path) -> int | None:
    """The number of a home, None where it has none. Raises HomeTooNew for one that this release does not know."""
    path = home / NAME
    try:
        body = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CorpusDamaged(
            f"{path} cannot be read: {error.strerror}", hint="check the folder's permissions"
        ) from error
    try:
        import orjson  # imported here: a map is asked without it

        fields = orjson.loads(body)
        number, release = fields["format"], fields.get("release")
        if not isinstance(number, int):
            raise TypeError
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        hint = "delete it if no newer aicx ever used this home: only the number is lost"
        raise CorpusDamaged(f"{path} does not say which format the home has", hint=hint) from error
    if number > FORMAT:
        by = f" (by aicx {release})" if isinstance(release, str) and release.isprintable() else ""
        raise HomeTooNew(
            f"{home} was written by a newer aicx{by}: it has format {number}, and this one knows up to {FORMAT}",
            hint="update aicx, or name another home in AICX_HOME; nothing was read or changed",
        )
    return number


def claim_format(home: Path, notify: Callable[[str], None]) -> None:
    """Gives a home this release's number before it is written to; what held an older one is noted in `upgrades.jsonl`.

    Raises HomeTooNew, StoreUnwritable.
    """
    if check_format(home) == FORMAT:
        return
    import orjson

    try:
        with (home / "locks" / _LOCK).open("ab") as held:
            lock(held.fileno(), wait=True)
            before = check_format(home)
            if before == FORMAT:
                return
            if before is not None or any((home / name).exists() for name in _OLD):
                _note(home, before or 1)
                notify(f"{home} now has format {FORMAT}; older releases of aicx must not write to it any more")
            replace_file(home / NAME, orjson.dumps({"format": FORMAT, "release": __version__}) + b"\n")
    except OSError as error:
        raise unwritable(home / NAME, error) from error


def _note(home: Path, before: int) -> None:
    """Adds a line to the journal, unless a killed upgrade left the same one."""
    import orjson

    path = home / JOURNAL
    body = path.read_bytes() if path.exists() else b""
    said = {"from": before, "to": FORMAT, "release": __version__}
    last = body.rstrip(b"\n").rpartition(b"\n")[2]
    try:
        done = orjson.loads(last)
        if isinstance(done, dict) and said.items() <= done.items():
            return
    except orjson.JSONDecodeError:
        pass  # the first line, or one that was cut off
    line = orjson.dumps({"at": instant(datetime.now(UTC)), **said})
    replace_file(path, body + (b"" if body.endswith(b"\n") or not body else b"\n") + line + b"\n")
