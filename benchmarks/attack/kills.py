"""Commands that are killed at each thing they do to the disk, and made again: what is left is as if nothing happened.

What is meant are the writings outside of the store: settings of agents, notes in a repository, wishes of hooks, what
`forget` works on, and homes of earlier formats.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aicx.agents import wishes
from aicx.cli import run
from aicx.config import load_settings
from benchmarks.attack import Counts
from benchmarks.attack.histories import World, play
from benchmarks.attack.installations import ROOT

_KILLS = 40  # of each command, spread over its steps
_EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.link", "os.truncate")
_WRITING = os.O_WRONLY | os.O_RDWR
_HOMES = ROOT / "tests" / "fixtures" / "homes"


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to kill: what comes before it, what it does, and what is wrong once it was done again."""

    name: str
    before: Callable[[World], object]
    act: Callable[[], int]
    wrong: Callable[[World], list[str]]


def attack(kills: int = _KILLS, folder: Path | None = None) -> Mapping[str, Counts]:
    found = {}
    for trial in _trials():
        with tempfile.TemporaryDirectory(dir=folder) as made:
            found[trial.name] = _killed(trial, Path(made), kills)
    return found


def _killed(trial: Trial, folder: Path, kills: int) -> Counts:
    world, kept = World(folder / "w", "narwhal"), folder / "kept"
    world.begin()
    trial.before(world)
    shutil.copytree(world.folder, kept, symlinks=True)
    code, steps = _act(trial, world, None)
    through = [f"without a kill: exit {code}"] * bool(code) + [f"without a kill: {one}" for one in _wrong(trial, world)]
    chosen = sorted({1 + (steps - 1) * number // (kills - 1) for number in range(kills)}) if steps else []
    for step in chosen:
        shutil.rmtree(world.folder)
        shutil.copytree(kept, world.folder, symlinks=True)
        code, _ = _act(trial, world, step)
        if code != -signal.SIGKILL:
            through.append(f"step {step} of {steps}: it ended with {code}, and was not killed")
            continue
        code, _ = _act(trial, world, None)
        through += [f"step {step} of {steps}: then exit {code}"] * bool(code)
        through += [f"step {step} of {steps}: {one}" for one in _wrong(trial, world)]
    return Counts(len(chosen), tuple(through))


def _act(trial: Trial, world: World, fatal: int | None) -> tuple[int, int]:
    """How a run in another process ended that is killed at its so many-th step, and how many steps it made."""
    telling, told = os.pipe()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.environ.update(world.environ)
            os.chdir(world.repo)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            steps = _Steps(str(world.folder), fatal)
            sys.addaudithook(steps.audit)
            code = trial.act()
            os.write(told, str(steps.count).encode())
        finally:
            os._exit(code)
    os.close(told)
    with os.fdopen(telling) as told_by_it:
        count = int(told_by_it.read() or 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), count


class _Steps:
    """Counts what Python announces of writings below a folder, and kills this process before one of them."""

    def __init__(self, folder: str, fatal: int | None) -> None:
        self.count, self._folder, self._fatal = 0, folder, fatal

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
        if (opened or event in _EVENTS) and str(arguments[0]).startswith(self._folder):
            self.count += 1
            if self.count == self._fatal:
                os.kill(os.getpid(), signal.SIGKILL)


def _wrong(trial: Trial, world: World) -> list[str]:
    """What is wrong after every trial: part files, settings that do not parse; and what this one says."""
    found = [f"left {path.name}" for path in world.folder.rglob("*.aicx-part")]
    for path in (one for one in world.folder.rglob("*.json") if not one.name.endswith(".checksums.json")):
        found += _unread(path, json.loads)
    for path in world.folder.rglob("*.toml"):
        found += _unread(path, tomllib.loads)
    return found + trial.wrong(world)


def _unread(path: Path, reading: Callable[[str], object]) -> list[str]:
    try:
        reading(path.read_text("utf-8"))
    except ValueError as error:
        return [f"{path.name} cannot be read: {error}"]
    return []


def _command(*words: str) -> Callable[[], int]:
    return lambda: run(list(words))


def _nothing(_: World) -> list[str]:
    return []


def _agents(world: World) -> None:
    """Settings of a person's own, which have to survive."""
    for path, text in (
        (".claude/settings.json", '{"model": "opus"}\n'),
        (".claude.json", '{"numStartups": 7}\n'),
        (".codex/config.toml", '# Mine\nmodel = "o"\n'),
    ):
        file = world.folder / "user" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def _settings_kept(world: World) -> list[str]:
    user = world.folder / "user"
    kept = {
        "the settings of Claude": json.loads((user / ".claude/settings.json").read_text()).get("model") == "opus",
        "the state of Claude": json.loads((user / ".claude.json").read_text()).get("numStartups") == 7,
        "the settings of Codex": "# Mine\nmodel = " in (user / ".codex/config.toml").read_text(),
    }
    return [f"{name} were lost" for name, there in kept.items() if not there]


def _set_up(world: World) -> None:
    _agents(world)
    world.aicx("init", "--agents", "claude,codex", "--yes")
    world.aicx("install", "claude", "--yes")
    world.aicx("install", "codex", "--yes")


def _left_by_removal(world: World) -> list[str]:
    user = world.folder / "user"
    files = [user / ".claude.json", user / ".codex/config.toml", *world.repo.glob(".claude/*")]
    return _settings_kept(world) + [f"{path.name} still names aicx" for path in files if "aicx" in path.read_text()]


def _carried_on(world: World) -> None:
    play(world, ("store", "task start", "task update", "continuity save", "finalize it", "pack task", "memory"))


def _word_left(world: World) -> list[str]:
    return [f"the word is in {name}" for name in world.holding()]


def _noted(world: World) -> list[str]:
    notes = [*world.repo.glob(".aicx/**/*.md")]
    whole = any("narwhal" in path.read_text() for path in notes)
    return [] if whole else ["no note has what was saved"]


def _wish(world: World) -> None:
    play(world, ("store",))
    log = next((world.folder / "user/.claude/projects").rglob(f"{world.session}.jsonl"))
    with world.inside():
        wishes.ask(load_settings().layout, wishes.Wish(str(world.repo), "claude", world.session, str(log), "stop"))


def _fulfil() -> int:
    settings = load_settings()
    for file in wishes.waiting(settings.layout):
        begun = wishes.begin(file)
        if begun is not None:
            wishes.fulfil(settings, begun)
    return 0


def _wishes_left(world: World) -> list[str]:
    left = [path.name for path in (world.home / "agents/continuity-wanted").iterdir()]
    return _noted(world) + [f"the wish is left: {name}" for name in left]


def _older(name: str) -> Callable[[World], None]:
    def unpack(world: World) -> None:
        world.home.mkdir()
        with tarfile.open(_HOMES / f"{name}.tar.xz") as packed:
            packed.extractall(world.home, filter="data")

    return unpack


def _upgraded(world: World) -> list[str]:
    lines = (world.home / "upgrades.jsonl").read_text().splitlines()
    return [] if len(lines) == 1 else [f"{len(lines)} upgrades are noted"]


def _trials() -> Iterator[Trial]:
    yield Trial("init", _agents, _command("init", "--agents", "claude,codex", "--yes"), _settings_kept)
    yield Trial("install claude", _agents, _command("install", "claude", "--yes"), _settings_kept)
    yield Trial("install codex", _agents, _command("install", "codex", "--yes"), _settings_kept)
    yield Trial("uninstall", _set_up, _command("uninstall", "--yes"), _left_by_removal)
    yield Trial("continuity save", lambda world: play(world, ("store",)), _command("continuity", "save"), _noted)
    yield Trial("a wish of a hook", _wish, _fulfil, _wishes_left)
    session = World(Path(), "narwhal").session
    yield Trial("forget --session", _carried_on, _command("forget", "--session", session, "--yes"), _word_left)
    yield Trial("forget --pattern", _carried_on, _command("forget", "--pattern", "(?i)narwhal", "--yes"), _word_left)
    for path in sorted(_HOMES.glob("*.tar.xz")):
        name = path.name.removesuffix(".tar.xz")
        yield Trial(f"a home of format {name}", _older(name), _command("store"), _upgraded)
