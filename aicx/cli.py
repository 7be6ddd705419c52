"""The command line: its start, and the boundary where every error becomes a line."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from aicx import console, options
from aicx.commands import COMMANDS, INSTEAD
from aicx.errors import AicxError, NotFound, StoreUnwritable
from aicx.questions import Option, questions_of, read

_INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


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
    name = "aicx"
    try:
        line = _in_order(arguments)
        try:
            if plain := plain_call(line):
                name, command = plain
                result = command()
            else:
                from aicx.menu import tree  # imported here: typer takes longer than most commands

                result = tree()(args=line, prog_name="aicx", standalone_mode=False)
        except options.Ended as ended:
            result = ended.code
        sys.stdout.flush()
    except AicxError as error:
        _report(error.message, error.hint, type(error).__name__, wants_json)
        return error.exit_code
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # somebody's own exit, with its own code
        # The reader had enough (`| head`), which click makes an exit. Python would complain again when closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        result = _INTERRUPTED
    except EOFError:
        console.notify()
        return _stopped()
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
        if click := sys.modules.get("click"):
            if isinstance(error, click.ClickException):
                return _wrong_usage(error, name, wants_json)
            if isinstance(error, click.Abort):
                return _stopped()
        return _internal(error, wants_json)
    if result == _INTERRUPTED:
        console.notify("interrupted; everything stored so far is whole")
    return result if isinstance(result, int) else 0


def _wrong_usage(error: Any, name: str, wants_json: bool) -> int:
    """Reports what click found wrong with the line of a command."""
    context = getattr(error, "ctx", None)
    hint = f"{context.command_path if context else name} --help"
    # Click lists the values to choose from below each other.
    _report(" ".join(error.format_message().split()), hint, type(error).__name__, wants_json)
    code: int = error.exit_code
    return code


def _stopped() -> int:
    console.notify("stopped; nothing was changed")
    return _INTERRUPTED


def plain_call(arguments: Sequence[str]) -> tuple[str, Callable[[], Any]] | None:
    """The command of a plain line, by name and ready to be called; None where typer has to read the line."""
    words = list(arguments)
    table: Mapping[str, str] = COMMANDS
    path = ["aicx"]
    found: Any = None
    while words and words[0] in table:
        path.append(words.pop(0))
        module, _, function = table[path[-1]].partition(":")
        found = getattr(import_module(module), function or "command")
        if not hasattr(found, "commands"):
            break
        table = found.commands
    else:
        return None
    asking_for_others = {word for words in INSTEAD.get(path[1], ()) for word in words.split() if word.startswith("--")}
    if len(path) == 2 and any(word.partition("=")[0] in asking_for_others for word in words):
        return None
    command = options.answering(found)
    options.reset(color=console.wants_color(os.environ))
    asked = questions_of(command)
    names = {one.name for one in asked}
    exact = [Option("--verbose", "-v").of("verbose", bool, False)] * ("utc" in names and "verbose" not in names)
    values = read([*asked, *exact], words)
    if values is None:
        return None
    console.Style.exact = bool(values.get("verbose"))
    for one in exact:
        del values[one.name]
    return " ".join(path), partial(options.call, command, values)


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
