"""Runs the real command line in processes that may be killed, and says whether a store is whole.

Runs are forked from a server that has aicx imported, so that dozens of kills cost little and each of them falls into
the work rather than into the start of an interpreter.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

import aicx.cli
from tests.sampling import ALL, number_of_run, sample

TIMEOUT = 60.0
CUTS = 4  # how many of the states that a kill may leave are looked at
REPOSITORY = Path(__file__).parents[2]
TOPS = ("store", "non-repository-contexts")


@dataclass(frozen=True)
class Run:
    """How one run ended. ``code`` is negative for a signal; ``memory`` is the most it had, in bytes."""

    code: int
    seconds: float
    memory: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -9


@dataclass(frozen=True)
class Home:
    """A user's home with agents' logs, and a corpus. Two may share their logs and differ in the corpus."""

    user: Path
    corpus: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.user), "AICX_HOME": str(self.corpus), "PATH": os.environ["PATH"], "TERM": "dumb"}

    @property
    def staging(self) -> Path:
        return self.corpus / "locks" / "staging"

    def tree(self) -> dict[str, bytes]:
        """Everything a user may see of the store: relative path -> bytes."""
        found = {}
        for path in [self.corpus / "index.json", *(path for top in TOPS for path in (self.corpus / top).rglob("*"))]:
            if path.is_file():
                found[str(path.relative_to(self.corpus))] = path.read_bytes()
        return found

    def chunks(self) -> list[Path]:
        return sorted(path for top in TOPS for path in (self.corpus / top).rglob("*.md"))

    def flaws(self) -> list[str]:
        """What a reader of the store could stumble over, apart from a rewrite that the journal will finish."""
        return [flaw for chunk in self.chunks() if (flaw := self._flaw(chunk, self._promised()))]

    def _flaw(self, chunk: Path, promised: Mapping[str, str]) -> str | None:
        name = str(chunk.relative_to(self.corpus))
        try:
            fields = json.loads(chunk.with_name(f"{chunk.stem}.meta.json").read_bytes())
        except FileNotFoundError:
            return f"{name} has no sidecar"
        except ValueError as error:
            return f"the sidecar of {name} does not parse: {error}"
        if fields["session_id"] not in name or chunk.stem.rpartition("_")[2] != fields["id"].rpartition(":")[2]:
            return f"{name} has the sidecar of {fields['id']}"
        if fields["content_sha256"] not in (sha256(chunk.read_bytes()).hexdigest(), promised.get(name)):
            return f"{name} does not fit its sidecar"
        return None

    def _promised(self) -> dict[str, str]:
        """Path -> SHA-256 of what is staged for it and named in the journal."""
        if not (self.staging / "journal").exists():
            return {}
        moves = json.loads((self.staging / "journal").read_bytes())["moves"]
        there = [(self.staging / staged, relative) for staged, relative in moves if (self.staging / staged).exists()]
        return {relative: sha256(staged.read_bytes()).hexdigest() for staged, relative in there}


class Commands:
    """What tests ask of commands, however those are run."""

    def run(self, home: Home, *arguments: str) -> Run:
        raise NotImplementedError

    def store(self, home: Home, *arguments: str) -> Run:
        """A run of `store` that has to succeed."""
        run = self.run(home, "store", *arguments)
        assert run.code == 0, run.err
        return run

    def said(self, home: Home, *arguments: str) -> dict[str, Any]:
        """The JSON of a run that has to succeed."""
        run = self.run(home, *arguments)
        assert run.code == 0, run.out + run.err
        found: dict[str, Any] = json.loads(run.out)
        return found

    def answers(self, home: Home) -> list[dict[str, Any]]:
        """What `steer` says of everything, with the paths as they are below the home."""
        run = self.run(home, "steer", "--json", "--limit", "10000")
        assert run.code == 0, run.err
        items: list[dict[str, Any]] = json.loads(run.out)["items"]
        return [item | {"path": item["path"].removeprefix(f"{home.corpus}/")} for item in items]


class Here(Commands):
    """Runs commands in this process, for a third of what a forked one costs; none of them may be killed."""

    def run(self, home: Home, *arguments: str) -> Run:
        out, err = (TextIOWrapper(BytesIO(), "utf-8", "replace", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name, value in home.environ.items():
                patch.setenv(name, value)
            code = aicx.cli.run(list(arguments))
        return Run(code, 0, 0, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)))


HERE = Here()


class Runner(Commands):
    """Runs commands in forked processes, one after the other."""

    def __init__(self, server: subprocess.Popen[str], scratch: Path) -> None:
        self._server = server
        self._scratch = scratch

    def run(
        self,
        home: Home,
        *arguments: str | Sequence[str],
        batch: int | None = None,
        patches: Mapping[str, Any] | None = None,
        at_once: bool = False,
        kill_after: float = TIMEOUT,
        fatal_step: int | None = None,
        steps: Path | None = None,
        cuts: Path | None = None,
        begin: int = 1,
        every: int = 1,
        largest_file: int | None = None,
        most_memory: int | None = None,
        folder: Path | None = None,
    ) -> Run:
        """One run: killed after so many seconds, or at the so many-th thing it does to the disk, or not at all.

        ``batch`` is how many files are published together, ``patches`` are ``module:name`` and the value to set there,
        ``steps`` gets a line for each thing done to the disk; ``cuts`` gets the corpus as it was before each
        ``every``-th of them from ``begin`` on, unless it has not changed, in folders named by the number of the step.
        ``folder`` is the current one.
        """
        out, err = self._scratch / "out", self._scratch / "err"
        order = {
            "arguments": arguments,
            "at_once": at_once,
            "environ": home.environ,
            "patches": {**(patches or {}), **({"aicx.storage.journal:_BATCH_FILES": batch} if batch else {})},
            "kill_after": kill_after,
            "fatal_step": fatal_step,
            "steps": str(steps) if steps else None,
            "folder": str(folder) if folder else None,
            "cuts": str(cuts) if cuts else None,
            "stops": [begin, every] if cuts else None,
            "limits": {"FSIZE": largest_file, "AS": most_memory},
            "out": str(out),
            "err": str(err),
        }
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        code, seconds, memory = json.loads(self._server.stdout.readline())
        assert seconds < TIMEOUT, f"{arguments} did not end"
        return Run(code, seconds, memory, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"))

    def store(self, home: Home, *arguments: str, batch: int | None = None) -> Run:
        """A run of `store` that has to succeed."""
        run = self.run(home, "store", *arguments, batch=batch)
        assert run.code == 0, run.err
        return run

    def at_once(self, home: Home, *commands: Sequence[str]) -> list[tuple[int, str]]:
        """The exit code and the output of commands that run at the same time."""
        run = self.run(home, *commands, at_once=True)
        assert run.code == 0, run.err
        codes = json.loads(run.out)
        return [(code, (self._scratch / f"out.{number}").read_text("utf-8")) for number, code in enumerate(codes)]

    def steps(
        self, home: Home, *arguments: str, batch: int | None = None, patches: Mapping[str, Any] | None = None
    ) -> list[str]:
        """What a run, of `store` where nothing else is named, does to the disk, step by step."""
        log = self._scratch / "steps"
        run = self.run(home, *(arguments or ("store",)), batch=batch, patches=patches, steps=log)
        assert run.code == 0, run.err
        return log.read_text("utf-8").splitlines()

    def cuts(
        self,
        home: Home,
        folder: Path,
        *arguments: str,
        batch: int | None = None,
        begin: int | None = None,
        every: int = 1,
        about: str = "",
    ) -> Iterator[tuple[str, Home]]:
        """Runs a command; what some kills of it would leave, each as the step before which it falls and a home.

        It is looked at before each ``every``-th step from ``begin`` on, which otherwise the seed chooses; of what is
        found there, and has ``about`` in the name of its step, a sample is tried.

        A killed process leaves to others what it had done before, and nothing else of it is left: so one run, stopped
        and copied at each step, shows what as many runs would that are killed. Each home is gone when the next is asked
        for. Two steps between which nothing was done to the disk leave the same, and are one.
        """
        log = self._scratch / "steps"
        begin = begin or (1 if ALL else 1 + number_of_run(every))
        run = self.run(home, *arguments, batch=batch, steps=log, cuts=folder, begin=begin, every=1 if ALL else every)
        assert run.code == 0, run.err
        steps = dict(enumerate(log.read_text("utf-8").splitlines(), 1))
        found = [number for number in sorted(int(path.name) for path in folder.iterdir()) if about in steps[number]]
        own_words = [word for word in arguments if "/" not in word]  # the same in every run
        return self._one_by_one({number: steps[number] for number in sample(found, CUTS, own_words)}, home.user, folder)

    def finish_by_doctor(self, begun: Home, folder: Path, *arguments: str, check: str, fixed: str) -> Home:
        """Kills a command while it puts its files in place, and has `doctor` report and finish the change.

        ``check`` is the one that warns, ``fixed`` the line that says what was done.
        """
        home = Home(begun.user, shutil.copytree(begun.corpus, folder / "corpus"))
        steps = self.steps(Home(begun.user, shutil.copytree(begun.corpus, folder / "measured")), *arguments)
        renamed = next(
            at for at, step in enumerate(steps, 1) if step.startswith("os.rename") and "staging/journal" not in step
        )
        assert self.run(home, *arguments, fatal_step=renamed).killed
        checks = {one["name"]: one for one in json.loads(self.run(home, "doctor", "--json").out)["checks"]}
        assert checks[check]["severity"] == "warning"
        assert fixed in json.loads(self.run(home, "doctor", "--fix", "--json").out)["fixes_applied"]
        return home

    def _one_by_one(self, steps: Mapping[int, str], user: Path, folder: Path) -> Iterator[tuple[str, Home]]:
        for number, step in steps.items():
            yield f"{number}: {step}", Home(user, folder / str(number))
            shutil.rmtree(folder / str(number))


@contextmanager
def running(scratch: Path, *modules: str) -> Iterator[Runner]:
    """A Runner, and the end of its server. Each run finds ``modules`` imported, and their memory counts as its own."""
    scratch.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.survival.server", *modules]
    server = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Runner(server, scratch)
    finally:
        server.communicate(timeout=TIMEOUT)


def until(met: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for something another process does."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)
