"""Commands of a session's start and end where git, the corpus, the policy or the catalogue are not as usual."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.errors import MalformedPolicy
from tests.forked import Piped
from tests.lifecycle.conftest import Place
from tests.lifecycle.test_left import SUMMARY, fail, locked
from tests.sampling import sample

pytestmark = pytest.mark.slow

INTERNAL = 70  # the exit code of a mistake in aicx itself
Surrounding = Callable[[Place, pytest.MonkeyPatch, Path], AbstractContextManager[None]]


def as_usual(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    return nullcontext()


def excluding_policy(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    policy = 'exclude_patterns = ["calendar"]\nexclude_paths = ["src/", "*.md"]\nexclude_sources = ["*"]\n'
    place.repository.write(".aicx/memory-policy.toml", policy)
    return nullcontext()


def malformed_policy(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    place.repository.write(".aicx/memory-policy.toml", "exclude_patterns = 1\n")
    return nullcontext()


def without_git(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    return nullcontext()


def no_git_installed(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    (tmp_path / "bin").mkdir()
    for name in ("sh", "true"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return nullcontext()


def bare_repository(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    subprocess.run(["git", "clone", "-q", "--bare", ".", str(tmp_path / "bare")], check=True)
    monkeypatch.chdir(tmp_path / "bare")
    return nullcontext()


def worktree(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    place.repository.git("worktree", "add", "-q", "-b", "tree", str(tmp_path / "tree"))
    monkeypatch.chdir(tmp_path / "tree")
    return nullcontext()


def empty_corpus(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AbstractContextManager[None]:
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "new"))
    return nullcontext()


@contextmanager
def locked_catalogue(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    (place.user.corpus / "config.toml").write_text("lock_wait_seconds = 0.1\n")
    with locked(place.user.corpus):
        yield


SURROUNDINGS: tuple[Surrounding, ...] = (
    *(as_usual, excluding_policy, malformed_policy, without_git, no_git_installed, bare_repository, worktree),
    *(empty_corpus, locked_catalogue),
)
# These always have an answer.
ANSWERED = (
    *("resume", "resume --json", "resume --explain", "resume --task calendar --json", "prepare --dry-run"),
    *("prepare --dry-run --json", "boot", "boot --json", "next", "next --json", "task status", "task status --json"),
    *("task handoffs", "task handoffs --json", "usage --json", "search leap calendar --json", "memory sources --json"),
    *("memory recall calendar --json", "continuity load --json", "continuity status --json", "doctor --repo . --json"),
    *("memory list --json", "map status --json", "boot --session 0b7c1f6e --json"),
)
# These may say instead why they have none, or why nothing can be written now.
OTHERS = (
    *("resume --record --json", "prepare", "task areas --json", "failures list --json", "sessions list --json"),
    *(
        "finalize --status success --summary done --json --session s8",
        "task start tokens --json",
        "pack task --json",
        "store",
    ),
    *("memory put tokens --json", "continuity save --json", "review candidates --json", "init --dry-run --yes"),
    *("map refresh", "memory candidates --json", "why src/login.py --json"),
)


@pytest.mark.parametrize("surrounding", SURROUNDINGS, ids=lambda one: one.__name__)
def test_every_command_answers_or_says_why_it_cannot(
    surrounding: Surrounding,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = {}
    with surrounding(place, monkeypatch, tmp_path):
        if surrounding not in (locked_catalogue, bare_repository):
            fail(place)
        for words in sample((*ANSWERED, *OTHERS), 9, surrounding.__name__):
            capsys.readouterr()
            code = run(words.split())
            told = capsys.readouterr()
            if surrounding is bare_repository and "bare repository" in told.err + told.out:
                continue  # it has no files to work on; tasks are of its worktrees
            if surrounding is malformed_policy and words.startswith("memory ") and code == MalformedPolicy.exit_code:
                assert "memory-policy.toml" in told.err + told.out  # it says where its policy is wrong
                continue
            if (code and words in ANSWERED) or code == INTERNAL or (code and not told.err + told.out):
                said[words] = (code, told.err)
    assert said == {}


@pytest.mark.process
@pytest.mark.parametrize("surrounding", sample(SURROUNDINGS, 5, "program"), ids=lambda one: one.__name__)
def test_a_program_is_run_everywhere_and_knows_what_was_stated(
    surrounding: Surrounding, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = surrounding in (locked_catalogue, bare_repository)
    with nullcontext() if before else surrounding(place, monkeypatch, tmp_path):
        fail(place)
    with surrounding(place, monkeypatch, tmp_path) if before else nullcontext():
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        script = 'while read -r line; do echo "$line"; done < "$AICX_CONTEXT_FILE"; exit 5'
        found = Piped(["run", "--", "sh", "-c", script], os.environ, Path.cwd(), **streams).to_end(timeout=60)
    assert found.returncode == 5
    assert (SUMMARY in found.stdout.decode()) == (surrounding is not bare_repository)
