"""What git says of commits, whatever their messages and names hold."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aicx.git import history
from aicx.git.state import Git
from tests.evidence.stories import T0, Repository


def git_of(repository: Repository) -> Git:
    return Git(repository.folder)


def test_hostile_message_and_file_name_are_read_as_they_are(repository: Repository) -> None:
    subject = "=%H \x01\x1b[31m -- --output=x"
    commit = repository.commit(' M\t"quoted"\n.py', "x\n", subject)
    [found] = history.read_changes(git_of(repository), [commit])
    assert (found.subject, found.files) == (subject, (' M\t"quoted"\n.py',))


def test_first_commit_and_one_without_files_are_read(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.git("commit", "--allow-empty", "--quiet", "--message", "Nothing")
    empty = repository.git("rev-parse", "HEAD")
    found = history.read_changes(git_of(repository), [empty, first])
    assert [(one.hash, one.files) for one in found] == [(empty, ()), (first, ("a.py",))]


def test_both_names_of_a_renamed_file_count(repository: Repository) -> None:
    repository.commit("old.py", "a text that is long enough to be recognised\n" * 4)
    repository.git("mv", "old.py", "new.py")
    repository.git("commit", "--quiet", "--message", "Rename")
    [found] = history.read_changes(git_of(repository), [repository.git("rev-parse", "HEAD")])
    assert set(found.files) == {"old.py", "new.py"}


def test_same_change_on_another_base_has_the_same_patch_id(repository: Repository) -> None:
    lines = [f"line number {number}\n" for number in range(20)]
    repository.commit("b.py", "".join(lines))
    repository.git("switch", "--quiet", "--create", "side")
    changed = [*lines[:15], "something else entirely\n", *lines[15:]]
    one = repository.commit("b.py", "".join(changed), "Change it")
    repository.git("switch", "--quiet", "main")
    repository.commit("b.py", "".join(["a new first line\n", *lines]), "Before it")
    repository.git("cherry-pick", one)
    other = repository.git("rev-parse", "HEAD")
    patches = history.read_patches(git_of(repository), [one, other])
    assert one != other
    assert patches[one].id == patches[other].id
    assert patches[one].added == {"something else entirely"}


def test_answer_of_any_size_is_read_to_its_limit_only(repository: Repository) -> None:
    repository.commit("big.txt", "0123456789\n" * 50_000)
    git = git_of(repository)
    assert len(git.ask_some(1_000, "show", "HEAD:big.txt") or "") == 1_000
    assert git.notes == ["`git show` printed more than is read; its beginning was used"]


def test_a_failed_command_of_git_gives_no_answer(repository: Repository) -> None:
    assert git_of(repository).ask_some(1_000, "show", "HEAD:absent") is None


def test_log_of_a_time_holds_commits_of_deleted_branches(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "side")
    gone = repository.commit("b.py", "y\n", "On a branch", T0 + timedelta(hours=1))
    repository.git("switch", "--quiet", "main")
    repository.git("branch", "--quiet", "-D", "side")
    found = history.read_log(git_of(repository), T0, T0 + timedelta(hours=2))
    assert gone in {one.hash for one in found}


@pytest.mark.parametrize("name", ["--all", "-1", "HEAD --output=x", "no-such-name", "HEAD:a.py"])
def test_words_that_are_no_hash_are_no_commit(repository: Repository, name: str) -> None:
    assert history.find_commit(git_of(repository), name) is None
