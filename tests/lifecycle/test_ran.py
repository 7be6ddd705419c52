"""What `aicx run` ran is told rightly: how it ended, what failed, and what it committed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aicx.cli import run as aicx
from aicx.evidence.runs import unmet
from tests.forked import Piped
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.process

UNTESTED = "echo 'python: No module named pytest' >&2; python -m pytest -q 2>/dev/null || true"


def ran(
    place: Place, script: str, *options: str, folder: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    words = ["run", *options, "--", "sh", "-c", script]
    return Piped(words, env or os.environ, folder or place.repository.folder, **streams).to_end(timeout=60)


def told(place: Place) -> list[str]:
    """The lines on programs in the context of the next run."""
    lines = ran(place, 'cat "$AICX_CONTEXT_FILE"').stdout.decode().split("\n")
    start = lines.index("## Programs that `aicx run` ran here")
    return lines[start + 1 : lines.index("", start)] if "" in lines[start:] else lines[start + 1 :]


def test_a_failure_is_told_with_its_exit_code_and_its_telling_line(place: Place) -> None:
    ran(place, "echo working; echo 'ValueError: no header' >&2; exit 3")
    [line] = [line for line in told(place) if "exit code 3" in line]
    assert "ended with exit code 3, just now: ValueError: no header [work:" in line
    [found] = [one for one in place("resume")["ran"] if one["exit_code"] == 3]
    assert found["telling"] == "ValueError: no header"


def test_a_run_that_committed_and_failed_is_told_with_both_and_broke_off_nowhere(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        place.repository.git("config", name, value)
    place.repository.git("add", "-A")
    script = "git commit -qm 'Renew tokens'; exit 1"
    ran(place, script, "--task", "Renew the tokens")
    head = place.repository.git("rev-parse", "HEAD").strip()
    [line] = [line for line in told(place) if "exit code 1" in line]
    assert re.search(rf"exit code 1, just now; it changed \d files? and committed `{head[:9]}` Renew tokens", line)
    assert aicx(["store"]) == 0
    capsys.readouterr()
    assert aicx(["resume"]) == 0
    brief = capsys.readouterr().out
    assert "ended in the middle" not in brief
    assert "`git commit" not in brief.split("## Failed")[1].split("##")[0].replace(script, "")
    assert f'- `sh -c "{script}"` ended with exit code 1' in brief


def test_a_check_that_never_ran_is_no_passed_check(place: Place) -> None:
    assert ran(place, UNTESTED, "--task", "Test the tokens").returncode == 0
    [found] = place("resume")["ran"]
    assert (found["exit_code"], found["telling"]) == (0, "python: No module named pytest")
    assert aicx(["store"]) == 0
    brief = place("resume")
    assert brief["capsule"]["validated"] == []
    assert "pytest" not in (brief["execution_contract"]["test_command"]["command"] or "")


@pytest.mark.parametrize(
    ("line", "code", "printed", "line_told"),
    [
        ("sh -c 'pytest -q || true'", 0, "1 passed in 0.1s", ""),
        (
            "sh -c 'pytest -q || true'",
            0,
            "FAILED test_a.py::test_a - KeyError: 1\n1 failed",
            "FAILED test_a.py::test_a - KeyError: 1",
        ),
        ("pytest -q", 0, "3 passed", ""),
        ("pytest -q", 1, "E   KeyError: 1\n1 failed", "E KeyError: 1"),
        ("true", 0, "error: none", ""),
        ("false", 1, "", ""),
    ],
)
def test_what_failed_is_told_also_of_a_check_whose_exit_code_is_hidden(
    line: str, code: int, printed: str, line_told: str
) -> None:
    assert unmet(line, code, printed) == line_told


def test_the_last_run_of_a_command_counts(place: Place) -> None:
    script = "test -e mended || exit 4"
    ran(place, script)
    place.repository.write("mended", "")
    ran(place, script)
    assert [one["exit_code"] for one in place("resume")["ran"]] == [0]


def test_a_malformed_policy_takes_the_memory_from_a_program_and_nothing_else(place: Place) -> None:
    place("memory", "put", "Tokens are renewed once", "--kind", "policy")
    place.repository.write(".aicx/memory-policy.toml", "exclude_patterns = 1\n")
    found = ran(place, 'cat "$AICX_CONTEXT_FILE"; exit 5')
    assert (found.returncode, b"Tokens are renewed" in found.stdout, b"memory" in found.stdout) == (5, False, True)
    assert [one["exit_code"] for one in place("resume")["ran"]] == [5]


@pytest.mark.parametrize(("task", "given"), [((), 0), (("--task", "Renew the tokens"), 1)])
def test_a_program_without_a_goal_breaks_no_contract(place: Place, task: tuple[str, ...], given: int) -> None:
    words = ["run", *task, "--", "sh", "-c", "echo x > made.py; exit 4"]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    Piped(words, os.environ, place.repository.folder, **streams).to_end(timeout=60)
    assert place("usage")["contracts"]["given"] == given
    assert (place("resume")["previous_contract_result"] is not None) == bool(given)


def test_a_program_runs_in_a_bare_repository(place: Place, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", ".", str(tmp_path / "bare")], check=True)
    assert ran(place, "exit 6", folder=tmp_path / "bare").returncode == 6


def test_a_program_runs_without_git_and_without_a_corpus(place: Place, tmp_path: Path) -> None:
    env = {**os.environ, "AICX_HOME": str(tmp_path / "home")}
    ran(place, "echo 'error: no disk' >&2; exit 7", folder=tmp_path, env=env)
    found = ran(place, 'cat "$AICX_CONTEXT_FILE"', folder=tmp_path, env=env)
    assert b"ended with exit code 7, just now: error: no disk" in found.stdout
