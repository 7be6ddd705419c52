"""What commands print for people fits the terminal: each is run at 40, 80 or 250 columns over a made-up home."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from inspect import unwrap
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.commands import FORMER
from aicx.demo import REPOSITORY, STORE, Demo, DemoOutput
from tests.sampling import sample
from tests.tree import commands

pytestmark = [pytest.mark.slow, pytest.mark.needs("git")]

WIDTHS = (40, 80, 250)
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_DEPLOY = "codex:019bdb7e-4c10-7f31-a2d4-6f0b8e915c27"

# What each command is given; without anything where it is not listed. What is refused prints for people, too.
ARGUMENTS = {
    "bench ablate": "-d nothing-like-it",
    "bench compare": "one.json two.json",
    "bench run": "-d nothing-like-it",
    "pack objects get": "0000",
    "pack objects pin": "0000",
    "pack objects put": "docs/runbook.md",
    "pack objects unpin": "0000",
    "serve page": "-o page.html --force",
    "extract": f"--session {_DEPLOY[6:]} --conversation",
    "failures parse": "docs/runbook.md",
    "failures show": "nothing-like-it",
    "finalize": "--status success --summary 'The role of the release step is named, and the deploy went through'",
    "forget": f"--session {_DEPLOY[6:]} --dry-run",
    "index build": "--embedder nothing-like-it",
    "init": "--dry-run",
    "install": "claude --dry-run",
    "map query": "release",
    "memory put": "'The release step runs as the role that may alter tables, never as the reader role' --kind policy",
    "memory recall": "'which role does the release step run as'",
    "prepare": "--task 'the deploy fails again because the role of the release step was changed' --dry-run",
    "projects assign": "/home/aicx-demo/pier-api tidewater/pier-api",
    "rank": "-p pier-api -H 0",
    "reports": ".",
    "resume": "--task 'the deploy fails again because the role of the release step was changed'",
    "run": "-- nothing-like-it",
    "search": "'why did pier_reader break the deploy' -v --explain --everywhere",
    "sessions chain": f"-s {_DEPLOY}",
    "sessions recall": "'why did pier_reader break the deploy'",
    "sessions search": "'why did pier_reader break the deploy'",
    "sessions show": _DEPLOY,
    "show": _DEPLOY,
    "steer": "'why did pier_reader break the deploy' --explain -p pier-api",
    "store": "--full-rescan",
    "task close": "nothing-like-it",
    "task start": "'Keep the deploys of pier-api from stopping at the release step' --next 'Ask Ada'",
    "task update": "--next 'Read the log of the release step before anything else, and then say what the role was'",
    "uninstall": "--dry-run",
    "why": "deploy/fly.toml:7",
}


# One is shown in a test of its own; the others answer programs.
NOT_FOR_PEOPLE = ("demo", "hook", "serve mcp")


EVERY = list(commands())
# Each once, by the name that comes first: the former ones are the same.
ONCE = list({unwrap(commands()[name].callback): name for name in reversed(EVERY)}.values())


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the demo's logs stored, a repository, and something of everything that is kept."""
    demo = Demo(tmp_path_factory.mktemp("w") / "home")
    demo.set_up()
    with pytest.MonkeyPatch.context() as patch:
        enter(demo.home, patch)
        for line in (
            "store",
            f"task start {ARGUMENTS['task start']}",
            f"memory put {ARGUMENTS['memory put']}",
            "continuity save",
            "cas put deploy/fly.toml",
        ):
            assert run(shlex.split(line)) == 0, line
    return demo.home


def enter(home: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOME", str(home))
    patch.setenv("AICX_HOME", str(home / ".aicx"))
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    patch.chdir(home / REPOSITORY)


@pytest.fixture
def terminal(lived_in: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home, for a terminal that is high enough to need no pager."""
    enter(lived_in, monkeypatch)
    for name, value in {"LINES": "9999", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))
    return lived_in


def run_on(columns: int, words: list[str], patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints where stdout and stderr are terminals of so many columns."""
    patch.setenv("COLUMNS", str(columns))
    for stream in (sys.stdout, sys.stderr):
        patch.setattr(stream, "isatty", lambda: True, raising=False)
    with suppress(SystemExit):  # how `run` ends as its program did
        run(words)
    return "".join(capsys.readouterr())


def too_wide(printed: str, width: int) -> list[str]:
    """Rows that do not fit. A word that takes more than half of a row, as a path may, is left whole to be copied."""
    rows = (_STYLE.sub("", row).rstrip() for row in printed.splitlines())
    return [row for row in rows if len(row) > width and not ends_with_long_word(row, width)]


def ends_with_long_word(row: str, width: int) -> bool:
    before, _, last = row.rstrip(" ·→").rpartition(" ")
    return len(before) < width // 2 < len(last)


@pytest.mark.parametrize("command", [name for name in ONCE if name not in NOT_FOR_PEOPLE])
def test_command_fits_the_terminal(
    command: str, terminal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width in sample(WIDTHS, 1, command, ends=False):
        printed = run_on(width, [*command.split(), *shlex.split(ARGUMENTS.get(command, ""))], monkeypatch, capsys)
        assert printed
        assert "internal error" not in printed
        assert too_wide(printed, width) == []


@pytest.mark.parametrize("group", sorted({name.split()[0] for name in EVERY}))
def test_help_fits_the_terminal(
    group: str, terminal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in dict.fromkeys([group, *(name for name in EVERY if name.split()[0] == group)]):
        for width in sample(WIDTHS, 1, command, ends=False):
            printed = run_on(width, [*command.split(), "--help-all"], monkeypatch, capsys)
            assert printed.startswith("`aicx " if command in FORMER else "Usage: aicx")
            assert too_wide(printed, width) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_help_and_the_demo_fit_the_terminal(
    width: int, terminal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert too_wide(run_on(width, ["--help-all"], monkeypatch, capsys), width) == []
    shown = DemoOutput(STORE, f"  │ {'a long line of words ' * 9}\n  ~/.aicx/{'path/' * 30}x.md", 0)
    monkeypatch.setattr(Demo, "steps", lambda demo: iter([shown]))
    monkeypatch.setattr(Demo, "checks", lambda demo: [])
    printed = run_on(width, ["demo", "--no-meaning"], monkeypatch, capsys)
    assert "a long line of words" in printed
    own, _, _ = printed.partition("Semantic search needs more parts")  # a command to install is in one piece
    assert too_wide(own, min(width, 80)) == []


def test_commands_that_are_given_something_exist() -> None:
    assert set(ARGUMENTS) <= set(EVERY)


def test_what_goes_into_a_pipe_is_not_folded(
    lived_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(lived_in, monkeypatch)
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["why", "deploy/fly.toml:7"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) > 120


@pytest.mark.process
def test_the_width_is_asked_of_the_terminal_itself(lived_in: Path) -> None:
    import pty
    import termios

    terminal, screen = pty.openpty()
    termios.tcsetwinsize(screen, (9999, 60))
    environ = {**os.environ, "HOME": str(lived_in), "AICX_HOME": str(lived_in / ".aicx"), "TERM": "dumb"}
    environ.pop("COLUMNS", None)
    command = [sys.executable, "-m", "aicx", "why", "deploy/fly.toml:7"]
    with subprocess.Popen(command, env=environ, cwd=lived_in / REPOSITORY, stdout=screen, stderr=screen) as process:
        os.close(screen)
        printed = b""
        try:
            while block := os.read(terminal, 65536):
                printed += block
        except OSError:  # how Linux says that the other end is closed
            pass
        assert process.wait() == 0
    os.close(terminal)
    text = printed.decode().replace("\r\n", "\n")
    assert "database role" in text
    assert max(map(len, text.splitlines())) <= 60


ASCII_ASKED = ("", "search 'why did pier_reader break the deploy'", "sessions", "task", "why deploy/fly.toml:7")


@pytest.mark.parametrize("command", ASCII_ASKED)
def test_a_terminal_that_has_only_ascii_gets_signs_of_ascii(
    command: str, terminal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    printed = run_on(80, shlex.split(command), monkeypatch, capsys)
    assert printed.isascii()
    assert re.search(r"\\[xu][0-9a-f]{2}", printed) is None
