"""Printing for people: data on stdout, everything else on stderr, colour only on request or on a terminal."""

from __future__ import annotations

import os
import sys
from codecs import lookup
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import orjson

from aicx import brief, terminal
from aicx.brief import QUOTED
from aicx.fields import to_fields
from aicx.paths import NON_REPOSITORY
from aicx.terminal import only_styles, without_controls
from aicx.text import local, said, zone_name
from aicx.text import plural as plural
from aicx.values import regex

if TYPE_CHECKING:
    from aicx.waiting import Waiting

# Titles are shortened, so that a link may lack its end.
_LINK = regex(r"\[([^\]\n]+)\]\([^)\s]*\)?")
# A longer folder is named by its last parts.
_FOLDER_LENGTH, _FOLDER_PARTS = 28, 2
_UNITS = ("B", "KB", "MB", "GB", "TB")


# Colours that can be read on a light and on a dark background, whatever they are called in a terminal's settings.
COLORS = {
    "red": 167, "green": 28, "yellow": 130, "cyan": 31, "magenta": 133, "blue": 32, "bright_black": 244, "white": 244,
}  # fmt: skip


_CODES = {
    "red": 31, "green": 32, "yellow": 33, "cyan": 36, "magenta": 35, "blue": 34, "bright_black": 90, "white": 37,
}  # fmt: skip
_STYLED = regex(r"\033\[[0-?]*[ -/]*[@-~]")


# Signs of our own texts, for a terminal that has none but those of ASCII.
_PLAIN = str.maketrans({
    "…": "...", "·": "-", "│": "|", "↳": ">", "→": "->", "←": "<-", "↑": "^", "•": "*", "“": '"', "”": '"',
    "\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'",
})  # fmt: skip


class Style:
    """How to print, set at the door: with colour? with exact dates in place of those that people say?"""

    color: bool = True
    exact: bool = False


def wants_color(environ: Mapping[str, str]) -> bool:
    """The convention of no-color.org, plus terminals that say they can do nothing."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def has_palette(environ: Mapping[str, str]) -> bool:
    """Whether the terminal has the 256 colours of which `COLORS` are some."""
    return "256" in environ.get("TERM", "") or bool(environ.get("COLORTERM"))


def style(text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None) -> str:
    """``text`` with a colour of `COLORS`, bold or dim; plain where colour is off."""
    if not Style.color:
        return text
    codes = [f"38;5;{COLORS[fg]}" if has_palette(os.environ) else str(_CODES[fg])] if fg else []
    codes += [str(code if wanted else 22) for code, wanted in ((1, bold), (2, dim)) if wanted is not None]
    return "".join([*(f"\033[{code}m" for code in codes), text, "\033[0m"])


def link(text: str, target: Path | str) -> str:
    """``text`` that opens a file or an address, on a terminal that has links; plain elsewhere."""
    if not _has_links():
        return text
    return terminal.linked(text, target if isinstance(target, str) and "://" in target else terminal.file_url(target))


def _has_links() -> bool:
    return Style.color and sys.stdout.isatty() and sys.stderr.isatty() and terminal.has_links(os.environ)


def when(at: datetime | str) -> str:
    """An instant as people say it on a terminal; exact with `-v`, and wherever a program may read it."""
    at = local(at)
    if Style.exact or not sys.stdout.isatty():
        return f"{at:%Y-%m-%d %H:%M}"
    return said(at, local(datetime.now(UTC)))


def confirm(question: str) -> None:
    """Asks at the terminal. Raises Abort for no."""
    import typer  # imported here, as wherever it is needed: it takes longer than most commands

    end_waiting()
    typer.confirm(question, abort=True, err=True)


# What waits for its whole life, or gives the terminal to another program.
_TAKING_THE_TERMINAL = frozenset({"hook", "run", "serve", "dashboard"})
_waiting: list[Waiting] = []  # the line of this command, if it has one


def begin_waiting(command: str) -> None:
    """From now on a silence is explained, where a person waits at a terminal that can take a line back."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "") in ("", "dumb") or command in _TAKING_THE_TERMINAL:
        return
    from aicx.waiting import Waiting

    _waiting.append(Waiting(command))


def end_waiting() -> None:
    """Ends the line of progress: an answer, a question or another program's output comes now."""
    while _waiting:
        _waiting.pop().end()


def out(text: str = "") -> None:
    """One line of data on stdout, in rows that fit a terminal. What a log wrote for a terminal to obey is left out."""
    text = fitting(only_styles(text), sys.stdout)
    if _held:
        _held[-1] += text.split("\n")
        return
    end_waiting()
    _echo(terminal.with_links(text), sys.stdout)


def _echo(text: str, stream: TextIO, end: str = "\n") -> None:
    """Writes ``text``, without its styles where no terminal shows them."""
    if lookup(stream.encoding or "ascii").name == "ascii" or sys.platform == "win32":
        import typer  # which finds a way to write all the same

        typer.echo(text, err=stream is sys.stderr, nl=bool(end), color=None if Style.color else False)
        return
    stream.write((text if Style.color and stream.isatty() else unstyled(text)) + end)
    stream.flush()


def unstyled(text: str) -> str:
    """``text`` without colours."""
    return _STYLED.sub("", text) if "\033" in text else text


def fitting(text: str, stream: TextIO) -> str:
    """``text`` in rows that fit the terminal of ``stream``, in signs that it has; unchanged for a file or a pipe."""
    if not stream.isatty():
        return text
    if not has_unicode(stream, os.environ):
        text = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode()
    # Imported here: what programs read is never folded.
    from aicx.folding import columns, fold

    return fold(text, columns(stream))


def terminal_size() -> os.terminal_size:
    """How wide and how high the terminal is."""
    from shutil import get_terminal_size  # imported here: what programs read has no width

    return get_terminal_size()


def has_unicode(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a terminal shows more than ASCII: its encoding has more, and its locale is not that of bare C."""
    locale = next(filter(None, map(environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    encoding = (stream.encoding or "utf-8").lower()
    return encoding.startswith("utf") and locale not in ("C", "POSIX")


@contextmanager
def may_stay_unread(confirmed: bool) -> Iterator[None]:
    """Shows a change that was ``confirmed``: a reader that stops in the middle, as `| head`, does not stop it."""
    try:
        yield
    except BrokenPipeError:
        if not confirmed:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def paged(*, wanted: bool = True) -> Iterator[None]:
    """Pages what `out` prints meanwhile, which is from logs, where stdout is a terminal that cannot hold it at once.

    Where it is none, an agent may read it, and it is between fences, with a line that says what it is.
    """
    if not sys.stdout.isatty():
        _held.append([])
        try:
            yield
        finally:
            quoted = _held.pop()
            if quoted:
                text = unstyled("\n".join(quoted)).strip("\n")
                _write(brief.page([], QUOTED, text).encode("utf-8", "surrogateescape"))
        return
    from aicx import pager  # imported here: what programs read is never paged

    command = pager.pager_command(os.environ) if wanted else []
    if not command:
        yield
        return
    _held.append([])
    try:
        yield
    finally:
        lines = _held.pop()
        size = terminal_size()
        body = "".join(f"{line}\n" for line in lines)
        end_waiting()
        if pager.fits(lines, size.columns, size.lines) or not pager.page(
            command, terminal.without_links(body), os.environ
        ):
            _echo(terminal.with_links(body), sys.stdout, end="")


_held: list[list[str]] = []  # lines that wait for their pager


def out_bytes(body: bytes) -> None:
    """Data on stdout, for text that is stored as bytes; without what a terminal would obey, as in `out`."""
    text = only_styles(body.decode("utf-8", "surrogateescape"))
    if _has_links():
        text = terminal.with_requests(text)
    text = fitting(text, sys.stdout)
    if _held:
        _held[-1] += text.removesuffix("\n").split("\n")
        return
    _write(terminal.with_links(text).encode("utf-8", "surrogateescape"))


def _write(body: bytes) -> None:
    end_waiting()
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
        import json

        body = json.dumps(payload, default=str).encode() + b"\n"
    _write(body)


def out_answer(schema: str, answer: Any) -> None:
    """An answer as one JSON object on one line of stdout."""
    out_json(schema, to_fields(answer))


def in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int], right: Collection[int] = ()) -> list[str]:
    """The lines of a table: all but the last cells of a row fill columns of ``widths``, with what parts them.

    On a terminal a column is as wide as its widest cell asks for; scripts get the widths that they know, and 0 is for
    what fits everywhere. The columns ``right`` have their cells at the right end.
    """
    from aicx.folding import cells

    sizes = [[cells(unstyled(cell)) for cell in row] for row in rows]
    is_seen = sys.stdout.isatty()
    widths = [
        max([least, *(row[at] + (1 if least else 2) for row in sizes if is_seen or not least)])
        for at, least in enumerate(widths)
    ]
    lines = []
    for row, known in zip(rows, sizes, strict=True):
        gaps = [" " * max(width - size, 1) for width, size in zip(widths, known, strict=False)]
        padded = [
            gap + cell if at in right else cell + gap for at, (cell, gap) in enumerate(zip(row, gaps, strict=False))
        ]
        lines.append("".join([*padded, *row[len(widths) :]]))
    return lines


def out_table(rows: Sequence[Sequence[str]], widths: Sequence[int], right: Collection[int] = ()) -> None:
    """The lines of `in_columns` on stdout."""
    for line in in_columns(rows, widths, right):
        out(line)


def notify(text: str = "") -> None:
    """One line for people, on stderr, in rows that fit a terminal."""
    text = terminal.with_links(fitting(only_styles(text), sys.stderr))
    with _waiting[-1].aside() if _waiting else nullcontext():
        _echo(text, sys.stderr)


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
    names = [waiting.name for waiting in _waiting]
    end_waiting()
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
    for name in names:
        begin_waiting(name)


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
    """Returns what to say of an item that speaks for several runs of one prompt."""
    return [f"{count:,} runs of this prompt"] if count > 1 else []


def title(fields: Mapping[str, Any]) -> str:
    """Returns what a session or a chunk is called, with the words of a Markdown link in its place."""
    found = fields.get("session_title") or fields.get("title") or "(no title)"
    return _LINK.sub(r"\1", str(found))
