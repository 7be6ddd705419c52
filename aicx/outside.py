"""Asks a command that somebody configured: JSON in, JSON out, no shell, within a time. The one seam for such commands.

Secrets are taken out of what it is asked. Whatever goes wrong is an `OutsideError`, and its caller goes on without.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping
from threading import Thread
from typing import Any

import orjson

from aicx.caller import caller
from aicx.system import APART, end_group

MAX_ANSWER = 256 * 1024  # bytes


class OutsideError(Exception):
    """Why there is no answer, in a few words that hold nothing of what the command printed."""


class NotJson(OutsideError):
    """The command ended well, and what it printed is no JSON object."""


def ask_outside(command: str, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The object with which ``command`` answers ``question`` within ``seconds``. Raises OutsideError."""
    until = time.monotonic() + seconds
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OutsideError(f"its words cannot be told apart: {error}") from error
    if not words:
        raise OutsideError("it is empty")
    # From a file: what does not read its question blocks nobody.
    with tempfile.TemporaryFile() as asked:
        asked.write(orjson.dumps(redacted(question), option=orjson.OPT_APPEND_NEWLINE))
        asked.seek(0)
        try:
            process = subprocess.Popen(
                words, stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=caller().environment, **APART
            )
        except OSError as error:
            raise OutsideError(f"it does not start: {error.strerror or error}") from error
    with process:
        try:
            body = _read(process, until)
            code = process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            raise OutsideError(f"no answer within {seconds:.2g} s") from error
        finally:
            end_group(process)
    if code:
        raise OutsideError(f"it ended with exit code {code}")
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NotJson("its answer is not JSON") from error
    if not isinstance(answer, dict):
        raise NotJson("its answer is not a JSON object")
    return answer


def redacted(value: Any) -> Any:
    """``value`` with every text in it free of secrets."""
    from aicx.redaction import redact  # imported here: its rules take a while to compile
    from aicx.storage.typed import with_texts

    return with_texts(value, lambda text: redact(text).text)


def _read(process: subprocess.Popen[bytes], until: float) -> bytes:
    """Everything it prints. Raises TimeoutExpired, and OutsideError for too much."""
    assert process.stdout is not None
    parts: list[bytes] = []
    # A thread with a descriptor of its own: not every system can wait for a pipe with a time limit.
    reading = Thread(target=_copy, args=(os.dup(process.stdout.fileno()), parts), daemon=True)
    reading.start()
    reading.join(max(0.0, until - time.monotonic()))
    if reading.is_alive():
        raise subprocess.TimeoutExpired(process.args, 0)
    body = b"".join(parts)
    if len(body) > MAX_ANSWER:
        raise OutsideError(f"its answer is longer than {MAX_ANSWER} bytes")
    return body


def _copy(source: int, parts: list[bytes]) -> None:
    with os.fdopen(source, "rb") as stream:
        parts.append(stream.read(MAX_ANSWER + 1))
