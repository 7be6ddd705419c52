"""Hostile repositories, made with the real git: a look at them runs nothing, fetches nothing and ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

import aicx
from aicx import git as gitcall
from aicx.bench import run
from aicx.bench.mining import repositories
from aicx.errors import AicxError
from aicx.git.identity import find_repository
from aicx.git.state import Git, GitProbe, GitState
from aicx.repomap.files import list_files
from tests.evidence.stories import Repository

SECRETS = ("AICX_HTTP_AUTH_TOKEN", "AICX_EMBEDDING_KEY")
# Signed by nobody: what counts is that git would have it verified.
SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"


class Trap:
    """A program that leaves a file behind when it runs."""

    def __init__(self, folder: Path) -> None:
        self._mark = folder / "sprung"
        self.program = folder / "trap"
        self.program.write_text(f"#!/bin/sh\ntouch {self._mark}\n")
        self.program.chmod(0o755)

    @property
    def sprung(self) -> bool:
        return self._mark.exists()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A file changed without changing its size: git has to read it, through the filter of its attributes."""
    found = Repository(tmp_path / "orbit")
    found.write(".gitattributes", "* filter=evil\n")
    found.commit("a.py", "old\n")
    found.write("a.py", "new\n")
    return found


@pytest.fixture
def partial(repository: Repository, trap: Trap) -> Repository:
    """A partial clone without one of the files that a listing reads, which names a program to fetch it with."""
    blob = repository.git("hash-object", "-w", repository.write(".gitignore", "*.log\n").name)
    repository.git("add", ".gitignore")
    repository.git("update-index", "--skip-worktree", ".gitignore")
    (repository.folder / ".gitignore").unlink()
    (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    other = Repository(repository.folder.parent / "other", "--bare")
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(other.folder),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(trap.program),
    }.items():
        repository.git("config", name, value)
    return repository


def look(folder: Path) -> GitState:
    with GitProbe(Git(folder)) as looking:
        return looking.state


def files(folder: Path) -> list[str]:
    return sorted(list_files(find_repository(folder)).stamps)


@pytest.fixture
def deadline() -> Iterator[None]:
    """Fails a test that hangs."""

    def fail(_: int, __: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


# Filters ------------------------------------------------------------------------------------------------------------


def in_config(repository: Repository, name: str, program: Path) -> None:
    repository.git("config", name, str(program))


def in_included_file(repository: Repository, name: str, program: Path) -> None:
    repository.git("config", "--file", ".git/more", name, str(program))
    repository.git("config", "include.path", "more")


def in_file_included_on_a_branch(repository: Repository, name: str, program: Path) -> None:
    repository.git("config", "--file", ".git/more", name, str(program))
    repository.git("config", "includeIf.onbranch:main.path", "more")


def in_worktree_config(repository: Repository, name: str, program: Path) -> None:
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--worktree", name, str(program))


def in_home(repository: Repository, name: str, program: Path) -> None:
    repository.git("config", "--global", name, str(program))


@pytest.mark.parametrize("last", ["clean", "process"])
@pytest.mark.parametrize(
    "put", [in_config, in_included_file, in_file_included_on_a_branch, in_worktree_config, in_home]
)
def test_filter_is_not_run(
    put: Callable[[Repository, str, Path], None], last: str, repository: Repository, trap: Trap
) -> None:
    put(repository, f"filter.evil.{last}", trap.program)
    look(repository.folder)
    assert not trap.sprung


@pytest.mark.parametrize("name", ["evil=clean", "EVIL.two", "\udcff"])
def test_filter_with_an_odd_name_is_not_run(name: str, repository: Repository, trap: Trap) -> None:
    (repository.folder / ".gitattributes").write_bytes(b"* filter=" + os.fsencode(name) + b"\n")
    repository.git("config", f"filter.{name}.clean", str(trap.program))
    look(repository.folder)
    assert not trap.sprung


def test_filter_that_is_required_does_not_hide_what_changed(repository: Repository, trap: Trap) -> None:
    repository.git("config", "filter.evil.clean", str(trap.program))
    repository.git("config", "filter.evil.required", "true")
    assert look(repository.folder).changed == ("a.py",)


def test_filter_is_not_run_where_git_config_is_led_to_another_file(
    repository: Repository, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("config", "filter.evil.clean", str(trap.program))
    monkeypatch.setenv("GIT_CONFIG", os.devnull)
    look(repository.folder)
    assert not trap.sprung


@pytest.mark.slow
def test_more_filters_than_can_be_turned_off_leave_the_changes_unknown(repository: Repository, trap: Trap) -> None:
    with (repository.folder / ".git" / "config").open("a") as config:
        config.write(f'[filter "evil"]\nclean = {trap.program}\n')
        config.writelines(f'[filter "{number}{"x" * 1000}"]\nclean = x\n' for number in range(10_000))
    assert look(repository.folder).dirty is None
    assert not trap.sprung


def test_settings_given_by_the_environment_are_kept() -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    found = gitcall.without_filters(given, "core.bare\0filter.evil.clean\0")
    assert found == given | {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_1": "filter.evil.clean",
        "GIT_CONFIG_VALUE_1": "",
    }


def test_commit_of_the_checkout_is_told_without_running_its_filters(
    repository: Repository, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.git("config", "filter.evil.clean", str(trap.program))
    monkeypatch.setattr(aicx, "__file__", str(repository.folder / "aicx" / "__init__.py"))
    assert run.commit() == repository.git("rev-parse", "--short=12", "HEAD") + "+"
    assert not trap.sprung


# Bare repositories that came with a clone -----------------------------------------------------------------------------


@pytest.fixture
def embedded(repository: Repository) -> Repository:
    """A folder of a clone that git takes for a bare repository, with a changed file."""
    inner = Repository(repository.folder / "fixture", "--bare")
    inner.git("config", "core.bare", "false")
    inner.git("config", "core.worktree", ".")
    inner.write(".gitattributes", "* filter=evil\n")
    inner.write("a.py", "old\n")
    inner.git("add", ".gitattributes", "a.py")
    inner.git("commit", "--quiet", "--message", "One")
    inner.write("a.py", "new\n")
    return inner


def test_filter_of_a_bare_repository_in_a_clone_is_not_run(embedded: Repository, trap: Trap) -> None:
    embedded.git("config", "filter.evil.clean", str(trap.program))
    look(embedded.folder)
    assert not trap.sprung


def test_bare_repository_in_a_working_tree_is_not_looked_at_and_that_is_told(embedded: Repository) -> None:
    found = look(embedded.folder)
    assert found.kind == "unavailable"
    assert "a bare repository inside a working tree" in found.notes[0]


# Fetching, signatures, keys ----------------------------------------------------------------------------------------


def test_partial_clone_is_not_fetched_by_a_look(partial: Repository, trap: Trap) -> None:
    look(partial.folder)
    assert not trap.sprung


def test_listing_runs_no_filter(repository: Repository, trap: Trap) -> None:
    repository.git("config", "filter.evil.clean", str(trap.program))
    assert files(repository.folder) == [".gitattributes", "a.py"]
    assert not trap.sprung


def test_signature_is_not_verified_for_the_subjects_of_commits(repository: Repository, trap: Trap) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}")
    person = "Ada <ada@example.org> 1767225600 +0000"
    text = f"tree {tree}\nauthor {person}\ncommitter {person}\ngpgsig {SIGNATURE}\n\nMend the lexer\n"
    path = repository.folder.parent / "commit"
    path.write_text(text)
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", str(path)))
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "gpg.program", str(trap.program))
    assert [commit.subject for commit in repositories.commits(repository.folder)] == ["Mend the lexer"]
    assert not trap.sprung


@pytest.mark.parametrize("ask", [look, files, lambda folder: list(repositories.commits(folder))])
def test_git_may_not_fetch_and_is_not_given_the_keys_of_aicx(
    ask: Callable[[Path], object], repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(f"#!/bin/sh\nenv >> {tmp_path}/environment\nexit 1\n")
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:/usr/bin:/bin")
    for name in SECRETS:
        monkeypatch.setenv(name, "secret")
    with suppress(AicxError):
        ask(repository.folder)
    given = (tmp_path / "environment").read_text()
    assert "GIT_ALLOW_PROTOCOL=none\n" in given
    assert "GIT_NO_LAZY_FETCH=1\n" in given
    assert not [name for name in SECRETS if name in given]


# What never ends ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("deadline")
def test_pipe_in_the_place_of_gits_folder_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert find_repository(tmp_path).root == tmp_path


@pytest.mark.usefixtures("deadline")
def test_pipe_in_the_place_of_the_pointer_to_a_shared_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    os.mkfifo(tmp_path / "own" / "commondir")
    (tmp_path / ".git").write_text("gitdir: own\n")
    assert find_repository(tmp_path).root == tmp_path


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".git/info/exclude",
        ".git/packed-refs",
        ".git/HEAD",
        ".git/refs/heads/x",
        ".git/commondir",
        ".gitignore",
    ],
)
def test_git_is_not_asked_where_it_would_read_a_pipe(name: str, repository: Repository) -> None:
    file = repository.folder / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with pytest.raises(AicxError, match=f"{name} is not a regular file"):
        list_files(find_repository(repository.folder))
    with GitProbe(Git(repository.folder)) as look:
        assert look.state.kind == "unavailable"
        assert all("is not a regular file" in note for note in look.state.notes)


@pytest.mark.usefixtures("deadline")
def test_git_that_hangs_is_given_up(repository: Repository) -> None:
    (repository.folder / "within").mkdir()
    os.mkfifo(repository.folder / "within" / ".gitignore")
    found = find_repository(repository.folder)
    with pytest.raises(AicxError, match=r"within 0\.2 s"):
        list_files(found, git_seconds=0.2)
