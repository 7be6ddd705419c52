"""Writes what a program printed as a log of its session, while it runs: free of secrets, bounded, for its owner only.

`aicx.sources.run` reads it. Output is written at pauses, in whole lines: never in the middle of a secret.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from queue import Empty, Queue
from threading import Thread
from typing import Any

import orjson

from aicx.config import Settings
from aicx.system import PRIVATE
from aicx.text import instant
from aicx.toolchains.terminal import plain

Clock = Callable[[], datetime]
# Bytes that are kept of what a program prints: its beginning, and its end.
HEAD, TAIL = 1024 * 1024, 256 * 1024
_PAUSE = 5.0  # seconds without output, after which it is written down
_ENDING = 65_536  # characters of the end that are looked at for what failed
_WAITING = 256  # blocks that may wait for this before the program has to
# What full-screen programs draw is no text to read.
_SCREEN = re.compile(r"\x1b\[\?(?:1049|1047|47)h.*?(?:\x1b\[\?(?:1049|1047|47)l|\Z)", re.DOTALL)
_BEGUN, _DONE = b"-----BEGIN ", b"-----END "  # a key that is still being printed


class Recorder:
    """The log of one run. It raises nothing: ``problem`` says why something could not be kept.

    With ``whole`` the output is one result, as that of a tool; else it is what an agent says. ``ending`` is the end of
    what was printed, once it has ended.
    """

    def __init__(self, settings: Settings, session: str, clock: Clock, *, whole: bool) -> None:
        self.problem: str | None = None
        self._session, self._clock, self._whole = session, clock, whole
        self._redacts = settings.redact_secrets
        self._folder = settings.layout.runs
        self._descriptor = -1
        self._queue: Queue[bytes | None] = Queue(_WAITING)
        self._piece, self._tail = bytearray(), bytearray()
        self._taken = self._left_out = 0
        self._last_line = ""
        self.ending = ""  # the end of what was printed, as it is kept
        self._started = time.monotonic()
        self._thread = Thread(target=self._listen, daemon=True)

    def begin(self, began: datetime, names: Mapping[str, str | None]) -> None:
        """Writes the ``command`` that ran, its ``cwd`` and ``branch``, and the ``task``."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._folder / f"{self._session}.jsonl"
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | PRIVATE, 0o600)
        except OSError as error:
            self.problem = f"cannot write {self._folder}: {error.strerror or error}"
        known = {key: self._clean(said) for key, said in names.items()}
        self._write({"type": "session", "id": self._session, **known}, began)
        self._thread.start()

    def hear(self, block: bytes) -> None:
        self._queue.put(block)

    def end(self, exit_code: int | None) -> None:
        """Writes the rest. Without an exit code the program did not start."""
        self._queue.put(None)
        self._thread.join()
        text = ""
        if self._whole:
            text, self._piece = self._text(bytes(self._piece)), bytearray()
        else:
            self._flush(last=True)
        if self._left_out:
            text += f"\n[{self._left_out} bytes of output left out]\n"
        if self._tail:
            text += self._text(bytes(self._tail))
        seconds = round(time.monotonic() - self._started, 3)
        self._write({"type": "end", "exit_code": exit_code, "seconds": seconds, **({"text": text} if text else {})})
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def _listen(self) -> None:
        while True:
            try:
                block = self._queue.get(timeout=_PAUSE if self._piece and not self._whole else None)
            except Empty:
                self._flush()
                continue
            if block is None:
                return
            kept = block[: max(0, HEAD - self._taken)]
            self._taken += len(kept)
            self._piece += kept
            self._tail += block[len(kept) :]
            if len(self._tail) > 2 * TAIL:
                self._left_out += self._trim()

    def _trim(self) -> int:
        """Forgets the older part of the tail, in whole lines; how many bytes."""
        cut = self._tail.find(b"\n", len(self._tail) - TAIL) + 1 or len(self._tail) - TAIL
        del self._tail[:cut]
        return cut

    def _flush(self, *, last: bool = False) -> None:
        """Writes the whole lines that there are; at the ``last`` call everything."""
        end = len(self._piece) if last else self._piece.rfind(b"\n") + 1
        if not last and self._piece.rfind(_BEGUN) > self._piece.rfind(_DONE):
            end = 0
        text = self._text(bytes(self._piece[:end]))
        del self._piece[:end]
        if text.strip():
            self._write({"type": "printed", "text": text})

    def _text(self, output: bytes) -> str:
        """``output`` as it is kept. The line before is looked at with it: it may say what the first value is."""
        shown = plain(_SCREEN.sub("", output.decode("utf-8", "replace")))
        text: str = self._clean(f"{self._last_line}\n{shown}").partition("\n")[2]
        self._last_line = shown.rstrip("\n").rpartition("\n")[2][:500]
        self.ending = (self.ending + text)[-_ENDING:]
        return text

    def _clean(self, text: Any) -> Any:
        if not text or not self._redacts:
            return text
        from aicx.redaction import redact  # imported here: its rules take a while to compile

        return redact(text).text

    def _write(self, record: dict[str, Any], at: datetime | None = None) -> None:
        if self.problem is not None:
            return
        at = (at or self._clock()).astimezone(UTC)
        body = orjson.dumps({**record, "at": instant(at)}, option=orjson.OPT_APPEND_NEWLINE)
        try:
            while body:
                body = body[os.write(self._descriptor, body) :]
        except OSError as error:
            self.problem = f"cannot write {self._folder}: {error.strerror or error}"
