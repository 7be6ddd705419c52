"""Pipes and endless devices in the place of files that commands read: none may hang a command, or be an internal error.

A clone cannot hold them, but an archive can, and so can a folder that another user writes to.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from aicx.cli import run
from benchmarks.attack import Counts
from benchmarks.attack.histories import World, play

# A command may wait for git, which is asked several times, and this machine may be busy.
_SECONDS = 45.0
_COMMANDS = (
    "store", "search export", "resume", "next", "task start Fix", "doctor", "map refresh", "memory list",
    "memory candidates", "continuity save", "init --agents claude,codex --yes", "prepare",
)  # fmt: skip
_REPOSITORY = (
    ".aicxignore", ".aicx/memory-policy.toml", ".aicx/continuity", ".aicx/continuity/active.md", ".aicx",
    ".git/config", ".git/info/exclude", ".git/HEAD", ".git/index", ".git/packed-refs", ".git/commondir", ".git",
    ".gitignore", ".gitattributes", ".mailmap", "AGENTS.md", "CLAUDE.md", "README.md", "src/export.py",
    ".claude/settings.local.json", ".cursorrules", ".mcp.json", "pyproject.toml", "package.json", "Makefile",
)  # fmt: skip
_HOME = (
    "config.toml", ".aicxignore", "memory-policy.toml", "format.json", "upgrades.jsonl", "index.json",
    "projects.json", "catalog.sqlite", "memory", "work", "agents", "locks/writer.lock", "index/manifest.json",
)  # fmt: skip
_USER = (".claude/settings.json", ".claude.json", ".codex/config.toml", ".gitconfig")


def attack(folder: Path | None = None) -> Mapping[str, Counts]:
    with tempfile.TemporaryDirectory(dir=folder) as made:
        world, kept = World(Path(made) / "w", "narwhal"), Path(made) / "kept"
        world.begin()
        play(world, ("store", "task start", "continuity save", "prepare", "memory", "search", "map"))
        shutil.copytree(world.folder, kept, symlinks=True)
        tops = ((world.repo, _REPOSITORY), (world.home, _HOME), (world.folder / "user", _USER))
        places = [top / name for top, names in tops for name in names]
        return {kind: _tried(world, kept, kind, places) for kind in ("pipes", "devices")}


def _tried(world: World, kept: Path, kind: str, places: list[Path]) -> Counts:
    through, tried = [], 0
    for place in places:
        shutil.rmtree(world.folder)
        shutil.copytree(kept, world.folder, symlinks=True)
        for command in _COMMANDS:
            if not _plant(place, kind):
                break
            tried += 1
            if said := _run(world, command.split()):
                through.append(f"{kind[:-1]} at {place.relative_to(world.folder)}: {command}: {said}")
    return Counts(tried, tuple(through))


def _plant(place: Path, kind: str) -> bool:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        if kind == "pipes":
            os.mkfifo(place)
        else:
            place.symlink_to("/dev/zero")
    except (FileExistsError, NotADirectoryError):
        return False
    return True


def _run(world: World, words: list[str]) -> str:
    """Why a command did not end as it should; empty where it did."""
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.setpgid(0, 0)
            os.environ.update(world.environ)
            os.chdir(world.repo)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            code = run(words)
        finally:
            sys.stdout.flush()
            os._exit(code)
    while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() - begun > _SECONDS:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"it did not end within {_SECONDS:g} s"
        time.sleep(0.005)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"it ended with {code}" if code in (70, 99) or code < 0 else ""
