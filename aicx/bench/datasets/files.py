"""Reads the files datasets come in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from aicx.errors import NotFound, UsageError

_FORMS = "docs/benchmarks.md says which forms are read"

_MEND = "mend the line, or remove it; what it says is lost"


def read_json(path: Path) -> Any:
    """The JSON value in a file."""
    try:
        return orjson.loads(read_bytes(path))
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{path} is not JSON: {error}", hint=_FORMS) from error


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    rows = []
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise UsageError(
                    f"{path}, line {number}: not JSON: {error}",
                    hint=_MEND,
                ) from error
            if not isinstance(row, dict):
                raise UsageError(
                    f"{path}, line {number}: not a JSON object",
                    hint=_MEND,
                )
            rows.append(row)
    return rows


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}", hint="name a file that is there") from error


def wrong_form(path: Path, form: str, error: Exception) -> UsageError:
    """The failure for a file that is not of the form it was given as."""
    what = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
    return UsageError(f"{path} is not in {form}'s form: {what}", hint=_FORMS)
