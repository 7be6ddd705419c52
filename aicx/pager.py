"""Shows what does not fit a terminal through the pager of the person who reads it."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from shutil import which

from aicx.values import regex

_STYLE = regex(r"\x1b\[[0-9;]*m")
# Colours are passed on, and the screen is left as it was read.
_LESS = "-RX"


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """The pager to run: `AICX_PAGER`, else `PAGER`, else `less`. Empty where none is wanted or there is none."""
    asked = environ.get("AICX_PAGER", environ.get("PAGER"))
    try:
        words = shlex.split("less" if asked is None else asked)
    except ValueError:  # an unbalanced quote
        return []
    return words if words and words != ["cat"] and which(words[0]) and environ.get("TERM") != "dumb" else []


def fits(lines: Sequence[str], columns: int, rows: int) -> bool:
    """Whether all lines are seen at once, with a row left for the prompt."""
    return sum(max(1, -(-len(_STYLE.sub("", line)) // max(columns, 1))) for line in lines) < rows


def page(command: Sequence[str], text: str, environ: Mapping[str, str]) -> bool:
    """Runs the pager over ``text`` until it is left; False where it cannot be started."""
    try:
        process = subprocess.Popen(list(command), stdin=subprocess.PIPE, env={"LESS": _LESS, **environ})
    except OSError:
        return False
    with suppress(BrokenPipeError, KeyboardInterrupt):  # it was left before the end
        process.communicate(text.encode("utf-8", "replace"))
    while process.poll() is None:
        with suppress(KeyboardInterrupt):  # the pager answers that itself
            process.wait()
    return True
