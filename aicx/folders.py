"""One place by any of its names: folders and files as POSIX, Windows, its shells and WSL write them in logs.

A path of Windows is compared without regard to case and to which slash it has. What a shell of Windows or WSL calls
`/d/site`, `/cygdrive/d/site` or `/mnt/d/site` is `D:\\site` wherever it is compared with a path of that drive.
"""

from __future__ import annotations

import re

from aicx.values import dataclass, regex

_DRIVE = regex(r"(?:[\\/]{2}\?[\\/])?([A-Za-z]):(?:[\\/]+|$)")
_SLASHES = regex(r"[\\/]+")
_MOUNT = regex(r"/(?:mnt/|cygdrive/)?([A-Za-z])(?:/+|$)")
# How Windows names a folder that is inside WSL.
_INSIDE_WSL = regex(r"[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(?=[\\/]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FolderClue:
    """One thing seen of ``folder``.

    ``said`` is a repository, as its address or as ``org/repo``; of a ``worktree`` another folder of the same
    repository, of a ``commit`` its mark, and of ``moved`` the old and the new repository with a space between.
    """

    folder: str
    kind: str
    said: str


def slashed(path: str) -> str:
    """``path`` with `/` between its parts and a drive as ``D:/`` where it is one of Windows; any other as it is."""
    if path.startswith("/") and not path.startswith("//"):
        return path
    if drive := _DRIVE.match(path):
        return f"{drive[1].upper()}:/{_SLASHES.sub('/', path[drive.end() :])}"
    if path.startswith(("\\\\", "//")):
        inside = _INSIDE_WSL.sub("", path)
        return _SLASHES.sub("/", inside) if inside != path else f"/{_SLASHES.sub('/', path)}"
    return path


def folded(path: str) -> str:
    """``path`` as it is compared: `slashed`, without a slash at its end, and in one case where Windows ignores it."""
    path = slashed(path)
    return (path.lower() if _ignores_case(path) else path).rstrip("/") or path[:1]


def is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\\\")) or _DRIVE.match(path) is not None


def other_names(folder: str) -> tuple[str, ...]:
    """Returns other names of the `folded` folder if its first part is a drive: by Windows, its shells, and WSL."""
    drive, _, rest = folder.partition("/")
    if _DRIVE.match(folder):
        return tuple(f"{top}/{drive[0]}/{rest}".rstrip("/") for top in ("/mnt", "/cygdrive", ""))
    if mount := _MOUNT.match(folder):
        return (f"{mount[1]}:/{folder[mount.end() :]}".lower().rstrip("/"),)
    return ()


def on_drive_of(folder: str, path: str) -> str:
    """The absolute ``path`` `slashed`, as it is meant where the working folder is ``folder``: in a shell of Windows
    ``/d/site`` is on a drive."""
    path = slashed(path)
    return _of_drive(path) if _ignores_case(slashed(folder)) else path


def relative(path: str, folder: str) -> str | None:
    """``path`` seen from ``folder``, with `/` between its parts: "" for the folder itself, None for what is outside."""
    path, folder = slashed(path), slashed(folder).rstrip("/")
    if _ignores_case(folder):
        path = _of_drive(path)
    elif _ignores_case(path):
        folder = _of_drive(folder)
    start, ignores = path[: len(folder)], _ignores_case(folder)
    if (start.lower() != folder.lower()) if ignores else (start != folder):
        return None
    if path[len(folder) :].strip("/") == "":
        return ""
    return path[len(folder) + 1 :] if path[len(folder)] == "/" else None


def _ignores_case(path: str) -> bool:
    return path[1:2] == ":" or path.startswith("//")


def _of_drive(path: str) -> str:
    mount = _MOUNT.match(path)
    return f"{mount[1].upper()}:/{path[mount.end() :]}" if mount else path
