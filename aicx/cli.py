"""The command line: its start, and the boundary where every error becomes a line."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Sequence
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import click
import typer

import aicx
from aicx import console
from aicx.errors import AicxError, NotFound, StoreUnwritable
from aicx.menu import CONTEXT, Root
from aicx.text import Zone

_INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


app = typer.Typer(cls=Root, rich_markup_mode=None, context_settings=CONTEXT)


def _version(wanted: bool) -> None:
    if wanted:
        from aicx.installation import clash  # imported here: only this and `doctor` look for it

        console.out(f"aicx {aicx.__version__}")
        if other := clash():
            console.warn(other)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR=1.")] = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Keep the logs of your coding agents as a corpus you own, and search it.

    Start with `aicx store`, which reads the logs of the agents on this machine and changes none of them. Then try
    `aicx resume` in a repository, or `aicx search QUESTION`. `aicx demo` shows it all on invented logs.

    The corpus is in ~/.aicx, or in the folder named by AICX_HOME. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not
    found, 4 optional part missing, 5 another writer is busy, 6 cannot write, 7 a stored file is damaged, 8 a log cannot
    be read, 9 a memory policy is malformed, 10 a newer aicx wrote the home, 70 a bug in aicx, 130 interrupted.
    """
    console.Style.color = console.wants_color(os.environ) and not no_color
    Zone.utc = console.Style.exact = False  # until a command's own `--utc` and `--verbose`
    if ctx.invoked_subcommand is None:
        from aicx.commands import begin

        begin.command()


@cache
def _tree() -> click.Command:
    return typer.main.get_command(app)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; every failure ends here as a line a person can use."""
    if arguments and not arguments[0].startswith("-"):
        console.begin_waiting(arguments[0])
    try:
        return _run(arguments)
    finally:
        console.end_waiting()


def _run(arguments: Sequence[str]) -> int:
    wants_json = "--json" in arguments or "-j" in arguments
    if isinstance(sys.stdout, TextIOWrapper):
        # As stderr does it: a file's name may be no UTF-8, and a terminal may know fewer signs than that.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        result = _tree()(args=_in_order(arguments), prog_name="aicx", standalone_mode=False)
        sys.stdout.flush()
    except AicxError as error:
        _report(error.message, error.hint, type(error).__name__, wants_json)
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"{context.command_path if context else 'aicx'} --help"
        # Click lists the values to choose from below each other.
        _report(" ".join(error.format_message().split()), hint, type(error).__name__, wants_json)
        return error.exit_code
    except click.Abort:
        console.notify("stopped; nothing was changed")
        return _INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # somebody's own exit, with its own code
        # The reader had enough (`| head`), which click makes an exit. Python would complain again when closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in _FULL:
            if not _is_somewhere():
                _report("the current folder was deleted", "cd to another one", "NotFound", wants_json)
                return NotFound.exit_code
            return _internal(error, wants_json)
        # What is still to be written, and an answer in JSON, would meet the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _report(
            f"cannot write: {error.strerror}", "free some space, or write to another place", "StoreUnwritable", False
        )
        return StoreUnwritable.exit_code
    except Exception as error:  # noqa: BLE001 - the last boundary: a bug becomes a line, not a page
        return _internal(error, wants_json)
    if result == _INTERRUPTED:
        console.notify("interrupted; everything stored so far is whole")
    return result if isinstance(result, int) else 0


def _is_somewhere() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _is_clock_readable() -> bool:
    try:
        time.time()
    except OverflowError:
        return False
    return True


def _in_order(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--no-color` in front, which people write after the command as well."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--no-color" not in options:
        return list(arguments)
    plain = [argument for argument in options if argument != "--no-color"]
    return ["--no-color", *plain, *arguments[len(options) :]]


def _report(message: str, hint: str | None, kind: str, wants_json: bool) -> None:
    from aicx.redaction import redact

    message, hint = redact(message).text, hint and redact(hint).text
    if wants_json:
        from aicx.failure import SCHEMA, Failure

        console.out_answer(SCHEMA, Failure(error=message, kind=kind, hint=hint))
        return
    console.notify(f"{console.style('error:', fg='red', bold=True)} {message}")
    if hint:
        console.notify(f"{console.style(' next:', fg='cyan', bold=True)} {hint}")


def _internal(error: Exception, wants_json: bool) -> int:
    if not _is_clock_readable():
        _report(
            "the clock is set beyond the year 2262, which Python cannot read",
            "set it: date",
            "ClockUnreadable",
            wants_json,
        )
        return AicxError.exit_code
    _report(f"internal error: {type(error).__name__}: {error}", _bug_hint(), "InternalError", wants_json)
    return _INTERNAL_ERROR


def _bug_hint() -> str:
    if os.environ.get("AICX_DEBUG"):
        import traceback

        traceback.print_exc()
    return "this is a bug in aicx; AICX_DEBUG=1 shows where"
