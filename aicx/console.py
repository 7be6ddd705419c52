"""Printing for people: data on stdout, everything else on stderr, colour only on request or on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TextIO

import orjson
import typer

from aicx import pager
from aicx.fields import to_fields
from aicx.paths import NON_REPOSITORY
from aicx.quoting import QUOTED, fenced
from aicx.terminal import only_styles, without_controls
from aicx.text import plural as plural
from aicx.text import zone_name

# Titles are shortened, so that a link may lack its end.
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\s]*\)?")
# A longer folder is named by its last parts.
_FOLDER_LENGTH, _FOLDER_PARTS = 28, 2
_UNITS = ("B", "KB", "MB", "GB", "TB")


class Style:
    """Whether to use colour; set once at the door from `--no-color`, `NO_COLOR` and the terminal."""

    color: bool = True


def wants_color(environ: Mapping[str, str]) -> bool:
    """The convention of no-color.org, plus terminals that say they can do nothing."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def style(text: str, **how: Any) -> str:
    """``text`` with colour; plain where colour is off. Takes the arguments of `click.style`."""
    return typer.style(text, **how) if Style.color else text


def out(text: str = "") -> None:
    """One line of data on stdout, in rows that fit a terminal. What a log wrote for a terminal to obey is left out."""
    text = fitting(only_styles(text), sys.stdout)
    if _held:
        _held[-1] += text.split("\n")
        return
    typer.echo(text, color=None if Style.color else False)


def fitting(text: str, stream: TextIO) -> str:
    """``text`` in rows that fit the terminal of ``stream``; as it is where that is a file or a pipe."""
    if not stream.isatty():
        return text
    # Imported here: what programs read is never folded.
    from aicx.folding import columns, fold

    return fold(text, columns(stream))


@contextmanager
def may_stay_unread(confirmed: bool) -> Iterator[None]:
    """What shows a change that was ``confirmed``: a reader that stops in the middle, as `| head`, does not stop it."""
    try:
        yield
    except BrokenPipeError:
        if not confirmed:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def paged(*, wanted: bool = True) -> Iterator[None]:
    """What `out` prints meanwhile is from logs: through a pager where stdout is a terminal that cannot hold it at once.

    Where it is none, an agent may read it, and it is between fences, with a line that says what it is.
    """
    if not sys.stdout.isatty():
        _held.append([])
        try:
            yield
        finally:
            quoted = _held.pop()
            if quoted:
                text = typer.unstyle("\n".join(quoted)).strip("\n")
                _write(f"{QUOTED}\n\n{fenced(text)}\n".encode("utf-8", "surrogateescape"))
        return
    command = pager.pager_command(os.environ) if wanted else []
    if not command:
        yield
        return
    _held.append([])
    try:
        yield
    finally:
        lines = _held.pop()
        size = get_terminal_size()
        body = "".join(f"{line}\n" for line in lines)
        if pager.fits(lines, size.columns, size.lines) or not pager.page(command, body, os.environ):
            typer.echo(body, nl=False, color=None if Style.color else False)


_held: list[list[str]] = []  # lines that wait for their pager


def out_bytes(body: bytes) -> None:
    """Data on stdout, for text that is stored as bytes; without what a terminal would obey, as in `out`."""
    text = fitting(only_styles(body.decode("utf-8", "surrogateescape")), sys.stdout)
    if _held:
        _held[-1] += text.removesuffix("\n").split("\n")
        return
    _write(text.encode("utf-8", "surrogateescape"))


def _write(body: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def out_json(schema: str, fields: Mapping[str, Any]) -> None:
    """One JSON object on one line of stdout, its schema first."""
    payload = {"schema": schema, **fields}
    try:
        body = orjson.dumps(payload, default=str, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        # A file name that is not UTF-8 reaches Python as lone surrogates; the standard library escapes them.
        body = json.dumps(payload, default=str).encode() + b"\n"
    _write(body)


def out_answer(schema: str, answer: Any) -> None:
    """An answer as one JSON object on one line of stdout."""
    out_json(schema, to_fields(answer))


def notify(text: str = "") -> None:
    """One line for people, on stderr, in rows that fit a terminal."""
    typer.echo(fitting(only_styles(text), sys.stderr), err=True, color=None if Style.color else False)


def out_list(heading: str, texts: Iterable[str]) -> None:
    """A heading with a line for each text; nothing without any."""
    for number, text in enumerate(texts):
        if number == 0:
            out(f"  {heading}:")
        out(f"    - {text}")


def notify_notes(notes: Iterable[str]) -> None:
    """The remarks of an answer, each on a line for people."""
    for note in notes:
        notify(f"note: {note}")


def warn(text: str) -> None:
    notify(f"{style('warning:', fg='yellow', bold=True)} {text}")


def progress_bar(label: str) -> AbstractContextManager[Callable[[int, int, str], None]]:
    """A bar on stderr while it is a terminal; the function it gives takes (bytes done, total, what it is at).

    A total of 0 means that it is not known yet.
    """
    return _bar(label, in_bytes=True)


def count_bar(label: str) -> AbstractContextManager[Callable[[int, int, str], None]]:
    """As `progress_bar`, for things that are counted rather than measured in bytes."""
    return _bar(label, in_bytes=False)


@contextmanager
def _bar(label: str, *, in_bytes: bool) -> Iterator[Callable[[int, int, str], None]]:
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total, at: None
        return
    # Imported here: a cold `steer` has no bar and should not pay for one.
    from rich import progress
    from rich.console import Console

    amount = (
        (progress.DownloadColumn(), progress.TransferSpeedColumn()) if in_bytes else (progress.MofNCompleteColumn(),)
    )
    columns = (
        progress.TextColumn("[bold]{task.description}"),
        progress.BarColumn(),
        *amount,
        progress.TimeRemainingColumn(),
        progress.TextColumn("[dim]{task.fields[at]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True, no_color=not Style.color), transient=True) as bar:
        task = bar.add_task(label, total=None, at="")

        def on_progress(done: int, total: int, at: str) -> None:
            bar.update(task, completed=done, total=total or None, at=without_controls(at)[:24])

        yield on_progress


def say_zone() -> None:
    """Says on which clock the times are that were printed; once a command."""
    zone = zone_name(datetime.now(UTC))
    notify(f"Times are {zone}." if zone == "UTC" else f"Times are {zone}; --utc shows UTC.")


def size(count: float) -> str:
    """A number of bytes as people write it."""
    for unit in _UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {_UNITS[-1]}"


def place(project: str, folder: str | None) -> str:
    """Where a session worked, in a word: its repository, or its folder where that is none."""
    if project != NON_REPOSITORY:
        return project
    if folder is None:
        return "no repository"
    home = str(Path.home())
    folder = f"~{folder.removeprefix(home)}" if f"{folder}/".startswith(f"{home}/") else folder
    parts = folder.rsplit("/", _FOLDER_PARTS)
    return f"…/{'/'.join(parts[1:])}" if len(folder) > _FOLDER_LENGTH and len(parts) > _FOLDER_PARTS else folder


def runs(count: int) -> list[str]:
    """What to say of an item that speaks for several runs of one prompt."""
    return [f"{count:,} runs of this prompt"] if count > 1 else []


def title(fields: Mapping[str, Any]) -> str:
    """What a session or a chunk is called, with the words of a Markdown link in its place."""
    found = fields.get("session_title") or fields.get("title") or "(no title)"
    return _LINK.sub(r"\1", str(found))
