"""The process that runs commands for the survival tests: warms up once, then forks a child for every order.

Modules named on the command line are imported too, and those of ours that a child had to import itself."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import aicx.cli
import tests.embedder  # noqa: F401  adds itself to the table of embedders
from aicx.corpus.catalog import Catalog
from aicx.sources import SOURCES, load_source
from tests.survival.logs import invent, write_home

_DISK_EVENTS = ("os.rename", "os.remove", "os.mkdir")
_WRITING = os.O_WRONLY | os.O_RDWR
_OURS = ("aicx.", "indexer.", "retrieval.")
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


class Steps:
    """Counts what a run does to its corpus, as Python announces it, and kills the run at one of these steps.

    With ``stops``, a step and how many there are to the next, it stops the whole process, all its threads, before each
    of these until it is told to go on.
    """

    def __init__(self, log: int | None, corpus: str, fatal: int | None, stops: list[int] | None) -> None:
        self._log, self._corpus, self._fatal = log, corpus, fatal
        self._next_stop, self._every = stops or (0, 0)
        self._count = 0

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
        if (opened or event in _DISK_EVENTS) and str(arguments[0]).startswith(self._corpus):
            self._step(f"{event} {arguments[0]}")

    def around(self, name: str) -> None:
        """Counts the moments before and after a method of the catalogue, of which nothing is announced."""
        inner = getattr(Catalog, name)

        def outer(*arguments: Any) -> Any:
            self._step(f"before {name}")
            result = inner(*arguments)
            self._step(f"after {name}")
            return result

        setattr(Catalog, name, outer)

    def _step(self, text: str) -> None:
        self._count += 1
        if self._log is not None:
            os.write(self._log, f"{text}\n".encode())
        if self._count == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._count == self._next_stop:
            self._next_stop += self._every
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # of this thread, which so goes no line further


def _obey(order: dict[str, Any], told: int) -> NoReturn:
    os.environ.clear()
    os.environ.update(order["environ"])
    if order["folder"]:
        os.chdir(order["folder"])
    for place, value in order["patches"].items():
        module, _, name = place.partition(":")
        getattr(import_module(module), name)  # a run without the patch would be another test
        setattr(import_module(module), name, value)
    for name, number in (("out", 1), ("err", 2)):
        os.dup2(_create(order[name]), number)
    for name, limit in order["limits"].items():
        if limit is not None:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, resource.RLIM_INFINITY))
    if order["fatal_step"] is not None or order["steps"]:
        log = _create(order["steps"]) if order["steps"] else None
        steps = Steps(log, order["environ"]["AICX_HOME"], order["fatal_step"], order["stops"])
        steps.around("begin")
        steps.around("commit")
        sys.addaudithook(steps.audit)
    known = set(sys.modules)
    code = _at_once(order["out"], order["arguments"]) if order["at_once"] else _command(order["arguments"])
    new = [name for name in sys.modules.keys() - known if name.startswith(_OURS)]
    os.write(told, "\n".join(sorted(new)).encode())  # less than a pipe takes at once
    os._exit(code)


def _command(arguments: list[str]) -> int:
    try:
        code = aicx.cli.run(arguments)
    except SystemExit as ended:  # as `aicx run` ends, with the code of its program
        code = int(ended.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _at_once(out: str, commands: list[list[str]]) -> int:
    """Runs commands at the same time, and prints their exit codes; each one's output goes to a file of its own."""
    children = []
    for number, arguments in enumerate(commands):
        child = os.fork()
        if child == 0:
            os.dup2(_create(f"{out}.{number}"), 1)
            os._exit(_command(arguments))
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    os.write(1, json.dumps(codes).encode())
    return 0


def _create(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)


def _run(order: dict[str, Any]) -> tuple[int, float, int]:
    """Exit code, seconds, and the most memory the run had at any time, in bytes."""
    begin = time.monotonic()
    telling, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _obey(order, told)
        finally:
            os._exit(99)
    os.close(told)
    if order["cuts"]:
        try:
            _keep_cuts(child, Path(order["environ"]["AICX_HOME"]), Path(order["cuts"]), *order["stops"])
        except BaseException:
            os.kill(child, signal.SIGKILL)  # it would stay stopped for ever
            raise
    if not _ends_within(child, order["kill_after"]):
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    _import_as(telling)
    return os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss * _MEMORY_UNIT


def _keep_cuts(child: int, corpus: Path, cuts: Path, number: int, every: int) -> None:
    """Copies the corpus each time the child stops, unless it is as it was: what a kill at that step would leave."""
    before = None
    while os.waitid(os.P_PID, child, os.WEXITED | os.WSTOPPED | os.WNOWAIT).si_code == os.CLD_STOPPED:
        os.waitid(os.P_PID, child, os.WSTOPPED)
        now = _bytes_below(corpus)
        if now != before and corpus.exists():
            shutil.copytree(corpus, cuts / str(number), symlinks=True)
        before = now
        number += every
        os.kill(child, signal.SIGCONT)


def _bytes_below(folder: Path) -> dict[str, bytes | str | None]:
    """Every file's bytes, every link's target, and None for a folder, by path."""
    found: dict[str, bytes | str | None] = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)
        else:
            found[str(path)] = path.read_bytes() if path.is_file() else None
    return found


def _import_as(telling: int) -> None:
    """Imports what a child says it imported; a killed one says nothing. Children of its own may still hold the pipe."""
    os.set_blocking(telling, False)
    with open(telling, "rb", buffering=0) as stream:
        names = (stream.read(2**16) or b"").decode().split()
    for name in names:
        import_module(name)
    if names:
        _settle()


def _settle() -> None:
    """A collection of garbage in a child writes to every object that it looks at, and so copies the server's memory."""
    gc.collect()
    gc.freeze()


def _ends_within(child: int, seconds: float) -> bool:
    """Waits for the end of a child, which stays to be asked how it ended. Without looking again and again, on Linux."""
    if hasattr(os, "pidfd_open"):
        handle = os.pidfd_open(child)
        try:
            return bool(select.select([handle], [], [], seconds)[0])
        finally:
            os.close(handle)
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _warm_up() -> None:
    """Does once what every child would do first: import what commands need, compile patterns. Leaves no thread."""
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        os.environ.update(HOME=folder, AICX_HOME=f"{folder}/.aicx")
        write_home(Path(folder), invent(seed=2, sessions=10))
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            for command in ("store", "search why", "steer", "doctor", "forget -s ffff --dry-run"):
                aicx.cli.run(command.split())
            aicx.cli.run(["memory", "put", "Use npm", "--repo", folder, "--json"])


def main() -> None:
    """Runs the orders of stdin, one a line, and says on stdout how each ended."""
    for module in sys.argv[1:]:
        import_module(module)
    for agent in SOURCES:
        load_source(agent)
    _warm_up()
    gc.set_threshold(100_000)  # as every command does, see aicx.__main__
    _settle()
    for line in sys.stdin:
        sys.stdout.write(f"{json.dumps(_run(json.loads(line)))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
