"""The one thing the dashboard does besides reading: a run of `aicx store`, as a process of its own."""

from __future__ import annotations

import asyncio
import os
import struct
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from mmap import mmap

import orjson

from aicx.config import Settings
from aicx.corpus.doctor.inputs import current_writer
from aicx.errors import StoreLocked
from aicx.installation import program
from aicx.servers.dashboard.responses import Status
from aicx.servers.http.token import private
from aicx.system import interrupt, is_running

_SECONDS_TO_STOP = 5


class _SharedRuns:
    """The runs of a server as its processes know them: a piece of memory that those forked from this one share."""

    _HEAD = struct.Struct("=qqq")  # the process that began a run, or 0; how many ended well; the bytes of an error

    def __init__(self) -> None:
        self._memory = mmap(-1, 4096)

    def read(self) -> tuple[int, int, str | None]:
        """The process of the server that has begun a run, or 0; how many ended well; why the last one did not."""
        begun, count, length = self._HEAD.unpack_from(self._memory)
        error = self._memory[self._HEAD.size : self._HEAD.size + length].decode("utf-8", "replace")
        return (begun if begun and is_running(begun) else 0), count, error or None

    def write(self, begun: int, count: int, error: str | None) -> None:
        body = (error or "").encode()[: len(self._memory) - self._HEAD.size]
        self._memory[self._HEAD.size : self._HEAD.size + len(body)] = body
        self._HEAD.pack_into(self._memory, 0, begun, count, len(body))


class Rebuilding:
    """At most one run at a time; how many there were, and what the last one failed with.

    ``done`` is called after each. Used in the server's event loop, except for `told`, which only looks. Processes that
    are forked from the one that made it tell the same.
    """

    def __init__(self, settings: Settings, done: Callable[[], None]) -> None:
        self._settings = settings
        self._done = done
        self._runs = _SharedRuns()
        self._process: Process | None = None
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins a run. Raises StoreLocked while one is going on, of ours or of anybody else."""
        begun, count, error = self._runs.read()
        if begun:
            raise StoreLocked("the corpus is being brought up to date already", hint="/api/status says when it is done")
        if writer := current_writer(self._settings.layout):
            raise StoreLocked(f"another aicx (process {writer}) is writing", hint="ask again when it has finished")
        self._runs.write(os.getpid(), count, error)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *program(),
                "store",
                "--json",
                env=_environment(self._settings),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,
            )
        except OSError:
            self._runs.write(0, count, error)
            raise
        self._watching = asyncio.create_task(self._watch(self._process))

    async def stop(self) -> None:
        """Ends a run that is going on: everything it has stored so far is whole, and the next one goes on."""
        if self._process is None or self._watching is None or self._watching.done():
            return
        with suppress(ProcessLookupError):
            interrupt(self._process)
        try:
            await asyncio.wait_for(asyncio.shield(self._watching), _SECONDS_TO_STOP)
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._watching

    def told(self, status: Status) -> Status:
        """A status with what is to be said of runs."""
        begun, count, error = self._runs.read()
        return replace(status, rebuilding=bool(begun) or status.rebuilding, build_count=count, last_error=error)

    async def _watch(self, process: Process) -> None:
        _, count, error = self._runs.read()
        try:
            said, _ = await process.communicate()
            error = None if process.returncode == 0 else self._failure(process, said)
            count += process.returncode == 0
        finally:
            self._done()
            self._runs.write(0, count, error)

    def _failure(self, process: Process, said: bytes) -> str:
        try:
            fields = orjson.loads(said.splitlines()[-1])
            text = f"{fields['error']}; {fields['hint']}" if fields["hint"] else fields["error"]
        except (LookupError, TypeError, orjson.JSONDecodeError):
            text = f"`aicx store` ended with exit code {process.returncode}"
        return private(self._settings, str(text))


def _environment(settings: Settings) -> dict[str, str]:
    """The server's own, with the places it was given said outright, and without the token, which `store` needs not."""
    places = {
        "HOME": settings.user_home,
        "AICX_HOME": settings.layout.home.absolute(),
        "CLAUDE_CONFIG_DIR": settings.homes.claude,
        "CODEX_HOME": settings.homes.codex,
    }
    own = {name: value for name, value in os.environ.items() if name != "AICX_HTTP_AUTH_TOKEN"}
    return own | {name: str(place) for name, place in places.items()}
