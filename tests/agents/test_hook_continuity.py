"""Notes and restores in hooks: told at a start, marked before a compaction, saved at the end where switched on."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import orjson
import pytest

from aicx.agents import background, events, wishes
from aicx.agents.startup import MAX_BYTES
from aicx.cli import run
from aicx.continuity.markdown import render
from aicx.continuity.note import Layer, Note, NoteItem
from aicx.continuity.places import note_places
from aicx.lifecycle.identity import Asker
from aicx.sessions.pending import pending
from aicx.work.place import find_place
from tests.agents.test_hook import call, context, log_of, patient, place, said, stores, until, user
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when

pytestmark = pytest.mark.slow

__all__ = ["patient", "user"]
BLOCK = "# Session Continuity"
GOAL, STEP = "Make the exporter resumable", "Write the checkpoint after each page"


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing is started in the background; what was asked for is counted."""
    found: list[str] = []
    monkeypatch.setattr(background, "request", lambda layout: found.append("store"))
    return found


def write(user: Home, layer: Layer, goal: str | None = None, **sections: list[str]) -> Path:
    items = {kind: tuple(NoteItem(text, kind, layer) for text in texts) for kind, texts in sections.items()}  # type: ignore[arg-type]
    note = Note(NoteItem(goal, "goal", layer) if goal else None, items)  # type: ignore[arg-type]
    path = note_places(user.settings, find_place(user.settings, place(user))).of(layer)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(note, layer))
    return path


def start(user: Home, session: str = OTHER, **more: str) -> str:
    answer = events.answer("session-start", "claude", said(user, session, **more))
    return context(answer) if answer else ""


def waiting(user: Home) -> list[wishes.Wish]:
    return [wishes.Wish(**orjson.loads(file.read_bytes())) for file in wishes.waiting(user.settings.layout)]


# Told ---------------------------------------------------------------------------------------------------------------


def test_a_session_begins_with_banner_notes_and_brief_in_this_order(user: Home) -> None:
    write(user, "local", GOAL, next=[STEP])
    write(user, "project", confirmed=["`make check` passes"])
    text = start(user)
    parts = ["claude@orbit · session #2 · awake", "quoted-history", BLOCK, f"Goal: {GOAL}", f"- {STEP}", "make check"]
    places = [text.index(part) for part in [*parts, "what a new session needs to know"]]
    assert places == sorted(places)
    before, _, block = text.partition(BLOCK)
    assert block.index("quoted-history") < block.index(GOAL)
    assert GOAL not in before


def test_what_is_switched_off_is_not_told(user: Home) -> None:
    """C24: `--no-continuity` leaves it off."""
    write(user, "local", GOAL, next=[STEP])
    assert run(["init", "--repo", str(place(user)), "--agents", "claude", "--no-continuity", "--yes"]) == 0
    text = start(user)
    assert text.startswith("claude@orbit")
    assert BLOCK not in text
    assert GOAL not in text


def test_without_notes_nothing_is_said_of_them(user: Home) -> None:
    assert BLOCK not in start(user)


def test_a_note_that_a_person_broke_stops_no_session(user: Home) -> None:
    path = write(user, "local", GOAL)
    path.write_bytes(b"\xff\xfe broken")
    write(user, "project", confirmed=["`make check` passes"])
    text = start(user)
    assert "awake" in text
    assert "make check" in text
    assert log_of(user) == []


def test_a_note_is_told_without_its_secrets(user: Home) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(user, "local", f"Use the token {secret}", next=[STEP])
    text = start(user)
    assert BLOCK in text
    assert secret not in text


def test_after_a_compaction_the_notes_come_again(user: Home) -> None:
    start(user)
    write(user, "local", GOAL, next=[STEP])
    text = start(user, source="compact")
    assert "awake" not in text
    assert text.startswith(BLOCK)
    assert f"- {STEP}" in text


@pytest.mark.parametrize("sign", ["a word ", "\u5de5", "\U0001f600", "`" * 50 + " "])
def test_all_of_it_is_one_bounded_context(user: Home, sign: str) -> None:
    words = (sign * 400)[:400]
    for number in range(6):
        log = ClaudeLog(f"{number}{SESSION[1:]}", str(place(user)))
        log.prompt(f"Goal {number} {words}", number * 100).answer(f"Next: {words}", number * 100 + 1)
        user.claude(log)
    user.store()
    many = [f"{number} {words}" for number in range(8)]
    write(user, "local", words, next=many, file=many)
    write(user, "project", words, confirmed=many, failed=many, untried=many, decision=many)
    session = f"5{SESSION[1:]}"
    events.answer("pre-compact", "claude", said(user, session))
    for source in ("startup", "compact"):
        text = start(user, session, source=source)
        assert 2000 < len(text.encode()) <= MAX_BYTES


# Compactions --------------------------------------------------------------------------------------------------------


def compact(user: Home) -> str:
    """A session of its own that is compacted; what it is told afterwards."""
    user.claude(
        ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed green", 100).answer("Next, the door is left.", 105)
    )
    user.store()
    start(user)
    assert events.answer("pre-compact", "claude", said(user)) == b""
    return start(user, source="compact")


def test_what_a_compaction_lost_is_given_back_once(user: Home) -> None:
    """F9: compaction sets the mark, the next start clears it, and the one after says nothing of it."""
    first = compact(user)
    assert "Paint the shed green" in first
    assert "compaction of this session began at" in first
    again = start(user, source="compact")
    assert "compaction of this session began at" not in again
    assert "Paint the shed" not in again


def test_a_session_that_is_resumed_after_a_compaction_gets_that_alone(user: Home) -> None:
    user.claude(ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed green", 100).answer("Done.", 105))
    user.store()
    start(user)
    events.answer("pre-compact", "claude", said(user))
    text = start(user, source="resume")
    assert "Paint the shed green" in text
    assert "what a new session needs" not in text
    assert start(user, source="resume") == ""


def test_without_a_compaction_nothing_is_given_back(user: Home) -> None:
    """F9: nothing pending, nothing said."""
    assert "compaction of this session began at" not in start(user)
    assert start(user, source="resume") == ""


def test_a_thousand_compactions_are_given_back_as_one(user: Home) -> None:
    for _ in range(30):
        events.answer("pre-compact", "claude", said(user))
    text = compact(user)
    assert text.count("compaction of this session began at") == 1
    assert "compaction of this session began at" not in start(user, source="compact")


def test_a_check_of_gemini_before_each_request_is_no_compaction(user: Home, asked: list[str]) -> None:
    assert run(["init", "--repo", str(place(user)), "--agents", "gemini", "--yes"]) == 0
    for trigger, marks in (("auto", 0), ("manual", 1)):
        events.answer("pre-compact", "gemini", said(user, trigger=trigger))
        asker = Asker("gemini", OTHER)
        where = find_place(user.settings, place(user))
        assert len(pending(user.settings.layout, where, asker, when(0))) == marks
        assert len(waiting(user)) == marks
    assert asked == ["store", "store"]


# Saved --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["session-end", "pre-compact"])
def test_the_end_of_a_session_asks_for_its_notes(user: Home, event: str, asked: list[str]) -> None:
    assert events.answer(event, "claude", said(user, transcript_path="/logs/one.jsonl")) == b""
    assert waiting(user) == [wishes.Wish(str(place(user)), "claude", OTHER, "/logs/one.jsonl", event)]
    assert asked == ["store"]


def test_of_one_session_one_wish_waits(user: Home) -> None:
    for event in ("pre-compact", "pre-compact", "session-end"):
        events.answer(event, "claude", said(user))
    assert [wish.event for wish in waiting(user)] == ["session-end"]


def test_a_turn_saves_no_notes(user: Home, asked: list[str]) -> None:
    events.answer("stop", "claude", said(user))
    assert (waiting(user), asked) == ([], ["store"])


def test_what_is_switched_off_is_not_saved(user: Home, asked: list[str]) -> None:
    """C24: nothing is saved by itself, and logs are stored all the same."""
    assert run(["init", "--repo", str(place(user)), "--agents", "claude", "--no-continuity", "--yes"]) == 0
    for event in ("session-end", "pre-compact"):
        events.answer(event, "claude", said(user))
    assert (waiting(user), asked) == ([], ["store", "store"])


def test_a_repository_that_was_not_set_up_is_left_alone(user: Home, tmp_path: Path, asked: list[str]) -> None:
    """C24: in the default configuration nothing is told, marked or saved."""
    (tmp_path / "elsewhere").mkdir()
    for event in ("session-start", "session-end", "pre-compact"):
        assert events.answer(event, "codex", said(user, cwd=str(tmp_path / "elsewhere"))) == b""
    assert (waiting(user), asked) == ([], [])
    assert not user.settings.layout.work.exists()


def test_notes_are_saved_after_the_logs_are_stored(user: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    events.answer("session-end", "claude", said(user))
    notes = stores(monkeypatch, tmp_path, 'echo stored >> "$NOTES"')
    (user.settings.layout.agents / "store-wanted").touch()
    background.run(user.settings.layout, lambda file: notes.write_text(f"{notes.read_text()}saved {file.stem}\n"))
    [wish] = wishes.waiting(user.settings.layout)
    assert notes.read_text() == f"stored\nsaved {wish.stem}\n"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"folder": 1}', b'{"folder": "/x", "other": 1}'])
def test_a_wish_that_cannot_be_read_is_a_line_in_the_log(user: Home, body: bytes) -> None:
    file = user.corpus / "agents" / "continuity-wanted" / "x.json"
    file.parent.mkdir()
    file.write_bytes(body)
    wishes.fulfil(user.settings, file)
    assert not file.exists()
    [line] = log_of(user)
    assert " continuity: " in line


def test_a_wish_outlives_a_run_that_was_killed(user: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    events.answer("session-end", "claude", said(user))
    layout = user.settings.layout
    stores(monkeypatch, tmp_path, "true")

    def killed(file: Path) -> None:
        raise KeyboardInterrupt

    (layout.agents / "store-wanted").touch()
    with pytest.raises(KeyboardInterrupt):
        background.run(layout, killed)
    found: list[Path] = []
    (layout.agents / "store-wanted").touch()
    background.run(layout, found.append)
    assert found == wishes.waiting(layout)
    assert len(found) == 1


# The digest of an open task -------------------------------------------------------------------------------------------


def end(user: Home) -> None:
    """The end of a session, with what is done in the background."""
    log = user.claude(ClaudeLog(OTHER, str(place(user))).prompt(GOAL, 100).answer("Done.", 105))
    events.answer("session-end", "claude", said(user, transcript_path=str(log)))
    for file in wishes.waiting(user.settings.layout):
        wishes.fulfil(user.settings, file)


def test_the_next_session_is_told_the_digest_of_the_open_task(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """F19: the context of a hook names the complete bundle."""
    assert "aicx show sha256:" not in start(user, SESSION)
    assert run(["task", "start", GOAL, "--repo", str(place(user))]) == 0
    end(user)
    text = start(user)
    [digest] = re.findall(r"`aicx show (sha256:[0-9a-f]{64})`", text)
    assert log_of(user) == []
    assert text.index(BLOCK) < text.index(digest)
    capsys.readouterr()
    assert run(["cas", "get", digest]) == 0
    assert json.loads(capsys.readouterr().out)["task"]["goal"] == GOAL


def test_a_bundle_that_is_gone_is_not_named(user: Home) -> None:
    assert run(["task", "start", GOAL, "--repo", str(place(user))]) == 0
    end(user)
    shutil.rmtree(user.corpus / "cas")
    assert "aicx show sha256:" not in start(user)


def test_the_bundle_of_a_closed_task_is_not_named(user: Home) -> None:
    assert run(["task", "start", GOAL, "--repo", str(place(user))]) == 0
    end(user)
    assert run(["task", "close", "--repo", str(place(user))]) == 0
    assert "aicx show sha256:" not in start(user)
    end(user)
    assert list((user.corpus / "agents" / "packs").iterdir()) == []


@pytest.mark.process
@pytest.mark.slow
def test_what_a_session_leaves_open_is_handed_on(user: Home, patient: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = f"The exporter writes pages.\n\nNext steps:\n- {STEP}"
    log = user.claude(ClaudeLog(OTHER, str(place(user))).prompt(GOAL, 100).answer(left, 105))
    done = call("session-end", "--agent", "claude", given=said(user, transcript_path=str(log)))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert until(lambda: (place(user) / ".aicx" / "continuity" / "active.md").exists())
    assert until(lambda: not wishes.waiting(user.settings.layout))
    assert log_of(user) == []
    told = call("session-start", "--agent", "codex", given=said(user, THIRD))
    text = context(told.stdout)
    assert text.index("codex@orbit · session #3 · awake") < text.index(BLOCK) < text.index(f"Goal: {GOAL}")
    assert f"- {STEP}" in text
    assert run(["task", "handoffs", "--repo", str(place(user)), "--json"]) == 0
    handoff = json.loads(capsys.readouterr().out)["items"][0]
    assert (handoff["session"], handoff["next"]) == (f"session:claude:{OTHER}", [STEP])
