"""Texts that aicx puts into files of other people: put in, told apart from theirs, and taken out.

Here is whether a file, or its difference from an earlier version, is nothing but what `aicx init` put into it. That is
judged by the marks of ours alone, so that it also holds in a clone, and where no record of `aicx init` is left.
"""

from __future__ import annotations

from pathlib import Path

from aicx.errors import AicxError
from aicx.storage import read_note

# Cursor shows a rule to every session only if its front matter says so.
RULE_HEAD = "---\ndescription: What was done in this repository before\nalwaysApply: true\n---\n"
_SETTINGS = frozenset({".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json"})
_FOLDERS = (".claude/", ".cursor/", ".gemini/", ".github/")
_MAX_FILES = 20  # of a folder that is looked at: a folder with more is somebody's


def without_ours(name: str, text: str) -> str | None:
    """``text`` as it is without ours; None where nothing of ours is in it, or where that cannot be told."""
    # Imported here: git's state asks of each changed file, and most have nothing of ours.
    from aicx.managed import blocks
    from aicx.managed.settings_text import JSON

    try:
        if name in _SETTINGS:
            found = JSON.drop(text)
        elif name.endswith((".md", ".mdc")) and blocks.START in text:
            found = blocks.without(text)
        else:
            return None
    except AicxError:
        return None
    if found == text:
        return None
    return "" if found == RULE_HEAD or "".join(found.split()) == "{}" else found


def is_ours_alone(root: Path, name: str) -> bool:
    """Whether the file ``name`` below ``root``, or every file of that folder, holds nothing else than ours."""
    if not name.endswith("/"):
        text = _read(root / name)
        return text is not None and without_ours(name, text) == ""
    if not name.startswith(_FOLDERS):
        return False
    files = []
    for path in (root / name).rglob("*"):
        if path.is_symlink() or not path.is_dir():
            files.append(path)
        if len(files) > _MAX_FILES:
            return False
    return bool(files) and all(is_ours_alone(root, path.relative_to(root).as_posix()) for path in files)


def may_be_ours(name: str) -> bool:
    """Whether a file or folder of this name is worth a look."""
    return name in _SETTINGS or name.endswith((".md", ".mdc")) or name.startswith(_FOLDERS)


def holds_ours(root: Path, name: str) -> bool:
    """Whether something of ours is in the file ``name``."""
    text = _read(root / name)
    return text is not None and without_ours(name, text) is not None


def differs_by_ours(root: Path, name: str, before: str) -> bool:
    """Whether the file ``name`` is as ``before`` but for ours; line ends count the same."""
    text = _read(root / name)
    found = None if text is None else without_ours(name, text)
    if found is None:
        return False
    from aicx.managed.settings_text import value_of

    now, then = ("\n".join(one.splitlines()) for one in (found, before))
    return now == then or (name in _SETTINGS and value_of(found) == value_of(before) is not None)


def _read(path: Path) -> str | None:
    try:
        return read_note(path).decode()
    except (OSError, ValueError):
        return None
