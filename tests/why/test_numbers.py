"""Pull requests, issues and tickets as targets: how they are named, and the sessions that worked on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.errors import NotFound
from aicx.why.target import find_key, find_number
from tests.corpus.builders import OTHER, SESSION, Home, when
from tests.kept import Kept
from tests.why.builders import Story, ids, kinds

pytestmark = pytest.mark.slow


@pytest.fixture
def story(kept: Kept) -> Story:
    user = Home(kept.folder)
    kept.again(lambda: Story(user))
    return Story(user)


@pytest.mark.parametrize(
    ("text", "name", "project"),
    [
        ("#12", "#12", None),
        ("!12", "#12", None),
        ("PR 12", "#12", None),
        ("pull request #12", "#12", None),
        ("issue 12", "#12", None),
        ("https://forge.example.org/ada/orbit/pull/12", "#12", "ada/orbit"),
        ("https://forge.example.org/ada/orbit/issues/12#note_3", "#12", "ada/orbit"),
        ("https://forge.example.org/ada/group/orbit/-/merge_requests/12/diffs", "#12", "ada/group/orbit"),
        ("https://forge.example.org/ada/orbit/discussions/12", "#12", "ada/orbit"),
    ],
)
def test_request_is_named_by_number_or_address(text: str, name: str, project: str | None) -> None:
    found = find_number(text)
    assert found is not None
    assert (found.name, found.project) == (name, project)


@pytest.mark.parametrize("text", ["12", "#12a", "UTF-8", "SHA-256", "orb-12", "ORB-12b", "A-1"])
def test_other_texts_name_no_request(text: str) -> None:
    assert find_number(text) is None
    assert find_key(text) is None


def ticket_session(story: Story, name: str) -> None:
    log = story.log(SESSION).prompt(f"Have a look at {name}, we work on that here", 0)
    for number in range(90):
        log.answer(f"Step {number}. " + "The moons are looked at one after the other. " * 120, 10 + number)
    story.edited(log, "src/moons.py", 200)
    story.keep(log.answer("The moons are counted twice no longer.", 210))
    log = story.log(OTHER).prompt("What is left to do?", 0)
    story.keep(log.answer(f"The moons ({name}), the rings and the manual are left.", 10))


@pytest.mark.parametrize(("name", "target"), [("#12", "PR 12"), ("ORB-12", "ORB-12")])
def test_session_that_was_given_the_ticket_comes_before_one_that_names_it(story: Story, name: str, target: str) -> None:
    ticket_session(story, name)
    report = story.ask(target)
    assert ids(report) == [SESSION, OTHER]
    assert [item.confidence for item in report.sessions] == ["medium", "low"]
    said = {line.kind: line.text for line in report.reason}
    assert name in said["asked"]
    assert said["reported"] == "The moons are counted twice no longer."


def test_session_on_the_branch_of_a_ticket_is_found(story: Story) -> None:
    for session, branch in ((SESSION, "ada/orb-12-moons"), (OTHER, "ada/orb-123-rings")):
        log = story.log(session, branch=branch).prompt(f"Count the moons once, on {session[:4]}", 0)
        story.keep(story.edited(log, "src/moons.py", 10).answer("Each is counted once.", 20))
    report = story.ask("ORB-12")
    assert ids(report) == [SESSION]
    assert "branch" in kinds(report)


def test_commit_that_names_the_ticket_is_followed(story: Story) -> None:
    log = story.log().prompt("Count the moons once", 0)
    story.keep(story.edited(log, "src/moons.py", 10).answer("Each is counted once.", 20))
    commit = story.repository.commit("src/moons.py", "y", "ORB-12: count the moons once", when(60))
    story.repository.commit("README.md", "z", "ORB-123: describe the rings", when(90))
    report = story.ask("ORB-12")
    assert [item.change.hash for item in report.wanted] == [commit]
    assert ids(report) == [SESSION]


def test_address_of_another_repository_is_not_looked_up_in_this_one(story: Story) -> None:
    story.keep(story.log().prompt("Count the moons once", 0))
    story.repository.commit("README.md", "z", "Describe the rings (#12)", when(60))
    report = story.ask("https://example.org/ada/lamp/pull/12")
    assert report.wanted[0].change.hash == ""
    assert any("another repository" in note for note in report.notes)
    assert story.ask("https://example.org/ada/orbit/pull/12").wanted[0].change.hash


def test_branch_and_file_of_the_name_come_before_the_ticket(story: Story) -> None:
    story.keep(story.log().prompt("Count the moons once", 0))
    story.repository.git("branch", "ORB-12")
    assert story.ask("ORB-12").target.kind == "commit"
    Path(story.folder, "ORB-13").write_text("x\n")
    assert story.ask("ORB-13").target.kind == "file"
    with pytest.raises(NotFound):
        story.ask("UTF-8")
