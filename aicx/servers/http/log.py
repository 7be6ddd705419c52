"""Log messages of libraries, as one line each on stderr."""

from __future__ import annotations

import logging
import sys
from typing import Any


def log_in_lines(*, debug: bool) -> None:
    """Sets up logging so that an error is one line; its traceback comes with it only where ``debug`` asks for it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("aicx: %(message)s") if debug else _OneLine("aicx: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return " ".join(super().format(record).split())

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        return f"({ei[0].__name__})"
