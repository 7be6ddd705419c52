"""Asks a command that somebody configured: JSON in, JSON out, no shell, within a time. The one seam for such commands.

Secrets are taken out of what it is asked. Whatever goes wrong is an `OutsideError`, and its caller goes on without.
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from aicx.caller import caller

MAX_ANSWER = 256 * 1024  # bytes
_BLOCK = 64 * 1024


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
                words,
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=caller().environment,
                start_new_session=True,
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
            with suppress(OSError):  # with all that it started
                os.killpg(process.pid, signal.SIGKILL)
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
    from aicx.storage.texts import with_texts

    return with_texts(value, lambda text: redact(text).text)


def _read(process: subprocess.Popen[bytes], until: float) -> bytes:
    """Everything it prints. Raises TimeoutExpired, and OutsideError for too much."""
    assert process.stdout is not None
    body = b""
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            raise subprocess.TimeoutExpired(process.args, 0)
        block = os.read(process.stdout.fileno(), _BLOCK)
        if not block:
            return body
        body += block
        if len(body) > MAX_ANSWER:
            raise OutsideError(f"its answer is longer than {MAX_ANSWER} bytes")
