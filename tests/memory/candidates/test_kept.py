"""Readings that are kept: the same result as from scratch whatever happened, and only what changed is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.memory.candidates import gather as gathering
from aicx.memory.candidates.gather import Candidates, gather_at
from aicx.memory.policy import NAME
from tests.corpus.builders import ClaudeLog, Home

STATEMENTS = (
    "never push to the beta branch",
    "Never push to the beta branch!",
    "prefer plain SQL over query builders",
    "always run the migrations before the server starts",
)
Step = tuple[str, int, int]
STEPS = st.tuples(
    st.sampled_from(["say", "say", "say", "hide", "exclude", "damage", "look", "look here"]),
    st.integers(0, 2),
    st.integers(0, len(STATEMENTS) - 1),
)


def session_id(number: int) -> str:
    return f"0000000{number}-6085-4db1-8d6f-8c3d4e5f6071"


class Story:
    """A home in which something happens step by step."""

    def __init__(self, folder: Path) -> None:
        self.user = Home(folder)
        self.user.root.joinpath(".keep").touch()
        self.repositories = [
            self.user.repository(name, f"git@example.org:ada/{name}.git") for name in ("orbit", "moon")
        ]
        self.logs = [ClaudeLog(session_id(number), self.repositories[number % 2]) for number in range(3)]
        self.seconds = 0.0

    def happens(self, step: Step) -> None:
        what, number, statement = step
        getattr(self, f"_{what.replace(' ', '_')}")(number, STATEMENTS[statement])

    def found(self, *, keep: bool = True, anew: bool = False) -> Candidates:
        return gather_at(self.user.settings, None, keep=keep, anew=anew)

    @property
    def kept(self) -> Path:
        return self.user.settings.layout.work_facts

    def proposals(self) -> bytes:
        """What is kept of proposals."""
        with closing(sqlite3.connect(self.kept)) as kept:
            return b"\n".join(body for (body,) in kept.execute("SELECT body FROM proposals"))

    def _say(self, number: int, text: str) -> None:
        self.seconds += 60
        self.user.claude(self.logs[number].prompt(text, self.seconds).answer("I see.", self.seconds + 1))
        self.user.store()

    def _chunks(self) -> Iterator[Path]:
        return self.user.corpus.glob("store/**/*.md")

    def alter(self) -> None:
        for chunk in self._chunks():
            chunk.write_text(chunk.read_text().replace("beta", "main"))

    def _hide(self, number: int, text: str) -> None:
        self.user.corpus.joinpath(".aicxignore").write_text(f"*{session_id(number)[:8]}*\n")

    def _exclude(self, number: int, text: str) -> None:
        self.user.corpus.joinpath(NAME).write_text(f'exclude_patterns = ["{text.split()[-1].strip("!")}"]\n')

    def _damage(self, number: int, text: str) -> None:
        if self.kept.exists():
            body = bytearray(self.kept.read_bytes())
            body[len(body) * (number + 1) // 4] ^= 1 << number
            self.kept.write_bytes(body)

    def _look(self, number: int, text: str) -> None:
        self.found()

    def _look_here(self, number: int, text: str) -> None:
        gather_at(self.user.settings, Path(self.repositories[number % 2]))


@settings(max_examples=15, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=7))
@pytest.mark.slow
def test_kept_readings_give_the_result_of_reading_everything(steps: Sequence[Step]) -> None:
    with TemporaryDirectory() as folder:
        story = Story(Path(folder))
        story.happens(("say", 0, 0))
        for step in steps:
            story.happens(step)
            assert story.found(keep=step[1] > 0) == story.found(keep=False, anew=True)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    story = Story(tmp_path)
    for number in range(3):
        story.happens(("say", number, number))
    story.found()
    return story


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The sessions that are read from now on, each by the paths of its chunks."""
    found: list[Any] = []
    whole = gathering.read_steps

    def counted(layout: Any, paths: Any, *more: Any) -> Any:
        found.append(list(paths))
        return whole(layout, found[-1], *more)

    monkeypatch.setattr(gathering, "read_steps", counted)
    return found


def test_only_new_and_changed_sessions_are_read(story: Story, read: list[Any]) -> None:
    story.found()
    assert read == []
    story.happens(("say", 1, 3))
    story.found()
    assert len(read) == 1
    assert all(session_id(1)[:8] in path for path in read[0])


def test_all_are_read_when_that_is_asked_for_and_after_a_rule_changed(
    story: Story, read: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    story.found(anew=True)
    assert len(read) == 3
    monkeypatch.setattr("aicx.evidence.kept.reading_version", lambda layout: "other rules")
    story.found()
    assert len(read) == 6


def test_excluded_proposals_are_not_kept(story: Story) -> None:
    assert b"beta" in story.proposals()
    story.happens(("exclude", 0, 0))
    assert [one.reason for one in story.found().excluded] == ["policy_pattern"] * 2
    assert b"beta" not in story.proposals()
    assert b"query builders" in story.proposals()


def test_a_session_that_is_gone_is_not_kept(story: Story) -> None:
    story.happens(("hide", 2, 0))
    story.found()
    assert b"query builders" not in story.proposals()


def test_redacting_again_drops_kept_proposals(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    from aicx.work.holder import HOLDER

    HOLDER.redact(story.user.settings, lambda _: None, None)  # type: ignore[arg-type]
    assert not story.kept.exists()


def test_what_was_altered_on_disk_is_left_out_when_all_are_read(story: Story) -> None:
    before = story.found()
    story.alter()
    assert story.found() == before
    assert [one.statement for one in story.found(anew=True).proposals] == [STATEMENTS[2]]


def test_what_the_release_before_kept_is_deleted(story: Story) -> None:
    former = story.kept.with_name("memory-candidates.json")
    former.write_text("{}")
    story.found()
    assert not former.exists()


def test_a_home_that_cannot_be_written_gives_the_same(story: Story) -> None:
    before = story.found()
    story.kept.unlink()
    story.kept.mkdir()
    assert story.found() == before


def test_looking_at_one_repository_keeps_what_is_known_of_the_others(story: Story, read: list[Any]) -> None:
    gather_at(story.user.settings, Path(story.repositories[0]), anew=True)
    read.clear()
    story.found()
    assert read == []
