"""The first `store` on machines of many kinds: it says nothing alarming, and everything is in order after it."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from aicx.console import size
from tests.corpus.builders import OTHER, SESSION, THIRD, TORN, ClaudeLog, CodexLog, Home
from tests.sampling import sample

pytestmark = [pytest.mark.slow, pytest.mark.process]

PUSHED = "To github.com:ada/orbit.git\n   1234567..89abcde  main -> main\n"
PATHS = {"with git": os.environ["PATH"], "without git": "/nonexistent"}
MASKS = {"the usual mask": 0o022, "a mask that shuts everyone out": 0o077}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Logs of Windows, of a proxy and of a renamed remote, and a repository whose last commit is by nobody here."""
    place = tmp_path / "Ada Łukasz \u65e5\u672c"
    place.mkdir()
    home = Home(place)
    log = ClaudeLog(SESSION, "D:\\orbit").prompt("Push it", 0).call("Bash", 1, command="cd /d/orbit && git push")
    home.claude(log.result(PUSHED, 2))
    home.claude(ClaudeLog(OTHER, "D:\\Orbit\\.claude\\worktrees\\fix\\website").prompt("Why is the lamp dark?", 50))
    home.codex(CodexLog(THIRD, "/gone/orbit", "https://proxy.example.org/gh/ada/orbit.git").prompt("And here?", 90))
    for path in home.root.rglob("*.jsonl"):
        path.write_bytes(path.read_bytes().removeprefix(TORN))
    subprocess.run(["git", "init", "--quiet", str(home.work / "orbit")], check=True)
    return home


def run(home: Home, path: str, mask: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with nothing in its environment but a home, a path and the locale C."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "aicx", *words],
        cwd=home.work / "orbit",
        env={"PATH": path, "LANG": "C", "LC_ALL": "C", **home.environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        umask=mask,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(("path", "mask"), sample([*product(PATHS, MASKS)], 1, ends=False))
def test_it_is_quiet_and_settled(home: Home, path: str, mask: str) -> None:
    first = run(home, PATHS[path], MASKS[mask], "store")
    assert (first.returncode, first.stdout) == (0, "")
    read = size(sum(path.stat().st_size for path in home.root.rglob("*.jsonl")))
    assert [line for line in first.stderr.splitlines() if not line.startswith("  ada/orbit: ")] == [
        f"Stored 3 chunks with 5 new messages; read 3 logs of 3 sessions, {read}.",
        f'The corpus is in {home.corpus}. Next: aicx search "a question"',
    ]
    doctor = run(home, PATHS[path], MASKS[mask], "doctor")
    assert (doctor.returncode, doctor.stderr) == (0, "Everything is in order.\n"), doctor.stdout
    files = home.files()
    again = run(home, PATHS[path], MASKS[mask], "store")
    assert again.stderr == "Up to date. 3 logs looked at, none changed.\n"
    assert home.files() == files
    assert not [path for path in home.corpus.rglob("*") if path.stat().st_mode & 0o077]
