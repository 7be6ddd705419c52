"""Reads a file of the memory policy: every rule in it is understood, or the file is refused with the line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aicx.errors import MalformedPolicy
from aicx.gitignore import excludes_nothing
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.regex import PatternRefused, Search
from aicx.text import shorten

FOLDER = ".aicx"
KEYS = ("exclude_paths", "exclude_sources", "exclude_patterns")

_MAX_BYTES = 64 * 1024
_MAX_RULES = 1000
_MAX_RULE_LENGTH = 500
_PLACE = re.compile(r"\(at line (\d+), column \d+\)")


def rules_in(path: Path, top: Path | None) -> dict[str, tuple[str, ...]] | None:
    """The rules of a policy file by their keys; None where there is none. It must not leave ``top``.

    Raises MalformedPolicy.
    """
    body = _body(path, top)
    return None if body is None else _rules(path, body)


def _body(path: Path, top: Path | None) -> bytes | None:
    """A policy file's bytes; None where there is none."""
    if not exists(path):
        # A folder that is not there at the moment may hold rules.
        if top is not None and path.parent.is_symlink() and not path.parent.exists():
            raise _malformed(path, 1, f"{FOLDER} is a link that leads nowhere")
        return None
    try:
        place = resolve_inside(path, top) if top is not None else path.resolve(strict=True)
        return read_regular(place, _MAX_BYTES).body
    except (Refused, OSError, RuntimeError) as error:
        what = {
            "unsafe_symlink": "it is a link that leads out of the repository",
            "over_budget": f"it is larger than {_MAX_BYTES:,} bytes",
        }.get(getattr(error, "reason", ""), "it cannot be read as a file")
        raise _malformed(path, 1, what) from error


def _rules(path: Path, body: bytes) -> dict[str, tuple[str, ...]]:
    if not body.strip(b"\0 \t\r\n"):  # what a crash leaves of a file; nobody writes a policy that says nothing
        raise _malformed(path, 1, "it is empty; if it is to exclude nothing, delete it, and nothing is lost")
    import tomllib  # imported here: most people have no such file, and every recall would pay for it

    try:
        text = body.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _malformed(path, body.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error
    except RecursionError as error:
        raise _malformed(path, 1, "its values are nested too deeply") from error
    except ValueError as error:
        found = _PLACE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise _malformed(path, line, _PLACE.sub("", str(error)).strip()) from error
    if unknown := next((key for key in table if key not in KEYS), None):
        name = shorten(unknown, 40)
        raise _malformed(path, _line_of(text, unknown), f"{name!r} is not a rule; the rules are {', '.join(KEYS)}")
    return {key: _list(path, text, key, table) for key in KEYS}


def _list(path: Path, text: str, key: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    values, line = table.get(key, []), _line_of(text, key)
    if not isinstance(values, list) or not all(isinstance(value, str) and value.strip() for value in values):
        raise _malformed(path, line, f"{key} must be a list of texts, none of them empty")
    if len(values) > _MAX_RULES or any(len(value) > _MAX_RULE_LENGTH for value in values):
        raise _malformed(path, line, f"{key} takes up to {_MAX_RULES:,} rules of up to {_MAX_RULE_LENGTH} characters")
    number = 0
    try:
        if key == "exclude_paths":
            for number, value in enumerate(values):  # noqa: B007  the last one is named below
                if excludes_nothing(value.casefold()):
                    raise PatternRefused("excludes nothing")
        if key == "exclude_patterns" and (found := Search(values, re.IGNORECASE).found("")):
            raise PatternRefused("matches nothing, so everything", number=min(found))
    except PatternRefused as error:
        number = number if error.number is None else error.number
        raise _malformed(path, line, f"rule {number + 1} of {key} {error.message}", error.hint) from error
    return tuple(values)


def _line_of(text: str, key: str) -> int:
    """The line on which a key of the file is given, 1 where it is written in a way of its own."""
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _malformed(path: Path, line: int, what: str, hint: str | None = None) -> MalformedPolicy:
    mend = "mend the memory policy; nothing is shown until then"
    return MalformedPolicy(f"{path}, line {line}: {what}", hint=f"{mend} ({hint})" if hint else mend)
