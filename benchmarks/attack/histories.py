"""A home with a repository in which sessions leave marked words, and every command that may carry them on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.cli import run

PROJECT = "acme/widgets"
# A word for each session that is in everything it says, and one that only people state.
WORDS = {"quokka": "1a2b3c4d-0000-4000-8000-000000000001", "narwhal": "2b3c4d5e-0000-4000-8000-000000000002"}
STATED = "tamarind"
_BEGIN = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


@dataclass
class World:
    """One user with one repository. ``word`` is the one that is to be forgotten."""

    folder: Path
    word: str = "quokka"
    ran: list[str] = field(default_factory=list)
    parsed: list[str] = field(default_factory=list)  # what a command printed that stores nothing
    extra: dict[str, str] = field(default_factory=dict)  # of the environment

    @property
    def home(self) -> Path:
        return self.folder / "corpus"

    @property
    def repo(self) -> Path:
        return self.folder / "widgets"

    @property
    def session(self) -> str:
        return WORDS[self.word]

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.folder / "user"), "AICX_HOME": str(self.home), **self.extra}

    def begin(self) -> None:
        """Makes the repository, and a log of each session in the user's home."""
        (self.folder / "user").mkdir(parents=True)
        self.repo.mkdir()
        (self.repo / "src").mkdir()
        (self.repo / "src/export.py").write_text("x = 1\n")
        self.git("init", "-q", "-b", "main")
        self.git("remote", "add", "origin", f"git@github.com:{PROJECT}.git")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "First")
        for number, (word, session) in enumerate(WORDS.items()):
            self._log(word, session, _BEGIN + timedelta(hours=number))

    def aicx(self, *words: str) -> tuple[int, str]:
        """Exit code and everything printed."""
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", write_through=True)
        with self.inside(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = run(list(words))
        self.ran.append(f"{' '.join(words)} -> {code}")
        return code, out.buffer.getvalue().decode("utf-8", "replace")

    def fields(self, *words: str) -> Any:
        """The JSON that a command prints; an empty object where it fails."""
        code, out = self.aicx(*words, "--json")
        lines = [line for line in out.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if code == 0 and lines else {}

    def failed(self) -> list[str]:
        """The commands that ended with an internal error."""
        return [line for line in self.ran if line.endswith("-> 70")]

    def holding(self, word: str | None = None) -> list[str]:
        """The files of the home and of the repository's ``.aicx`` that have the word, in their bytes or names."""
        wanted = (word or self.word).encode()
        found = []
        for top in (self.home, self.repo / ".aicx"):
            for path in sorted(top.rglob("*")):
                body = path.read_bytes() if path.is_file() else b""
                if wanted in body.lower() or wanted in os.fsencode(path.name).lower():
                    found.append(str(path.relative_to(self.folder)))
        return found

    def told(self) -> Iterator[tuple[str, str]]:
        """What the next start, and whoever asks, is told."""
        for words in _ASKED:
            yield words, self.aicx(*words.split())[1]
        yield "hook", self._hook()

    def _hook(self) -> str:
        """What a session is told at its start."""
        said = {"session_id": "4d5e6f70-0000-4000-8000-000000000009", "cwd": str(self.repo), "source": "startup"}
        return self.process("hook", "session-start", "--agent", "claude", given=json.dumps(said))

    def process(self, *words: str, given: str = "") -> str:
        """What a command prints that ends its process itself."""
        command = [sys.executable, "-P", "-m", "aicx", *words]
        environ = {**os.environ, **self.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, input=given, cwd=self.repo, env=environ, capture_output=True, text=True)
        self.ran.append(f"{' '.join(words)} -> {done.returncode}")
        return done.stdout + done.stderr

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(self.repo), *who, *arguments], check=True, capture_output=True)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        before, folder = dict(os.environ), Path.cwd()
        os.environ.update(self.environ)
        os.chdir(self.repo)
        try:
            yield
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)

    def _log(self, word: str, session: str, at: datetime) -> None:
        folder = str(self.repo)
        encoded = "".join(sign if sign.isalnum() else "-" for sign in folder)
        path = self.folder / "user/.claude/projects" / encoded / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        records = [*_records(word, session, folder, at)]
        path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in records))
        os.utime(path, (at.timestamp(), at.timestamp()))


def _records(word: str, session: str, cwd: str, begin: datetime) -> Iterator[Mapping[str, Any]]:
    """A session that edits, fails, passes, decides, asks and leaves a next step, all with its word."""
    moments = (begin + timedelta(seconds=number) for number in range(100))

    def record(kind: str, **fields: Any) -> Mapping[str, Any]:
        at = next(moments).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        base = {"cwd": cwd, "gitBranch": "main", "sessionId": session, "isSidechain": False}
        return {**base, "type": kind, "uuid": f"{session[:8]}-{at}", "timestamp": at, **fields}

    def said(*blocks: Mapping[str, Any]) -> Mapping[str, Any]:
        return record("assistant", message={"id": "m", "model": "opus", "content": list(blocks)})

    def call(number: int, name: str, output: str, failed: bool = False, **given: str) -> Iterator[Mapping[str, Any]]:
        yield said({"type": "tool_use", "id": f"t{number}", "name": name, "input": given})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": failed, "content": output}
        yield record("user", message={"role": "user", "content": [result]})

    yield record("user", message={"role": "user", "content": f"Make the {word} export write UTF-8"})
    yield from call(1, "Edit", "ok", file_path=f"{cwd}/src/{word}.py", old_string="x", new_string=f"{word} = 1")
    failure = f"FAILED tests/test_{word}.py::test_{word} - AssertionError: {word} is wrong\n1 failed"
    yield from call(2, "Bash", failure, failed=True, command=f"pytest tests/test_{word}.py")
    yield from call(3, "Edit", "ok", file_path=f"{cwd}/src/export.py", old_string="y", new_string="z")
    yield from call(4, "Bash", "1 passed", command=f"pytest tests/test_{word}.py")
    yield said({"type": "text", "text": f"Decision: the {word} reader stays as it is because its callers rely on it."})
    yield record("user", message={"role": "user", "content": f"We always use UTF-8 for the {word} files from now on."})
    text = f"The {word} export works.\n\nNext step: write the {word} importer.\n\nShould the {word} cache be dropped?"
    yield said({"type": "text", "text": text})


def _start(world: World) -> None:
    world.aicx("task", "start")


def _update(world: World) -> None:
    world.aicx("task", "update", "--next", f"Ask about the {STATED}", "--verified", f"The {STATED} holds")


def _finalize(world: World, session: str) -> None:
    said = ("--summary", f"The {STATED} works", "--decision", f"Keep the {STATED} because it is ripe")
    world.aicx("finalize", "--status", "success", *said, "--agent-id", "claude", "--session-id", session)


def _remember(world: World) -> None:
    world.aicx("memory", "backfill", "--import")
    for entry in world.fields("memory", "list").get("entries", [])[:3]:
        world.aicx("memory", "accept", entry["ref"], "--by", "Ada", "--yes")


def _review(world: World) -> None:
    world.aicx("review", "build")
    world.aicx("review", "build", "--session", world.session)
    for item in world.fields("review", "candidates").get("items", [])[:3]:
        world.aicx("review", "approve", item["ref"], "--by", "Ada")
        world.aicx("review", "promote", item["ref"], "--by", "Ada", "--yes")


def _rests_on_it(world: World) -> None:
    ref = f"session:claude:{world.session}"
    world.aicx("memory", "put", f"The {world.word} rule holds", "--evidence", ref)
    world.aicx("task", "update", "--verified", f"The {world.word} file is read", "--evidence", ref)


def _run_program(world: World) -> None:
    world.process("run", "--task", f"Look at the {STATED}", "--", "true")


# Every command that writes, by a name for it.
STEPS: Mapping[str, Callable[[World], object]] = {
    "store": lambda world: world.aicx("store"),
    "task start": _start,
    "task start stated": lambda world: world.aicx("task", "start", f"Ripen the {STATED}"),
    "task update": _update,
    "task pause": lambda world: world.aicx("task", "close", "--status", "paused"),
    "task close": lambda world: world.aicx("task", "close", "--status", "resolved", "--note", f"{STATED} done"),
    "continuity save": lambda world: world.aicx("continuity", "save"),
    "continuity refresh": lambda world: world.aicx("continuity", "refresh"),
    "prepare": lambda world: world.aicx("prepare", "--agent-id", "claude", "--session-id", "3c4d5e6f-next"),
    "prepare it": lambda world: world.aicx("prepare", "--agent-id", "claude", "--session-id", world.session),
    "resume": lambda world: world.aicx("resume", "--record", "--agent-id", "codex"),
    "finalize it": lambda world: _finalize(world, world.session),
    "finalize another": lambda world: _finalize(world, "3c4d5e6f-next"),
    "finalize nameless": lambda world: world.aicx("finalize", "--status", "failure", "--summary", f"{STATED} fails"),
    "run": _run_program,
    "pack task": lambda world: world.aicx("pack", "task"),
    "pack family": lambda world: world.aicx("pack", "family"),
    "memory": _remember,
    "review": _review,
    "rests on it": _rests_on_it,
    "sessions open": lambda world: world.aicx("sessions", "open", "--agent", "claude", "--session", world.session),
    "sessions close": lambda world: world.aicx("sessions", "close"),
    "sessions summarize": lambda world: world.aicx("sessions", "summarize", world.session),
    "sessions restore": lambda world: world.aicx("sessions", "restore", "--session", world.session),
    "search": lambda world: world.aicx("search", world.word),
    "why": lambda world: world.aicx("why", "src/export.py"),
    "failures": lambda world: world.aicx("failures"),
    "map": lambda world: world.aicx("map", "refresh"),
    "doctor": lambda world: world.aicx("doctor", "--fix"),
    "bench": lambda world: world.aicx("memory", "recall", world.word),
}
# What is asked afterwards, whose answers may not have the word either.
_ASKED = (
    "resume",
    "resume --json",
    "boot",
    "next",
    "prepare --dry-run --agent-id codex",
    "continuity load",
    "continuity status",
    "task list --all --json",
    "task handoffs --json",
    "task areas",
    "memory list --json",
    "review candidates --json",
    "sessions",
    "failures",
    "pack task --json",
    "pack family --json",
    "state --json",
    "doctor",
)


def forget(world: World, how: str) -> tuple[int, str]:
    """Forgets what the word stands for, by its session, its project or itself."""
    said = {"session": world.session, "project": PROJECT, "pattern": f"(?i){world.word}"}[how]
    return world.aicx("forget", f"--{how}", said, "--yes")


def left(world: World) -> list[str]:
    """Everything that still has the word: files, answers, and what is made and stored later."""
    found = world.holding()
    found += [f"$ aicx {words}" for words, out in world.told() if world.word in out.lower()]
    for step in ("continuity save", "store", "pack family"):
        STEPS[step](world)
    return found + [f"{name} (later)" for name in world.holding()]


def play(world: World, steps: Iterable[str]) -> None:
    for step in steps:
        STEPS[step](world)
