"""A peer's process, spoken to in lines of JSON, and stopped when it hangs."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from aicx.bench.rankers import RankerFailed

# For the first index of a large set; the limit of the run for one ranker comes first unless it is longer than this.
BUILD_SECONDS = 7200.0
OPEN_SECONDS = 180.0
ASK_SECONDS = 30.0
_DYING_SECONDS = 2.0
_LAST_WORDS = 300


class PeerFailed(RankerFailed):
    """A peer crashed, hung, or answered what cannot be understood."""


class Worker:
    """A script of ours in the peer's environment: one request, one answer, each a line.

    It leads a session of its own, so that whatever the peer starts is stopped with it; and it stops by itself when we
    are gone, since its standard input then ends. What the peer prints goes to ``log``.
    """

    def __init__(self, name: str, command: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
        self._name = name
        self._log = folder / "peer.log"
        with self._log.open("ab") as log:
            try:
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=folder,
                    env=dict(environ),
                    start_new_session=True,
                )
            except OSError as error:
                raise PeerFailed(f"{name} cannot be started: {error}") from error
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to ``request``.

        An error that the script reports leaves it running; anything else than an answer in time ends it.
        """
        what = request["do"]
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise PeerFailed(f"{self._name} did not {what} within {seconds:.0f} s") from None
        except OSError:
            line = b""
        if not line:
            code = self._dying()
            raise PeerFailed(f"{self._name} died with exit code {code} when asked to {what}", self._last_words())
        try:
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError("it is no object")
        except ValueError:
            self.close()
            said = line[:80].decode("utf-8", "replace").strip()
            raise PeerFailed(f"{self._name} gave no answer when asked to {what}", repr(said)) from None
        if "error" in answer:
            raise PeerFailed(f"{self._name} failed to {what}", " ".join(str(answer["error"]).split()))
        return answer

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> int:
        """Ends the process and all it started, and gives its exit code."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was written last has no reader any more
                    pipe.close()
        return code

    def _dying(self) -> int:
        """The exit code of a process that has nothing more to say: its own, where it is ending by itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_DYING_SECONDS)
        return self.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError):  # it is closed under our hands
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def _last_words(self) -> str:
        try:
            said = self._log.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(said) if line.strip()), "")
