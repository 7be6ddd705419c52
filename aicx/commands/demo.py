"""`aicx demo`: the main job on invented logs, in a home of its own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.demo import Demo, DemoCheck, DemoOutput, meaning_is_installed
from aicx.errors import AicxError, UsageError
from aicx.folding import columns, fold
from aicx.installation import install_command
from aicx.paths import user_path
from aicx.questions import PATH, Option
from aicx.storage import check_outside
from aicx.values import dataclass

SCHEMA = "aicx.demo/1"
# What the demo is set in: 80 columns, or fewer where the terminal has fewer. Longer text is wrapped; a path is cut,
# since wrapped ones would bury what the step is about. `--json` has everything as it was printed.
_COLUMNS = 80
_GUTTER = len("  │ ")

Keep = Annotated[
    str | None,
    Option("--keep", metavar="DIR", click_type=PATH, help="Use this folder, new or empty, and keep everything in it."),
]
NoMeaning = Annotated[bool, Option("--no-meaning", help="Leave out semantic search, which takes some seconds more.")]


@dataclass(frozen=True, slots=True)
class DemoStep:
    """A command that was run."""

    story: Annotated[str, "what it shows"]
    command: Annotated[str, "as typed"]
    exit_code: Annotated[int, "of the command"]
    output: Annotated[str, "what it printed"]


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """The demo's steps as they went, and its claims."""

    ok: Annotated[bool, "whether every check holds; else the exit code is 1"]
    kept_in: Annotated[str | None, "the folder of `--keep`, or null"]
    log_files: Annotated[int, "number of invented log files"]
    steps: Annotated[list[DemoStep], "in their order"]
    skipped: Annotated[list[str], "commands that were left out, and why"]
    checks: Annotated[list[DemoCheck], "what was looked at in the end"]


def command(keep: Keep = None, no_meaning: NoMeaning = False, json: options.Json = False) -> int:
    """Show the main job on invented logs: store them, search, resume, ask why, find a planted key redacted.

    `resume` and `why` ask git, and are left out where it is not installed. If the optional parts are installed, it also
    builds a vector index and answers one question both ways.

    Nothing of yours is read or written: the demo uses a temporary home folder and deletes it afterwards.

    Example: aicx demo
    Example: aicx demo --keep /tmp/aicx-demo   to look around in it
    """
    meaning = not no_meaning and meaning_is_installed()
    if keep is None:
        with TemporaryDirectory(prefix="aicx-demo-") as folder:
            holds = _perform(Demo(Path(folder), meaning=meaning), json=json, keep=False)
    else:
        holds = _perform(Demo(_empty_folder(keep), meaning=meaning), json=json, keep=True)
    return 0 if holds else AicxError.exit_code


def _empty_folder(text: str) -> Path:
    folder = user_path(text)
    check_outside(folder, load_settings().corpus_folders)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder", hint="name one that does not exist yet")
    return folder


def _perform(demo: Demo, *, json: bool, keep: bool) -> bool:
    """Runs the demo and shows it; says whether everything it claims was found to hold."""
    count = demo.set_up()
    if json:
        shown = list(demo.steps())
        if demo.meaning:
            shown += demo.compare()
        checks = demo.checks()
        _print_json(demo, count, shown, checks, keep=keep)
    else:
        _print_opening(count)
        for reason in demo.skipped:
            console.out(f"Left out: {reason}.")
        for number, item in enumerate(demo.steps(), 1):
            _print_step(number, len(demo.plan) + demo.meaning, item)
        if demo.meaning:
            _print_compared(len(demo.plan) + 1, demo.compare())
        checks = demo.checks()
        _print_checks(checks)
        _print_next(demo, keep=keep)
    return all(check.holds for check in checks)


def _print_json(
    demo: Demo, count: int, shown: Sequence[DemoOutput], checks: Sequence[DemoCheck], *, keep: bool
) -> None:
    steps = [DemoStep(item.step.story, item.command, item.exit_code, item.output) for item in shown]
    kept = str(demo.home) if keep else None
    console.out_answer(
        SCHEMA, DemoAnswer(all(check.holds for check in checks), kept, count, steps, demo.skipped, list(checks))
    )


def _print_opening(count: int) -> None:
    name = console.style("aicx demo", bold=True)
    console.out(f"{name}: {count} invented logs of Claude Code, Codex, Gemini CLI and Antigravity.")
    console.out("Below, ~ is a home folder made for the demo; your own logs stay as they are.")


def _print_step(number: int, total: int, shown: DemoOutput) -> None:
    out, style = console.out, console.style
    out()
    for line in wrap(f"{number}/{total}  {shown.step.story}", _columns(), subsequent_indent="     "):
        out(style(line, fg="cyan", bold=True))
    out(f"  $ {style(shown.command, bold=True)}")
    for line in shown.excerpt:
        for row in _rows(line):
            out(f"  {style('│', dim=True)} {_colored(row)}".rstrip())


def _print_compared(number: int, compared: tuple[DemoOutput, DemoOutput]) -> None:
    """Two answers to one question, side by side."""
    out, style = console.out, console.style
    half = (_columns() - _GUTTER) // 2 - 2
    out()
    for line in wrap(f"{number}/{number}  {compared[0].step.story}", _columns(), subsequent_indent="     "):
        out(style(line, fg="cyan", bold=True))
    out(f"  $ {style(shlex.join(('aicx', *compared[0].step.arguments[:2])), bold=True)}")
    halves = [[f"--mode {shown.step.arguments[3]}", *shown.excerpt] for shown in compared]
    for row, (left, right) in enumerate(zip_longest(*halves, fillvalue="")):
        left, right = _fit(left, half), _fit(right, half)
        cells = f"{left:<{half}} {style('│', dim=True)} {right}".rstrip()
        out(f"  {style('│', dim=True)} {style(cells, bold=True) if row == 0 else cells}")


def _columns() -> int:
    return min(_COLUMNS, columns(sys.stdout)) if sys.stdout.isatty() else _COLUMNS


def _rows(line: str) -> list[str]:
    """``line`` in rows that fit, set in as far as it begins."""
    width = _columns() - _GUTTER
    if len(line) <= width or _begins_with_path(line):
        return [_fit(line, width)]
    return fold(line, width).split("\n")


def _begins_with_path(line: str) -> bool:
    return "/" in line.split(maxsplit=1)[0]


def _fit(line: str, width: int) -> str:
    """``line`` cut to the width: a path in its middle, since it says the most at its end; words at the end."""
    if len(line) <= width:
        return line
    if not _begins_with_path(line):
        return f"{line[: width - 1]}…"
    tail = line[-width // 3 :]
    return f"{line[: width - len(tail) - 1]}…{tail}"


def _colored(line: str) -> str:
    start, mark, rest = line.partition("[REDACTED:")
    if not mark:
        return line
    rule, bracket, end = rest.partition("]")
    return start + console.style(f"{mark}{rule}{bracket}", fg="magenta", bold=True) + end


def _print_checks(checks: Sequence[DemoCheck]) -> None:
    out, style = console.out, console.style
    out()
    out(style("Checked just now, on disk:", bold=True))
    for check in checks:
        out(f"  {style('yes', fg='green') if check.holds else style('NO ', fg='red', bold=True)}  {check.claim}")


def _print_next(demo: Demo, *, keep: bool) -> None:
    out, style = console.out, console.style
    out()
    if keep:
        out(f"Look around with: AICX_HOME={demo.home / '.aicx'} aicx status --projects")
        out("On your own logs, which are only read:")
    else:
        out("All of it is gone again. On your own logs, which are only read:")
    out(f"  {style('aicx store', bold=True)}             keep all that the agents have logged so far, in ~/.aicx")
    out(f"  {style('aicx search QUESTION', bold=True)}   find the passages that answer it")
    out(f"  {style('aicx steer --since 7d', bold=True)}  see what happened in the last week")
    out(f"  {style('aicx doctor', bold=True)}            see whether all is well")
    if not meaning_is_installed():
        out(f"Semantic search needs more parts: {install_command('semantic')}, then: aicx index")
