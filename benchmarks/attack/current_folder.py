"""Whether anything of the folder one stands in is executed: by commands, hooks, servers, workers and written entries.

A clone holds a module for every name of the standard library and of our dependencies, and an `aicx.py`. Each leaves a
file behind when it is imported. The control starts Python in the two ways that are known to import from there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import HTTPError
from urllib.request import urlopen

from benchmarks.attack import Counts
from benchmarks.attack.installations import KINDS, Impossible, Installation, build_wheel, dependencies, install

_OWN = ("aicx", "indexer", "retrieval", "sitecustomize", "usercustomize")
# posix is built in, so that no file can stand in its place.
_MODULE = """\
import posix
posix.close(posix.open({mark!r} + str(posix.getpid()), posix.O_WRONLY | posix.O_CREAT, 0o600))
"""
_SPAWN = """\
import multiprocessing
if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=print).start()
"""
_FEW = 10_000  # bytes of logs, for all that only has to be begun
_WORKERS = 17_000_000  # from which a store has workers
# What starts other processes, or listens: each is begun as a person would, in every installation.
STARTING = (
    "store", "resume", "map refresh", "continuity save", "run -- true", "serve --transport http --port 0",
    "dashboard --port 0 --no-open",
)  # fmt: skip
COMMANDS = (
    "search lexer", "prepare", "next", "task start lexer", "task list", "list", "state", "doctor", "doctor --repo .",
    "projects", "map query lexer", "map status", "sessions list", "why README.md:1", "failures list", "pack task",
    "review candidates", "reports .", "rank -p clone -H 0", "steer", "index status", "cas list", "memory list",
    "memory recall lexer", "memory candidates", "continuity status", "usage",
    "finalize --status success --summary done", "extract --help", "bench list",
    "forget --pattern nothing-of-this --yes",
)  # fmt: skip
# What takes long, and does not differ with the kind of installation.
HEAVY = ("bench run -d bundled -r lexical", "demo")
# In one process, where starting an interpreter for each command would take longer than all the rest.
_TOGETHER = """\
import shlex, sys
from aicx.cli import run
for line in sys.argv[1:]:
    run(shlex.split(line))
"""
_SERVERS = ("serve --transport", "dashboard --port")
_SECONDS = 300
_ADDRESS = re.compile(r"http://[^\s/]+")
_INITIALIZE = {
    "protocolVersion": "2025-03-26",
    "capabilities": {},
    "clientInfo": {"name": "attack", "version": "1"},
}
_ASKED = (
    {"method": "initialize", "id": 1, "params": _INITIALIZE},
    {"method": "notifications/initialized"},
    {"method": "tools/list", "id": 2},
    {"method": "tools/call", "id": 3, "params": {"name": "aicx_search", "arguments": {"query": "lexer"}}},
)


def attack() -> Mapping[str, Counts]:
    """The control, and each kind of installation, two of them at a time."""
    found: dict[str, Counts] = {}
    with TemporaryDirectory(prefix="aicx-attack-") as name:
        folder = Path(name)
        found["control"] = control(folder / "control")
        wheel = build_wheel(folder)

        def tried(kind: str) -> Counts | Impossible:
            try:
                installation = install(kind, wheel, folder / kind)
            except Impossible as error:
                return error
            if kind == "venv":
                return run_all(installation, folder / kind, (*STARTING, *COMMANDS, *HEAVY))
            return run_all(installation, folder / kind, STARTING, together=COMMANDS)

        with ThreadPoolExecutor(2) as threads:
            for kind, counts in zip(KINDS, threads.map(tried, KINDS), strict=True):
                if isinstance(counts, Counts):
                    found[kind] = counts
                else:
                    print(f"current_folder: {kind}: not tried: {counts}", flush=True)
    return found


class Clone:
    """A repository full of modules that say when they are imported."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._marks = folder / "clone", folder / "fired"
        self._marks.mkdir(parents=True)
        self.folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        (self.folder / "README.md").write_text("lexer\n")
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        for words in (("add", "README.md"), ("commit", "-q", "-m", "First")):
            subprocess.run(["git", "-C", str(self.folder), *who, *words], check=True)
        stems = {path.name.split(".")[0] for path in dependencies() if not path.name.endswith(".dist-info")}
        for stem in sorted({*sys.stdlib_module_names, *stems, *_OWN}):
            (self.folder / f"{stem}.py").write_text(_MODULE.format(mark=f"{self._marks}/{stem}-"))

    def fired(self) -> list[str]:
        """The modules that were imported since this was last asked."""
        found = sorted({path.name.rpartition("-")[0] for path in self._marks.iterdir()})
        for path in self._marks.iterdir():
            path.unlink()
        return found


def control(folder: Path) -> Counts:
    """What is known to import from the current folder; all of it goes through."""
    clone, script = Clone(folder), folder / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(_SPAWN)
    through = []
    for words in ([sys.executable, "-m", "aicx", "--version"], [sys.executable, str(script)]):
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
        subprocess.run(words, cwd=clone.folder, env=environ, capture_output=True, timeout=60)
        fired = clone.fired()
        through += [f"{' '.join(words[1:])}: {', '.join(fired[:5])}"] if fired else []
    return Counts(2, tuple(through), control=True) if len(through) == 2 else Counts(2, (), control=True)


def run_all(
    installation: Installation,
    folder: Path,
    commands: Sequence[str],
    size: int = _WORKERS,
    *,
    together: Sequence[str] = (),
) -> Counts:
    """Runs commands, those of ``together`` in one process, and then everything that was written for agents to start.

    Last comes a store of logs that have grown to ``size`` bytes.
    """
    clone, home = Clone(folder), folder / "user"
    _fill(home, clone, _FEW)
    environ = {**installation.environ, "AICX_HOME": str(home / "corpus")}
    environ |= {"CLAUDE_CONFIG_DIR": str(home / "claude"), "CODEX_HOME": str(home / "codex")}
    tried, through = 0, []

    def fired_by(words: Sequence[str]) -> None:
        if fired := clone.fired():
            through.append(f"{' '.join(words)[-200:]}: {', '.join(fired[:5])}")

    def run(words: Sequence[str], given: bytes = b"", env: Mapping[str, str] = environ) -> None:
        nonlocal tried
        if any(server in " ".join(words) for server in _SERVERS):
            _ask_server(words, clone.folder, env)
        else:
            subprocess.run(words, cwd=clone.folder, env=env, input=given, capture_output=True, timeout=_SECONDS)
        tried += 1
        fired_by(words)

    for command in ("init --agents claude,codex --yes", "install claude --yes", "install codex --yes", *commands):
        run([*installation.command, *command.split()])
    if together:
        run([installation.python, "-P", "-c", _TOGETHER, *together])
        tried += len(together) - 1
    # As an agent would start them: without what the environment says of an installation.
    bare = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    for words, given in _entries(home, clone.folder):
        run(words, given, bare)
        _wait(home / "corpus")
        fired_by(["behind", *words])
    _fill(home, clone, size)
    run([*installation.command, "store"])
    return Counts(tried, tuple(through))


def _fill(home: Path, clone: Clone, most: int) -> None:
    """Logs of sessions in the clone, of ``most`` bytes in all."""
    logs = _logs(home, clone.folder)
    logs.mkdir(parents=True, exist_ok=True)
    (home / "codex").mkdir(exist_ok=True)
    (home / "corpus").mkdir(exist_ok=True)
    (home / "corpus" / "config.toml").write_text("workers = 2\n")
    for number in range(4):
        session = f"{number:08d}-0000-4000-8000-000000000000"
        with (logs / f"{session}.jsonl").open("w", encoding="utf-8") as stream:
            size = line = 0
            while size < most // 4:
                line += 1
                record = {
                    "type": "user",
                    "sessionId": session,
                    "cwd": str(clone.folder),
                    "timestamp": f"2026-01-01T00:{line // 60 % 60:02d}:{line % 60:02d}Z",
                    "uuid": f"{number}-{line}",
                    "message": {"role": "user", "content": f"Mend the lexer {line} " + "of words " * 2000},
                }
                size += stream.write(json.dumps(record) + "\n")


def _logs(home: Path, clone: Path) -> Path:
    return home / "claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(clone))


def _entries(home: Path, clone: Path) -> Iterator[tuple[list[str], bytes]]:
    """What is written down for agents to start, each with what it is told on standard input."""
    [log, *_] = sorted(_logs(home, clone).iterdir())
    event = {"session_id": log.stem, "cwd": str(clone), "transcript_path": str(log), "source": "startup"}
    told = json.dumps(event).encode()
    settings = json.loads((clone / ".claude" / "settings.local.json").read_text("utf-8"))
    codex = tomllib.loads((home / "codex" / "config.toml").read_text("utf-8"))
    for hooks in (settings["hooks"], codex["hooks"]):
        for groups in hooks.values():
            for group in groups:
                yield from ((["sh", "-c", handler["command"]], told) for handler in group["hooks"])
    yield [*codex["notify"], json.dumps({"type": "agent-turn-complete", "cwd": str(clone)})], b""
    servers = [json.loads((home / "claude" / ".claude.json").read_text("utf-8"))["mcpServers"]["aicx"]]
    servers += [codex["mcp_servers"]["aicx"]] if "mcp_servers" in codex else []
    for server in servers:
        yield (
            [server["command"], *server["args"]],
            b"".join(json.dumps({"jsonrpc": "2.0", **asked}).encode() + b"\n" for asked in _ASKED),
        )


def _ask_server(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
    """Starts a server, asks it for a page once it says where it is, and ends it."""
    with subprocess.Popen(
        words, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        late = threading.Timer(_SECONDS, process.kill)
        late.start()
        try:
            said = iter(process.stdout or ())
            address = next(found[0] for line in said if (found := _ADDRESS.search(line.decode())))
            with suppress(HTTPError):  # without its token
                urlopen(address, timeout=_SECONDS).close()
        finally:
            late.cancel()
            process.terminate()


def _wait(corpus: Path, seconds: float = 120) -> None:
    """Waits for what a hook has left to itself."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        wanted = (corpus / "agents" / "store-wanted").exists() or any(corpus.glob("agents/continuity-wanted/*.json"))
        held = any((corpus / "locks" / f"{name}.lock").exists() and (corpus / "locks" / f"{name}.lock").read_bytes()
                   for name in ("hooks", "writer"))  # fmt: skip
        if not wanted and not held:
            return
        time.sleep(0.05)
