"""The options by which a task is told something, and the patch they make."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from aicx import options
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path

MAX_BYTES = 1_000_000


def _texts(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=f"{text}; several times.")


Next = Annotated[str | None, typer.Option("--next", metavar="TEXT", help="What is to be done next; empty for nothing.")]
Hypothesis = Annotated[str | None, typer.Option("--hypothesis", metavar="TEXT", help="What you believe at present.")]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", metavar="PATH", click_type=options.PATH, help="A file that is worked on; several times."),
]
Verified = Annotated[list[str] | None, _texts("--verified", "TEXT", "What was proved")]
Unverified = Annotated[list[str] | None, _texts("--unverified", "TEXT", "What is not proved yet")]
Discarded = Annotated[list[str] | None, _texts("--discarded", "TEXT", "What was tried and given up, and why")]
Uncertainties = Annotated[list[str] | None, _texts("--uncertainty", "TEXT", "What is not certain")]
Commands = Annotated[list[str] | None, _texts("--command", "LINE", "A command that helps")]
Risks = Annotated[list[str] | None, _texts("--risk", "TEXT", "What may go wrong")]
Sources = Annotated[list[str] | None, _texts("--source", "REF", "A session or chunk that it is from")]
Evidence = Annotated[list[str] | None, _texts("--evidence", "REF", "What proves all that this call says")]
Drop = Annotated[list[str] | None, _texts("--drop", "TEXT", "An entry to take out, by its text or id")]


def paths_from(folder: Path, files: Sequence[str] | None) -> list[str]:
    """Paths as they were written in ``folder``, whole."""
    return [str(folder.absolute() / path) for path in files or []]


def read_json(text: str | None, file: str | None) -> dict[str, Any]:
    """The object of `--json-patch` or of the file of `--from-file`, empty without. Raises UsageError, NotFound."""
    if text is not None and file is not None:
        raise UsageError("--json-patch is without --from-file", hint="leave out one of them")
    if text is None and file is None:
        return {}
    body = _read(file) if file is not None else (text or "").encode("utf-8", "replace")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the patch is not JSON: {error}", hint='such as {"next_action": "run the tests"}') from error
    if not isinstance(found, dict):
        raise UsageError("the patch is not a JSON object", hint='such as {"next_action": "run the tests"}')
    return found


def _read(file: str) -> bytes:
    if file == "-":
        body = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        try:
            with user_path(file).open("rb") as stream:
                body = stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise NotFound(f"{file} cannot be read: {error.strerror}", hint="--from-file PATH, or -") from error
    if len(body) > MAX_BYTES:
        raise UsageError(f"a patch has at most {MAX_BYTES:,} bytes")
    return body
