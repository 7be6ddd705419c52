"""A process that reads files for a refresh: requests on stdin, answers on stdout, one JSON text a line.

A grammar is foreign code reading foreign text. Here it may crash, or never come to an end, without taking the refresh
along. The process ends by itself when whoever started it is gone.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import orjson

from aicx.repomap.examine import examine

READY = b"ready\n"


def main(root: str) -> None:
    # An interrupt is for the process that started this one; it decides, and this one ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    for line in sys.stdin.buffer:
        out.write(orjson.dumps([_answer(root, *task) for task in orjson.loads(line)]) + b"\n")
        out.flush()


def _answer(root: str, path: str, language: str | None, digest: str | None) -> Any:
    """Examines a file; returns its record as a list, or as a text the reason why it cannot be read."""
    try:
        return list(examine(root, path, language, digest))
    except Exception as error:  # noqa: BLE001 - a file costs itself, whatever is wrong with it
        strerror = getattr(error, "strerror", None)
        return strerror or f"{type(error).__name__}: {error}"
