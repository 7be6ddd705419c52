"""Whatever was done before, `forget` leaves no word of it: in no file, no answer, and nothing made later."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.attack.histories import STATED, STEPS, WORDS, World, forget, left, play
from tests.kept import Kept
from tests.sampling import ALL

pytestmark = [pytest.mark.slow, pytest.mark.process]

CHAIN = (
    "store",
    "task start",
    "task update",
    "continuity save",
    "prepare",
    "finalize it",
    "pack task",
    "memory",
    "review",
)
STEP = st.sampled_from([name for name in STEPS if name != "run"])


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path / "w", "narwhal")
    found.begin()
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., World]:
    """A world after some steps, which are taken once and found again by each test."""
    kept: dict[tuple[str, ...], Kept] = {}

    def after(*steps: str) -> World:
        folder = kept.setdefault(steps, Kept(tmp_path_factory.mktemp("kept") / "folder"))
        world = World(folder.folder / "w", "narwhal")
        folder.again(lambda: begin(world, steps))
        return world

    def begin(world: World, steps: Sequence[str]) -> None:
        world.begin()
        play(world, steps)
        assert world.failed() == []

    return after


@pytest.fixture
def chained(filled: Callable[..., World]) -> World:
    return filled(*CHAIN)


@pytest.fixture
def stored(filled: Callable[..., World]) -> World:
    return filled("store")


@pytest.mark.parametrize("how", ["session", "project", "pattern"])
def test_nothing_that_a_session_led_to_keeps_a_word_of_it(how: str, chained: World) -> None:
    assert len(chained.holding()) > 8
    code, out = forget(chained, how)
    assert code == 0, out
    assert left(chained) == []
    assert chained.failed() == []


@settings(max_examples=40 if ALL else 5, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(STEP, min_size=2, max_size=6),
    how=st.sampled_from(["session", "project", "pattern"]),
    word=st.sampled_from(sorted(WORDS)),
)
def test_no_history_leaves_a_word(steps: list[str], how: str, word: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "w", word)
        world.begin()
        play(world, ["store", *steps])
        forget(world, how)
        assert left(world) == [], world.ran


class TestForget:
    def test_what_somebody_stated_stays_and_is_named(self, chained: World) -> None:
        said = chained.fields("forget", "--session", chained.session, "--yes")
        task = chained.fields("task", "list", "--all")["tasks"][0]
        assert task["ref"] in said["stays"]
        assert (task["title"], task["next_action"]) == ("[forgotten]", f"Ask about the {STATED}")
        assert any(name.endswith("continuity/project.md") for name in said["stays"])
        assert chained.holding(STATED)

    def test_a_handoff_keeps_its_summary_without_the_prompt_of_its_session(self, world: World) -> None:
        play(world, ["store", "prepare it", "finalize it"])
        (handoff,) = [one for one in world.fields("task", "handoffs")["items"] if one["origin"] == "stated"]
        assert "narwhal" in handoff["goal"]
        said = world.fields("forget", "--session", world.session, "--yes")
        (handoff,) = [one for one in world.fields("task", "handoffs")["items"] if one["origin"] == "stated"]
        assert (handoff["goal"], handoff["summary"]) == ("[forgotten]", f"The {STATED} works")
        assert handoff["ref"] in said["stays"]

    def test_a_contract_goes_with_a_session_that_it_was_drawn_from(self, world: World) -> None:
        play(world, ["store", "prepare"])
        (path,) = world.home.glob("work/*/attempts/*.json")
        assert world.session.encode() in path.read_bytes()
        forget(world, "session")
        assert b'"contract": null' in path.read_bytes()
        assert world.session.encode() not in path.read_bytes()

    def test_a_second_call_finds_what_was_made_since(self, stored: World) -> None:
        forget(stored, "session")
        stored.aicx("memory", "put", "The narwhal rule holds", "--evidence", f"session:claude:{stored.session}")
        assert stored.fields("forget", "--session", stored.session, "--yes")["memory_removed"] == 1
        assert stored.holding() == []

    def test_a_project_takes_what_was_begun_before_it_was_stored(self, world: World) -> None:
        play(world, ["task start stated", "store"])
        assert world.fields("forget", "--project", "acme/widgets", "--yes")["work_removed"] == 1
        assert world.holding(STATED) == []

    def test_no_note_is_made_of_a_forgotten_project(self, stored: World) -> None:
        forget(stored, "project")
        assert "was forgotten" in stored.aicx("continuity", "save")[1]


class TestLeftovers:
    """What a killed writer leaves half written is gone after the next `forget`, also where nothing else fits."""

    DEAD = 4_000_000  # above any process id

    @pytest.mark.parametrize("where", ["locks", "index", "work/x", "memory"])
    def test_a_part_file_of_a_killed_writer_goes(self, where: str, stored: World) -> None:
        part = stored.home / where / f".forgetting.json.{self.DEAD}.aicx-part"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text("narwhal")
        stored.aicx("forget", "--pattern", "no such text", "--yes")
        assert not part.exists()

    def test_a_part_file_with_a_pattern_goes_with_the_next_store(self, world: World) -> None:
        play(world, ["store"])
        part = world.home / f"locks/.forgetting.json.{self.DEAD}.aicx-part"
        part.write_text("narwhal")
        play(world, ["store"])
        assert not part.exists()

    def test_the_text_of_a_killed_put_goes_with_the_next_put(self, world: World) -> None:
        staged = world.home / "locks/cas-staging/0011223344556677.aicx-part"
        staged.parent.mkdir(parents=True)
        staged.write_text("narwhal")
        (world.folder / "given.txt").write_text("something else")
        world.aicx("cas", "put", str(world.folder / "given.txt"))
        assert world.holding() == []

    def test_the_text_of_a_killed_put_goes_with_a_forget(self, world: World) -> None:
        staged = world.home / "locks/cas-staging/0011223344556677.aicx-part"
        staged.parent.mkdir(parents=True)
        staged.write_text("narwhal")
        forget(world, "pattern")
        assert world.holding() == []

    def test_what_a_living_writer_writes_stays(self, stored: World) -> None:
        part = stored.home / "locks/.other.1.aicx-part"
        part.write_text("being written")
        forget(stored, "session")
        assert part.exists()
