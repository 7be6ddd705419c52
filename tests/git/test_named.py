"""What of a repository a text names, in repositories of every kind, whatever they hold."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from aicx.git.named import NamedCommits, find_named, may_name
from aicx.git.state import Git
from tests.evidence.stories import T0, Repository

SUBJECT = "Keep the last token of a line"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "orbit")
    found.commit("README.md", "An orbit.\n", "Begin")
    found.commit("src/lexer.py", "x\n", f"{SUBJECT} (#12)", T0 + timedelta(hours=1))
    found.commit("src/lexer.py", "y\n", "-- \x1b[31m$(touch x) `id` %H \x01", T0 + timedelta(hours=2))
    return found


def named(repository: Repository, text: str, **asked: object) -> list[NamedCommits]:
    git = Git(repository.folder)
    found = find_named(git, repository.folder, text, asked.pop("since", T0), ("orbit",))  # type: ignore[arg-type]
    assert git.notes == []
    return found


def kinds(found: list[NamedCommits]) -> list[tuple[str, list[str]]]:
    return [(item.kind, [commit.subject for commit in item.commits]) for item in found]


@pytest.mark.parametrize(
    "text",
    [
        "why does the lexer lose tokens",
        "how do sub-agents ask for 2.5?",
        "lexer",
        "what did we decide about retries?",
        "is it 3 or 4 times",
        "x" * 300 + " y",
    ],
)
def test_a_plain_question_names_nothing(repository: Repository, text: str) -> None:
    assert not may_name(text, repository.folder, repository.folder / ".git")


@pytest.mark.parametrize("text", [SUBJECT, "#12", "what came of PR 12?", "why src/lexer.py?", "what was in abc1234?"])
def test_a_text_that_may_name_something_is_known_without_git(repository: Repository, text: str) -> None:
    assert may_name(text, repository.folder, repository.folder / ".git")


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_and_a_tag_are_known_without_git(repository: Repository, packed: bool) -> None:
    texts = ["what was ada/lexer-fix for?", "what is in v0.1?", "why the lexers branch?", "what is on eve-1?"]
    common = repository.folder / ".git"
    assert not any(may_name(text, repository.folder, common) for text in texts)
    repository.git("branch", "ada/lexer-fix")
    repository.git("tag", "v0.1")
    repository.git("branch", "lexers")
    repository.git("update-ref", "refs/remotes/origin/eve-1", "HEAD")
    if packed:
        repository.git("pack-refs", "--all")
    assert all(may_name(text, repository.folder, common) for text in texts)
    assert not any(may_name(text, repository.folder, repository.folder / "absent") for text in texts)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SUBJECT.lower(), "subject"),
        ("what was done in #12?", "number"),
        ("the review of pull request 12", "number"),
        ("https://example.org/ada/orbit/pull/12", "number"),
    ],
)
def test_a_commit_is_named_by_its_subject_or_its_number(repository: Repository, text: str, kind: str) -> None:
    [found] = named(repository, text)
    assert (found.kind, found.weight) == (kind, 1.0)
    assert [commit.files for commit in found.commits] == [("src/lexer.py",)]
    assert found.commits[0].authored_at == T0 + timedelta(hours=1)


def test_a_hash_a_tag_a_branch_and_a_file_are_named_as_they_are_written(repository: Repository) -> None:
    commit = repository.git("rev-parse", "HEAD~1")
    repository.git("tag", "--annotate", "--message", "a tag", "v0.1", "HEAD~1")
    repository.git("branch", "ada/lexer-fix", "HEAD~2")
    text = f"what of {commit[:9]}, v0.1, ada/lexer-fix and lexer.py?"
    found = {item.kind: [one.hash for one in item.commits] for item in named(repository, text)}
    begin = repository.git("rev-parse", "HEAD~2")
    newest = repository.git("rev-parse", "HEAD")
    assert found == {"hash": [commit], "tag": [commit], "branch": [begin], "file": [newest, commit]}


@pytest.mark.parametrize(
    "text",
    [
        "#12-40 is a marker",
        "https://example.org/ada/lamp/pull/12",
        "main",
        "deadbee1 and 1234567",
        "../../etc/passwd.txt .git/config",
        "refs/heads/main HEAD~1 @{-1} *.py a..b --all -x",
        "\0\n\x1b[31m surrogate \udcff",
    ],
)
def test_names_unknown_to_the_repository_name_nothing(repository: Repository, text: str) -> None:
    assert named(repository, text) == []


def test_a_subject_of_many_commits_tells_no_time(repository: Repository) -> None:
    for number in range(9):
        repository.commit("a.py", f"{number}\n", "Fix the slow tests again")
    assert named(repository, "fix the slow tests again") == []


def test_a_commit_from_before_the_first_session_is_left_out(repository: Repository) -> None:
    assert named(repository, SUBJECT, since=T0 + timedelta(hours=3)) == []


def test_a_commit_that_a_rebase_dropped_is_found_in_the_reflog(repository: Repository) -> None:
    repository.git("reset", "--quiet", "--hard", "HEAD~2")
    assert kinds(named(repository, SUBJECT)) == [("subject", [f"{SUBJECT} (#12)"])]


def test_a_worktree_and_a_shallow_clone_name_what_they_have(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth=2", repository.folder.as_uri(), shallow], check=True)
    for folder in (tmp_path / "tree", shallow):
        git = Git(folder)
        assert kinds(find_named(git, folder, SUBJECT, T0)) == [("subject", [f"{SUBJECT} (#12)"])]


@pytest.mark.parametrize("kept", ["blob:none", "tree:0"])
def test_a_partial_clone_is_asked_without_a_fetch(repository: Repository, tmp_path: Path, kept: str) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    folder = tmp_path / "partial"
    clone = ["git", "clone", "--quiet", "--no-checkout", f"--filter={kept}", repository.folder.as_uri(), str(folder)]
    subprocess.run(clone, check=True)
    before = sorted(path.name for path in (folder / ".git/objects").rglob("*"))
    [found] = find_named(Git(folder), folder, SUBJECT, T0)
    assert [commit.authored_at for commit in found.commits] == [T0 + timedelta(hours=1)]
    assert sorted(path.name for path in (folder / ".git/objects").rglob("*")) == before


def test_without_git_nothing_is_named(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    git = Git(repository.folder)
    assert find_named(git, repository.folder, f"{SUBJECT} #12 v0.1 abc1234", T0) == []
    assert git.missing
