"""A log that only grew is read on from where reading stopped, and the corpus is the one that reading it whole gives."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx.corpus.catalog import Catalog
from aicx.corpus.ingest import growth
from aicx.corpus.ingest.reading import read_growing
from aicx.sources.items import LogFile
from tests.corpus.builders import OTHER, ClaudeLog, Home
from tests.sampling import ALL

BIG = "word " * 500
REMOTE = "origin\tgit@git.example:acme/beacon.git (fetch)\n"
SECRET = "ghp_" + "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA3bC6"
Step = tuple[str, int]


@pytest.fixture(autouse=True)
def every_log_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "WORTH_KEEPING", 0)
    monkeypatch.setattr(growth, "WORTH_MOVING", 0)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def once(home: Home) -> dict[str, bytes]:
    """The corpus that reading everything at once gives."""
    with tempfile.TemporaryDirectory() as folder:
        other = Home(home.root.parent)
        other.corpus = Path(folder)
        other.environ = {**home.environ, "AICX_HOME": folder}
        other.store()
        return other.files()


def long_log(turns: int = 30) -> ClaudeLog:
    log = ClaudeLog().prompt("Fix the parser of the timetable", 0)
    for turn in range(turns):
        log.call("Bash", turn * 60 + 1, f"toolu_{turn}", command="pytest -q").result(
            f"{turn} failed\n" * 100, turn * 60 + 2, f"toolu_{turn}", failed=True
        )
        log.answer(f"Answer {turn}. {BIG}", turn * 60 + 3).prompt(f"Prompt {turn}. {BIG}", turn * 60 + 4)
    return log


def grown(home: Home, log: ClaudeLog, more: Callable[[ClaudeLog], object]) -> int:
    """Stores a log, lets it grow, stores it again; how many bytes were read of it then."""
    home.claude(log)
    home.store()
    more(log)
    home.claude(log)
    return home.store().bytes_read


def test_of_a_log_that_grew_only_the_end_is_read(home):
    log = long_log()
    read = grown(home, log, lambda log: log.answer("One more.", 5000).prompt("And another.", 5001))
    assert 0 < read < len(log.body()) / 3
    assert home.files() == once(home)


def test_the_place_to_read_on_from_moves_with_the_log(home):
    log = long_log()
    sizes = [grown(home, log, lambda log, at=at: long_part(log, at)) for at in (10_000, 20_000, 30_000)]
    assert sizes[2] < sizes[0] + 20_000
    assert home.files() == once(home)


def long_part(log: ClaudeLog, begin: int) -> None:
    for number in range(10):
        log.answer(f"{begin} {number} {BIG}", begin + number * 2).prompt(f"{begin} {number}", begin + number * 2 + 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b"Prompt 3.", b"Prompt X."),
        lambda body: body[:4000] + body[9000:],
        lambda body: body[: len(body) // 2],
        lambda body: body[:-30],
        lambda body: b"",
    ],
    ids=["changed in place", "cut in its middle", "half of it gone", "torn at its end", "empty"],
)
@pytest.mark.slow
def test_a_log_that_is_not_what_it_was_is_read_whole(home, change):
    log = long_log()
    path = home.claude(log)
    home.store()
    before = shutil.copytree(home.corpus, home.corpus.with_name("before"))
    body = change(log.body()) + json.dumps(ClaudeLog().prompt("Behind", 9000).records[0]).encode() + b"\n"
    path.write_bytes(body)
    assert home.store().bytes_read == len(body)
    found = home.files()
    shutil.rmtree(home.corpus)
    shutil.move(before, home.corpus)
    (home.corpus / "catalog.sqlite").unlink()  # and with it where reading stopped
    home.store()
    assert found == home.files()


def test_a_log_replaced_by_one_of_the_same_length_is_read_whole(home):
    log = long_log()
    path = home.claude(log)
    home.store()
    path.write_bytes(log.body().replace(b"Answer 2.", b"Answer Y."))
    assert home.store().bytes_read == len(log.body())


def test_no_text_of_a_session_is_kept_with_its_place(home):
    log = long_log().title("A title of this session").prompt(f"Use {SECRET} for it", 4000)
    log.call("Bash", 4001, "toolu_s", command=f"git remote add x https://{SECRET}@git.example/a/b")
    long_part(log, 10_000)
    home.claude(log)
    home.store()
    kept = kept_places(home)
    assert kept
    assert not any(said in kept for said in (SECRET, "A title", "failed", "Prompt", "git remote"))


def kept_places(home: Home) -> str:
    with sqlite3.connect(home.corpus / "catalog.sqlite") as connection:
        return repr(connection.execute("SELECT path, place, session FROM places_read").fetchall())


def test_a_log_that_has_a_secret_in_its_folder_is_read_whole(home):
    log = long_log()
    for record in log.records:
        record["cwd"] = f"/srv/{SECRET}"
    read = grown(home, log, lambda log: log.answer("One more.", 5000))
    assert read == len(log.body())
    assert home.files() == once(home)


def test_a_result_of_a_call_far_before_is_found_again(home):
    log = long_log(3).call("Bash", 1000, "toolu_far", command="git remote -v")
    long_part(log, 2000)
    read = grown(home, log, lambda log: log.result(REMOTE, 9000, "toolu_far"))
    assert read == len(log.body())
    assert home.files() == once(home)


def test_what_is_forgotten_in_between_stays_forgotten(home):
    log = long_log()
    home.claude(log)
    home.store()
    key = home.sidecars()[0]["messages"][0]["key"]
    (home.corpus / "forgotten.jsonl").write_text(json.dumps({"messages": [key]}) + "\n")
    log.answer("One more.", 5000)
    home.claude(log)
    assert home.store().bytes_read == len(log.body())
    assert "[forgotten]" in home.own_texts()


def test_a_folder_that_turns_out_to_be_of_a_repository_has_the_session_filed_there(home):
    log = long_log()
    home.claude(log)
    home.store()
    later = ClaudeLog(session=OTHER).call("Bash", 0, "toolu_r", command="git remote -v")
    home.claude(later.result(REMOTE, 1, "toolu_r"))
    log.answer("One more.", 5000)
    home.claude(log)
    home.store()
    assert {fields["project"] for fields in home.sidecars()} == {"acme/beacon"}
    assert {body for path, body in home.files().items() if path.endswith(".md")} == {
        body for path, body in once(home).items() if path.endswith(".md")
    }


def test_a_run_that_was_killed_before_it_recorded_what_it_read_is_repaired_by_the_next(home, monkeypatch):
    log = long_log()
    home.claude(log)
    home.store()
    long_part(log, 10_000)
    home.claude(log)
    with monkeypatch.context() as patch:
        patch.setattr(Catalog, "commit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            home.store()
    log.answer("One more.", 20_000)
    home.claude(log)
    home.store()
    assert home.files() == once(home)


def interrupted(_: Catalog) -> None:
    raise KeyboardInterrupt


def test_a_log_that_vanished_since_it_was_listed_is_a_problem_of_its_own(tmp_path):
    log = LogFile("claude", "claude-jsonl", tmp_path / "gone.jsonl", 4_000_000, "")
    assert [bad.line for bad in read_growing("claude", [log], True, False, None).problems[str(log.path)]] == [None]


def test_a_log_without_a_watermark_is_read_whole(home):
    log = long_log()
    home.claude(log)
    home.store()
    with sqlite3.connect(home.corpus / "catalog.sqlite") as connection:
        connection.execute("DELETE FROM sources")
    drop_checksum(home)
    assert home.store().bytes_read == len(log.body())


def drop_checksum(home: Home) -> None:
    for path in home.corpus.glob("catalog.sqlite.*"):
        path.unlink()


# Any log in any steps ------------------------------------------------------------------------------------------------

_COMMON = ("prompt", "long prompt", "answer", "long answer", "long answer", "huge", "ran", "ran", "listed", "late")
_KINDS = (
    *(_COMMON * 4),
    *("more of it", "git", "remote", "commit", "title", "own title", "summary", "enqueue", "dequeue", "remove"),
    *("again", "broken", "move", "branch", "day", "same second", "program", "aicx", "request", "side", "blank"),
    *("block", "last prompt", "call", "result", "queued"),
)


def _records(steps: list[Step]) -> Iterator[bytes]:
    """A log of Claude Code with anything in any order; each record is a line."""
    log, seconds, calls = ClaudeLog(), 0, 0
    for number, (kind, chance) in enumerate(steps):
        before = len(log.records)
        seconds += 0 if kind == "same second" else 1 + chance % 40
        text = f"{kind} {number} {chance}"
        call_id = f"toolu_{chance % (calls + 1)}"
        extra: dict[str, Any] = {}
        if kind in ("prompt", "same second", "late"):
            log.prompt("The same words in the same second" if kind == "same second" else text, seconds)
            if kind == "late":
                log.records[-1]["timestamp"] = ClaudeLog().prompt("", chance % 90).records[0]["timestamp"]
        elif kind == "long prompt":
            log.prompt(f"{text} {BIG}", seconds)
        elif kind == "block":
            log.prompt(f"---\nrun_id: r{chance % 3}\n---\n{text}" if chance % 4 == 0 else f"---\n{text}", seconds)
        elif kind in ("answer", "long answer", "huge"):
            log.answer(text + {"answer": "", "long answer": BIG, "huge": BIG * 6}[kind], seconds)
        elif kind == "more of it" and log.records:
            log.answer(text, seconds)
            ids = [record["message"].get("id") for record in log.records[:-1] if "message" in record]
            log.records[-1]["message"]["id"] = ids[-1] if ids else "msg"
        elif kind in ("call", "git", "aicx", "ran", "listed"):
            calls += 1
            commands = {"git": "git remote -v && git commit", "aicx": "aicx search x", "listed": "git log"}
            log.call("Bash", seconds, f"toolu_{calls}", command=commands.get(kind, "pytest -q"))
            if kind in ("ran", "listed"):
                log.result(f"{chance:07x} Mend it\n" * (1 + chance * 10), seconds + 1, f"toolu_{calls}")
        elif kind in ("result", "remote", "commit"):
            printed = {"remote": REMOTE, "commit": "[main 1a2b3c4] Mend it\n"}.get(kind, "failed\n" * (chance * 20))
            log.result(printed, seconds, call_id, failed=chance % 3 == 0)
        elif kind in ("title", "own title"):
            log.title(text)
            if kind == "own title":
                log.records[-1] = {"type": "custom-title", "customTitle": text, "sessionId": log.session}
        elif kind == "summary":
            log.records.append({"type": "summary", "summary": text, "leafUuid": f"{log.session[:8]}-{chance}"})
        elif kind == "request":
            url = "https://git.example/acme/beacon/pull/1"
            log.add("pr-link", seconds, prUrl=url, prRepository="acme/beacon")
        elif kind in ("enqueue", "dequeue", "remove"):
            said = {"content": f"queued {chance % 4}"} if kind != "dequeue" else {}
            log.records.append(
                {"type": "queue-operation", "operation": kind, "timestamp": log.records[-1].get("timestamp"), **said}
                if log.records
                else {"type": "mode"}
            )
        elif kind == "queued":
            log.prompt(f"queued {chance % 4}", seconds)
        elif kind == "again" and log.records:
            record = log.records[-1 - chance % min(len(log.records), 30)]
            # Logged twice, the record of a prompt passes for the copy of an equal one that still waits, which is
            # stored by then where the log was read in between.
            log.records += [] if "queued" in str(record.get("message")) else [record]
        elif kind == "move":
            log.cwd = ("/srv/ada/lamp", "/srv/ada/orbit", "/mnt/scratch")[chance % 3]
        elif kind == "branch":
            log.branch = f"topic-{chance % 2}"
        elif kind == "day":
            seconds += 86_400
        elif kind == "program":
            log.prompt(text, seconds, entrypoint="sdk-cli")
        elif kind == "side":
            log.prompt(text, seconds, isSidechain=True)
        elif kind == "last prompt":
            extra = {"type": "last-prompt", "lastPrompt": text}
        if extra:
            log.records.append(extra)
        for record in log.records[before:]:
            yield json.dumps(record).encode() + b"\n"
        if kind == "broken":
            yield (b"not JSON\n", b'{"type": "us\n', b"\0\0\0\n", b'{"a": 1}{"b": 2}\n')[chance % 4]
        elif kind == "blank":
            yield b"\n"


@settings(max_examples=200 if ALL else 10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(st.sampled_from(_KINDS), st.integers(0, 60)), min_size=8, max_size=90),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from((300, 2000, 7500)),
)
@pytest.mark.slow
def test_a_log_that_grew_in_any_steps_is_stored_as_one_read_at_once(steps, cuts, torn, behind):
    body = b"".join(_records(steps))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth, "_BEHIND", behind)
        home = Home(Path(folder))
        for cut in (*sorted(cuts), 1.0):
            end = round(len(body) * cut)
            if not torn:
                end = body.rfind(b"\n", 0, end) + 1
            home._write(f".claude/projects/-srv-ada-orbit/{ClaudeLog().session}.jsonl", body[:end])
            home.store()
        assert home.files() == once(home)
