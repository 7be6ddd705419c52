"""What hooks ask for in the background: within a time, three times at most, and of logs of agents alone."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aicx.agents import background, health, wishes
from aicx.cli import run
from aicx.storage.lock import holder_of
from tests.agents.test_hook import call, log_of, place, stores, user
from tests.corpus.builders import OTHER, ClaudeLog, Home

__all__ = ["user"]


def wish(user: Home, log: str | None = None) -> wishes.Wish:
    return wishes.Wish(str(place(user)), "claude", OTHER, log, "session-end")


def asked(user: Home, log: str | None = None) -> Path:
    wishes.ask(user.settings.layout, wish(user, log))
    [file] = wishes.waiting(user.settings.layout)
    return file


def try_once(user: Home) -> Path | None:
    """A try that does not come to its end."""
    [file] = wishes.waiting(user.settings.layout)
    return wishes.begin(file)


def test_what_was_tried_three_times_is_set_apart(user: Home) -> None:
    layout = user.settings.layout
    asked(user)
    assert all(try_once(user) for _ in range(3))
    assert wishes.set_apart(layout) == []
    assert try_once(user) is None
    assert wishes.waiting(layout) == []
    assert len(wishes.set_apart(layout)) == 1
    assert "tried 3 times in vain" in log_of(user)[-1]


def test_a_later_wish_of_a_session_counts_the_tries_of_the_one_before(user: Home) -> None:
    layout = user.settings.layout
    for _ in range(3):
        asked(user)
        assert try_once(user)
        assert len(list((layout.agents / "continuity-wanted").iterdir())) == 1
    asked(user)
    assert try_once(user) is None


def test_notes_that_are_saved_in_the_end_take_back_what_was_set_apart(user: Home) -> None:
    asked(user)
    for _ in range(4):
        try_once(user)
    log = user.claude(ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed", 100).answer("Painted.", 105))
    wishes.fulfil(user.settings, asked(user, str(log)))
    assert list((user.settings.layout.agents / "continuity-wanted").iterdir()) == []
    assert log_of(user)[1:] == []


def test_a_failure_is_tried_again_and_nothing_to_save_is_not(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    log = user.claude(ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed", 100).answer("Painted.", 105))
    with monkeypatch.context() as patch:
        patch.setattr("aicx.continuity.saving.save", full)
        wishes.fulfil(user.settings, asked(user, str(log)))
    [file] = wishes.waiting(user.settings.layout)
    log.unlink()
    wishes.fulfil(user.settings, file)
    assert wishes.waiting(user.settings.layout) == []


@pytest.mark.parametrize("where", ["pipe", "/proc/kmsg", "outside", "link", "dots", "folder"])
def test_only_regular_files_of_agents_are_read(user: Home, tmp_path: Path, where: str) -> None:
    folder = user.settings.homes.claude / "projects"
    outside = tmp_path / "outside.jsonl"
    outside.write_text("{}\n")
    match where:
        case "pipe":
            os.mkfifo(folder / "pipe.jsonl")
            name = str(folder / "pipe.jsonl")
        case "outside":
            name = str(outside)
        case "link":
            (folder / "link.jsonl").symlink_to(outside)
            name = str(folder / "link.jsonl")
        case "dots":
            name = f"{folder}/../../outside.jsonl"
        case "folder":
            name = str(folder)
        case _:
            name = where
    wishes.fulfil(user.settings, asked(user, name))
    assert wishes.waiting(user.settings.layout) == []
    assert log_of(user)[0].endswith(("is in no folder of an agent", "is not a regular file"))


def test_logs_behind_a_folder_that_is_a_link_are_read(user: Home, tmp_path: Path) -> None:
    projects = user.settings.homes.claude / "projects"
    log = user.claude(ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed", 100).answer("Painted.", 105))
    projects.rename(tmp_path / "elsewhere")
    projects.symlink_to(tmp_path / "elsewhere")
    wishes.fulfil(user.settings, asked(user, str(log)))
    assert (wishes.waiting(user.settings.layout), log_of(user)) == ([], [])


def test_a_store_that_hangs_is_ended_and_gives_the_lock_back(
    user: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    layout = user.settings.layout
    notes = stores(monkeypatch, tmp_path, 'echo $$ >> "$NOTES"; exec sleep 60')
    (layout.agents / "store-wanted").touch()
    file, saved = asked(user), list[Path]()
    began = time.monotonic()
    background.run(layout, saved.append, 0.3)
    assert time.monotonic() - began < 30  # not the minute that it sleeps, on a busy machine either
    assert [path.name for path in saved] == [f"{file.stem}.1.json"]
    assert log_of(user)[-1].endswith("store: gave up after 0.3 s")
    assert holder_of(layout.locks / "hooks.lock") is None
    assert not background.last_stored(layout).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(notes.read_text()), 0)


def test_a_wish_that_hangs_is_ended(user: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stores(monkeypatch, tmp_path, "trap '' TERM; sleep 60 & wait")
    monkeypatch.setattr(background, "_SECONDS_TO_END", 0.2)
    background.save_apart(user.settings.layout, asked(user), 0.2)
    assert log_of(user)[-1].endswith("continuity: gave up after 0.2 s")


@pytest.mark.process
@pytest.mark.slow
def test_a_wish_that_hangs_in_an_orphan_ends_by_itself(user: Home, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import aicx.agents.background as b, aicx.agents.wishes as w, time\n"
        "b.SAVE_SECONDS = 1\nw.fulfil = lambda *_: time.sleep(60)\n"
    )
    done = call("save-in-background", str(asked(user)), environ={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == -signal.SIGALRM


# What doctor says ----------------------------------------------------------------------------------------------------


def checks(user: Home, after: timedelta = timedelta()) -> dict[str, str]:
    found = health.examine(user.settings, datetime.now(UTC) + after)
    return {check.name: f"{check.severity}: {check.detail}" for check in found}


def test_nothing_is_said_of_hooks_where_none_were_set_up(tmp_path: Path) -> None:
    assert health.examine(Home(tmp_path).settings, datetime.now(UTC)) == []


def test_hooks_that_work_are_green(user: Home) -> None:
    assert checks(user, timedelta(days=30))["hooks"].startswith("green")


def test_hooks_that_stored_nothing_while_logs_grew_are_reported(user: Home) -> None:
    user.claude(ClaudeLog(OTHER, str(place(user))).prompt("Paint the shed", 100).answer("Painted.", 105))
    assert checks(user, timedelta(hours=20))["hooks"].startswith("green")
    assert checks(user, timedelta(hours=26))["hooks"].startswith("warning: no hook has stored anything since ")
    background.last_stored(user.settings.layout).touch()
    later = (datetime.now(UTC) + timedelta(hours=25)).timestamp()
    os.utime(background.last_stored(user.settings.layout), (later, later))
    assert checks(user, timedelta(hours=26))["hooks"].startswith("green")


def test_wishes_that_were_set_apart_are_reported(user: Home) -> None:
    asked(user)
    for _ in range(4):
        try_once(user)
    assert checks(user)["hooks"].startswith("warning: 1 wish for notes, tried in vain and set apart")


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_hooks_that_import_from_the_current_folder_are_reported_and_corrected(
    user: Home, agent: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checks(user)["entries"].startswith("green")
    assert run(["clean", "--repo", str(place(user)), "--yes"]) == 0
    with monkeypatch.context() as patch:
        patch.setattr("aicx.agents.table.program", lambda: ["/usr/bin/python3", "-m", "aicx"])
        assert run(["init", "--repo", str(place(user)), "--agents", agent, "--yes"]) == 0
    assert checks(user)["entries"].startswith("warning: 1 file start `python -m aicx`")
    assert run(["init", "--repo", str(place(user)), "--agents", agent, "--yes"]) == 0
    assert checks(user)["entries"].startswith("green")


@pytest.mark.needs("mcp")
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_servers_that_import_from_the_current_folder_are_reported_and_corrected(
    user: Home, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("aicx.agents.table.program", lambda: ["/usr/bin/python3", "-m", "aicx"])
        assert run(["install", client, "--yes"]) == 0
    assert checks(user)["entries"].startswith("warning: 1 file start `python -m aicx`")
    assert run(["install", client, "--yes"]) == 0
    assert checks(user)["entries"].startswith("green")
