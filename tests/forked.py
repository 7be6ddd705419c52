"""Commands in processes of their own, forked from one that has imported their libraries: a tenth of a start.

The program is what a `ForkedCommand` starts from: it forks a process for every order, and tells its end.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import traceback
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Self

import aicx.__main__
from aicx.toolchains.parsing import FAMILIES
from indexer.vector_table import import_library
from tests.parts import is_missing

_REPOSITORY = Path(__file__).parents[1]
# None of these has a thread at work, which a forked process would lack.
_IMPORTED = (
    "aicx.cli",
    "tests.embedder",
    "aicx.commands.dashboard",
    "aicx.commands.run",
    "aicx.commands.serve",
    "aicx.lifecycle.run",
    "aicx.resume.brief.selection_manifest",
    *(f"aicx.toolchains.{name}" for name in FAMILIES),
)
_IMPORTED_OF_PARTS = {
    "code": ("aicx.repomap.grammar", "aicx.repomap.worker", "tree_sitter", "tree_sitter_language_pack.bindings.python"),
    "semantic": ("numpy", "pyarrow.dataset"),
    "mcp": ("aicx.servers.mcp.server", "mcp.server.streamable_http_manager"),
    "web": (
        "aicx.servers.dashboard.app",
        "aicx.servers.dashboard.app",
        "aicx.servers.http.serve",
        "fastapi.openapi.utils",
        "uvicorn.lifespan.on",
        "uvicorn.loops.auto",
    ),
}
# A fork costs as much as the process has in memory that it is of: these have parts in it, all others have none.
_PARTS_OF = {
    "serve": ("mcp", "web"),
    "dashboard": ("mcp", "web"),
    "map": ("code",),
    "index": ("semantic",),
    "share": ("semantic",),
}


class ForkedCommand:
    """A command of aicx with the embedder for tests; of `subprocess.Popen`, it has what the tests use.

    ``streams`` are the descriptors of its standard input, output and error. With ``terminal`` it leads a session whose
    terminal is its standard input. With ``code`` it runs that, as `python -c` does, and no command.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        streams: tuple[int, int, int],
        *,
        cwd: Path | None = None,
        umask: int | None = None,
        terminal: bool = False,
        code: str | None = None,
    ) -> None:
        self.arguments = list(arguments)
        self.returncode: int | None = None
        self._teller, theirs = socket.socketpair()
        parts = ("semantic",) if code else _PARTS_OF.get(next(iter(arguments), ""), ())
        socket.send_fds(_server(parts), [b"."], [theirs.fileno(), *streams])
        theirs.close()
        self._told = self._teller.makefile("rw")
        order = {"arguments": self.arguments, "environ": dict(env), "cwd": str(cwd or Path.cwd())}
        print(json.dumps({**order, "umask": umask, "terminal": terminal, "code": code}), file=self._told, flush=True)
        self.pid = int(self._told.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def wait(self, timeout: float = 60) -> int:
        """The exit code as `subprocess` has it; TimeoutError after so many seconds."""
        if self.returncode is None:
            self._teller.settimeout(timeout)
            self.returncode = int(self._told.readline())
            self._told.close()
            self._teller.close()
        return self.returncode


class Forked(ForkedCommand):
    """A server without input, of which both outputs are read as text."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        self.stdout, self.stderr = os.fdopen(out), os.fdopen(err)
        with open(os.devnull, "rb") as nothing:
            super().__init__(arguments, env, (nothing.fileno(), out_end, err_end))
        os.close(out_end)
        os.close(err_end)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.stdout.close()
        self.stderr.close()


class Piped(ForkedCommand):
    """A command with streams as `subprocess.Popen` is told them, of bytes."""

    def __init__(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        folder: Path | None = None,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        umask: int | None = None,
        code: str | None = None,
    ) -> None:
        theirs: list[int] = []
        ours: list[BinaryIO | None] = []
        for number, said in enumerate((stdin, stdout, stderr)):
            given: int | None = said
            end: BinaryIO | None = None
            if said == subprocess.PIPE:
                read, write = os.pipe()
                given, end = (write, os.fdopen(read, "rb", 0)) if number else (read, os.fdopen(write, "wb"))
            elif said == subprocess.DEVNULL:
                given = os.open(os.devnull, os.O_RDWR)
            theirs.append(number if given is None else theirs[1] if given == subprocess.STDOUT else given)
            ours.append(end)
        self.stdin, self.stdout, self.stderr = ours
        super().__init__(arguments, env, (theirs[0], theirs[1], theirs[2]), cwd=folder, umask=umask, code=code)
        for one in set(theirs) - {0, 1, 2}:
            os.close(one)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()

    def to_end(self, given: bytes = b"", timeout: float = 30) -> subprocess.CompletedProcess[bytes]:
        """Gives it ``given`` and the end of its input, and waits for its own; what it printed into pipes."""
        with self, ThreadPoolExecutor(2) as readers:
            pipes = [readers.submit(stream.read) if stream else None for stream in (self.stdout, self.stderr)]
            assert self.stdin
            for work in (lambda: self.stdin.write(given), self.stdin.close):
                with suppress(BrokenPipeError):
                    work()
            code = self.wait(timeout)
            out, err = (pipe.result(timeout) if pipe else None for pipe in pipes)
        return subprocess.CompletedProcess(self.arguments, code, out, err)


def _fork() -> int:
    """Forks with signals blocked: threads that libraries begin anew in the child must get none of its command."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            return os.fork()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@cache
def _server(parts: Sequence[str]) -> socket.socket:
    """Where orders go to a process that has imported these parts; it ends when this one does."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.forked", str(theirs.fileno()), *parts]
    process = subprocess.Popen(command, cwd=_REPOSITORY, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _obey(told: socket.socket, streams: Sequence[int], others: Sequence[int]) -> NoReturn:
    """Runs the command that is ordered as its process would, without the ``others`` of the server's descriptors."""
    code: Any = 99
    try:
        signal.set_wakeup_fd(-1)
        with told, told.makefile() as stream:
            order: dict[str, Any] = json.loads(stream.readline())
        for number, one in enumerate(streams):
            os.dup2(one, number)
        for one in (*streams, *others):
            os.close(one)
        if order["terminal"]:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        sys.stdout = open(1, "w")  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["environ"])
        if order["umask"] is not None:
            os.umask(order["umask"])
        for number in (
            signal.SIGHUP,
            signal.SIGTERM,
            signal.SIGCHLD,
        ):  # whatever the tests were started with, such as nohup
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["aicx", *order["arguments"]]
        try:
            if order["code"] is None:
                aicx.__main__.main()
            else:
                exec(order["code"], {"__name__": "__main__"})
                code = 0
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        if code == 99:
            traceback.print_exc()
        os._exit(code)


def _reap(running: dict[int, socket.socket]) -> None:
    """Tells the exit codes of the commands that have ended."""
    while running:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with running.pop(child) as told, suppress(OSError):  # nobody may wait for it any more
            told.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _serve(orders: socket.socket) -> None:
    """Forks for every order until no more can come."""
    ended, mark = os.pipe()
    os.set_blocking(mark, False)
    signal.set_wakeup_fd(mark)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    while True:
        ready = select.select([orders.fileno(), ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            _reap(running)
        if orders.fileno() in ready:
            said, ends, _, _ = socket.recv_fds(orders, 1, 4)
            if not said:
                return
            told, streams = socket.socket(fileno=ends[0]), ends[1:]
            child = _fork()
            if child == 0:
                _obey(told, streams, [orders.fileno(), ended, mark, *(other.fileno() for other in running.values())])
            for one in streams:
                os.close(one)
            running[child] = told
            with suppress(OSError):
                told.sendall(b"%d\n" % child)


def main() -> None:
    """Imports the parts that the command line names, and serves orders; ends with the process that gives them."""
    for name in chain(_IMPORTED, *(_IMPORTED_OF_PARTS[part] for part in sys.argv[2:] if not is_missing(part))):
        import_module(name)
    if "semantic" in sys.argv and not is_missing("semantic"):
        import_library()  # it begins its threads anew in a forked process, and none has worked by then
    gc.collect()
    gc.freeze()  # a collection in a child would write to every object, and so copy the memory of this process
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        _serve(orders)


if __name__ == "__main__":
    main()
