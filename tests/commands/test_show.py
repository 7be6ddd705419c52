"""`aicx show`: a chunk as it is stored and where it came from, sessions, and what a file or a commit led to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import CWD, OTHER, SESSION, THIRD, ClaudeLog, CodexLog, snapshot, stamp
from tests.kept import Kept
from tests.quoted import inside

COMMIT = "4f2a9c1d7e8b3a5064c1f0e9d8b7a6c5e4f3a2b1"
LONG = "The wick is trimmed at both ends. " * 45
TURNS = 12


def write(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def talk() -> ClaudeLog:
    """Long enough for several chunks, the later ones of which begin with what the earlier ones said last."""
    log = ClaudeLog().prompt("Why is the lamp dark?", 0)
    log.call("Edit", 1, file_path=f"{CWD}/src/wick.py", old_string="a", new_string="b").result("edited", 2)
    for turn in range(TURNS):
        log.answer(f"Look {turn}. {LONG}", 10 + turn * 10).prompt(f"And then, in step {turn}?", 15 + turn * 10)
    return log.title("Lamp without a wick")


@pytest.fixture
def home(home: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Path:
    return kept.home(monkeypatch)


@pytest.fixture
def logs(home: Path, kept: Kept) -> dict[str, Path]:
    """Three sessions, all stored: a long one, a subagent it started, and one of another agent at a commit."""
    projects = home / ".claude" / "projects" / "-srv-ada-orbit"
    agent = ClaudeLog().prompt("Find the wick", 3, isSidechain=True).answer("Found.", 4, isSidechain=True)
    rollout = CodexLog(remote="https://github.com/ada/orbit.git").prompt("Trim it", 200)
    rollout.records[0]["payload"]["git"]["commit_hash"] = COMMIT
    rollout.call(f"git show {COMMIT[:9]}", 201).result("commit", 202).answer("Trimmed.", 203)
    paths = {
        SESSION: projects / f"{SESSION}.jsonl",
        "agent-7": projects / SESSION / "subagents" / "agent-7.jsonl",
        OTHER: home / ".codex" / "sessions" / f"rollout-2026-03-01T10-00-00-{OTHER}.jsonl",
    }

    def fill() -> None:
        for path, log in zip(paths.values(), (talk(), agent, rollout), strict=True):
            write(path, log.body())
        assert run(["store"]) == 0

    kept.again(fill)
    return paths


@pytest.fixture(autouse=True)
def _quiet(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    capsysbinary.readouterr()


def shown(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[bytes, str]:
    code = run(["show", *arguments])
    printed = capsysbinary.readouterr()
    assert code == 0, printed.err.decode()
    out = printed.out if "--json" in arguments else inside(printed.out.decode()).encode()
    return out, printed.err.decode()


def as_json(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(capsysbinary, *arguments, "--json")[0])
    assert found["schema"] == "aicx.show/1"
    return found


def refused(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, str]:
    code = run(["show", *arguments])
    printed = capsysbinary.readouterr()
    assert printed.out == b""
    return code, printed.err.decode()


def chunk_file(home: Path, session: str = SESSION, number: int = 1) -> Path:
    (found,) = (home / ".aicx").rglob(f"*_{session}_{number:03d}.md")
    return found


def states(capsysbinary: pytest.CaptureFixture[bytes], ref: str) -> list[str]:
    return [source["state"] for source in as_json(capsysbinary, ref, "--verify")["sources"]]


# A chunk


@pytest.mark.parametrize("prefix", ["", "chunk:"])
def test_chunk_is_printed_exactly_as_it_is_stored(
    home: Path, prefix: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert shown(capsysbinary, f"{prefix}claude:{SESSION}:002")[0] == chunk_file(home, number=2).read_bytes()


def test_chunk_is_found_by_its_path_whole_or_below_the_home(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = chunk_file(home)
    relative = str(path.relative_to(home / ".aicx"))
    assert shown(capsysbinary, str(path))[0] == shown(capsysbinary, relative)[0] == path.read_bytes()


def test_chunk_is_found_by_the_path_of_its_sidecar(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    path = chunk_file(home)
    assert shown(capsysbinary, str(path.with_suffix("")) + ".meta.json")[0] == path.read_bytes()


def test_chunk_is_found_by_its_name_from_within_its_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = chunk_file(home)
    monkeypatch.chdir(path.parent)
    assert shown(capsysbinary, path.name)[0] == path.read_bytes()


def test_chunk_is_found_by_the_beginning_of_its_session_and_its_number(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert shown(capsysbinary, f"claude:{SESSION[:6]}:2")[0] == chunk_file(home, number=2).read_bytes()


@pytest.mark.parametrize("ref", [f"{SESSION[:8]}:002", f"{SESSION}:2", f"chunk:{SESSION[:8]}:002"])
def test_agent_is_not_needed_where_the_session_is_known_without(
    ref: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert as_json(capsysbinary, ref)["id"] == f"claude:{SESSION}:002"


def test_beginning_of_a_session_in_digits_is_no_number_of_a_chunk(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert as_json(capsysbinary, f"codex:{OTHER[:1]}")["session_id"] == OTHER


def test_bare_hash_leads_to_how_a_commit_is_written(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    code, err = refused(capsysbinary, COMMIT[:9])
    assert code == 3
    assert f"a commit is written commit:{COMMIT[:9]}" in err


def test_provenance_is_talk(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    said = shown(capsysbinary, f"claude:{SESSION}:001")[1]
    assert f"source: {logs[SESSION]} (there, claude-jsonl, " in said
    assert f"after: claude:{SESSION}:002" in said


def test_neighbours_are_named_and_missing_at_the_ends(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    first = as_json(capsysbinary, f"claude:{SESSION}:001")
    second = as_json(capsysbinary, f"claude:{SESSION}:002")
    assert (first["previous"], first["next"]) == (None, f"claude:{SESSION}:002")
    assert second["previous"] == f"claude:{SESSION}:001"


def test_json_has_markdown_sidecar_and_sources(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    found = as_json(capsysbinary, f"claude:{SESSION}:001")
    path = chunk_file(home)
    assert (found["found"], found["path"], found["markdown"]) == ("chunk", str(path), path.read_text("utf-8"))
    assert found["sidecar"] == json.loads(path.with_suffix("").with_suffix(".meta.json").read_bytes())
    assert found["sources"][0]["is_there"] is True
    assert "state" not in found["sources"][0]


def test_source_that_was_deleted_is_gone_and_the_chunk_is_still_shown(
    logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs[SESSION].unlink()
    text, said = shown(capsysbinary, f"claude:{SESSION}:001")
    assert b"Why is the lamp dark?" in text
    assert "(gone, claude-jsonl" in said


def test_redactions_are_told(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    secret = "ghp_" + "Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4"
    body = ClaudeLog(THIRD).prompt(f"use {secret} there", 300).body()
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{THIRD}.jsonl", body)
    run(["store"])
    capsysbinary.readouterr()
    text, said = shown(capsysbinary, f"claude:{THIRD}:001")
    assert secret not in text.decode() + said
    assert "redacted: " in said


def test_copies_merged_into_a_chunk_are_named(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    fork = ClaudeLog(THIRD).copied_from(talk()).prompt("Another way?", 300)
    path = write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{THIRD}.jsonl", fork.body())
    run(["store"])
    capsysbinary.readouterr()
    assert f"copy: claude:{THIRD} in {path}, " in shown(capsysbinary, f"claude:{SESSION}:001")[1]


def test_hidden_chunk_is_shown_when_named_and_said_to_be_hidden(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (home / ".aicx" / ".aicxignore").write_text("*.md\n")
    assert ".aicxignore hides it" in shown(capsysbinary, f"claude:{SESSION}:001")[1]


# Verifying


@pytest.mark.parametrize("session", [SESSION, OTHER])
def test_untouched_log_is_unchanged(session: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    agent = "claude" if session == SESSION else "codex"
    assert states(capsysbinary, f"{agent}:{session}:001") == ["unchanged"]


def test_log_that_grew_is_unchanged(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    with logs[SESSION].open("ab") as stream:
        stream.write(b'{"type":"user"}\n')
    assert states(capsysbinary, f"claude:{SESSION}:001") == ["unchanged"]


def test_log_with_another_word_in_a_record_is_changed(
    logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs[SESSION].write_bytes(logs[SESSION].read_bytes().replace(b"the lamp dark", b"the lamp DARK"))
    assert states(capsysbinary, f"claude:{SESSION}:001") == ["changed"]


def test_log_that_was_cut_is_changed(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    logs[SESSION].write_bytes(logs[SESSION].read_bytes()[:100])
    assert states(capsysbinary, f"claude:{SESSION}:001") == ["changed"]


def test_deleted_log_is_gone(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    logs[SESSION].unlink()
    assert states(capsysbinary, f"claude:{SESSION}:001") == ["gone"]


def test_log_replaced_by_a_folder_is_unreadable(
    logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs[SESSION].unlink()
    logs[SESSION].mkdir()
    assert states(capsysbinary, f"claude:{SESSION}:001") == ["unreadable"]


def test_two_records_glued_on_one_line_are_verified(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    log = ClaudeLog(THIRD).prompt("one thing to say", 300).prompt("and another thing", 301)
    body = b"torn\n" + b"".join(json.dumps(record).encode() for record in log.records) + b"\n"
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{THIRD}.jsonl", body)
    run(["store"])
    capsysbinary.readouterr()
    assert as_json(capsysbinary, f"claude:{THIRD}:001")["sidecar"]["messages"][1]["role"] == "user"
    assert states(capsysbinary, f"claude:{THIRD}:001") == ["unchanged"]


@pytest.fixture
def gemini(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Path:
    """A Gemini session, which is one JSON object: its spans count messages; one of them holds half an emoji."""
    messages = [
        {"id": "m0", "timestamp": stamp(400), "type": "user", "content": "Is it \ud83d lit?"},
        "broken",
        {"id": "m1", "timestamp": stamp(401), "type": "gemini", "content": "It is lit."},
    ]
    value = {"sessionId": THIRD, "projectHash": "ab", "startTime": stamp(400), "messages": messages}
    path = home / ".gemini" / "tmp" / "ab" / "chats" / "session-2026-03-01T10-00-2d9e3f80.json"
    write(path, json.dumps(value, indent=2).encode())
    run(["store"])
    capsysbinary.readouterr()
    return path


def test_log_that_is_one_object_is_unchanged(gemini: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert states(capsysbinary, f"gemini:{THIRD}:001") == ["unchanged"]


def test_log_that_is_one_object_is_changed_by_another_word(
    gemini: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gemini.write_bytes(gemini.read_bytes().replace(b"It is lit.", b"It is dim."))
    assert states(capsysbinary, f"gemini:{THIRD}:001") == ["changed"]


def test_log_that_is_no_object_any_more_is_changed(gemini: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    gemini.write_bytes(gemini.read_bytes()[:-20])
    assert states(capsysbinary, f"gemini:{THIRD}:001") == ["changed"]


# Paths that are not the store's


@pytest.mark.parametrize(
    "ref", ["/etc/hostname", "~/notes.md", "../notes.md", "store/../../notes.md", "store/a\\b.md", "./notes.md"]
)
def test_path_outside_the_store_is_unsafe(ref: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert refused(capsysbinary, ref)[0] == 2


def test_file_of_the_home_that_is_not_in_the_store_is_unsafe(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert refused(capsysbinary, str(home / ".aicx" / "index.json"))[0] == 2


@pytest.mark.parametrize("ref", ["claude:\x00:001", "session:\n", "file:a\x1b", "/srv/\x00.md", "a\udcff"])
def test_control_characters_are_unsafe(ref: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert refused(capsysbinary, ref)[0] == 2


def test_link_that_leads_out_of_the_store_is_refused(
    home: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = chunk_file(home)
    outside = write(tmp_path / "private.md", b"private")
    path.unlink()
    path.symlink_to(outside)
    assert refused(capsysbinary, str(path))[0] == 2


def test_other_file_in_the_store_is_no_chunk(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    notes = write(chunk_file(home).parent / "notes.md", b"mine")
    assert refused(capsysbinary, str(notes))[0] == 3


# A session


@pytest.mark.parametrize("ref", [SESSION, SESSION[:5], f"session:{SESSION[:5]}", f"claude:{SESSION[:5]}"])
def test_session_is_found_by_its_id_or_the_beginning_of_it(
    ref: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert as_json(capsysbinary, ref)["session_id"] == SESSION


def test_session_lists_its_chunks_with_their_messages(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    chunks = as_json(capsysbinary, SESSION)["chunks"]
    assert len(chunks) > 2
    assert [chunk["id"] for chunk in chunks] == [f"claude:{SESSION}:{n:03d}" for n in range(1, len(chunks) + 1)]
    assert sum(chunk["messages"] for chunk in chunks) == 3 + 2 * TURNS


def test_session_page_has_title_dates_and_the_command_that_reopens_it(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    page = shown(capsysbinary, SESSION)[0].decode()
    assert page.startswith("Lamp without a wick\n")
    assert "2026-03-01 10:00 to 10:02" in page
    assert f"reopen: claude --resume {SESSION}   (in {CWD})\n" in page


def test_session_reads_like_the_conversation(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    page, said = shown(capsysbinary, OTHER)
    assert page.decode().splitlines()[5:] == [
        "",
        f"10:03  user · {OTHER[:8]}:001",
        "  Trim it",
        "",
        f"10:03  codex · 1 tool call · {OTHER[:8]}:001",
        "  Trimmed.",
    ]
    assert "Times are UTC." in said


def test_session_shows_the_beginning_of_what_is_long_and_how_to_read_on(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    session = "3eaf4091-6085-4db1-8d6f-8c3d4e5f6071"
    body = ClaudeLog(session).prompt("List them", 0).answer("\n".join(f"item {n}" for n in range(40)), 5).body()
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{session}.jsonl", body)
    run(["store"])
    capsysbinary.readouterr()
    lines = shown(capsysbinary, session)[0].decode().splitlines()
    assert "  item 0" in lines
    assert "  item 39" not in lines
    assert f"  … 24 more lines: aicx show {session[:8]}:001" in lines
    assert b"item 39" in shown(capsysbinary, session, "--full")[0]


def test_session_shows_what_failed(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    session = "4fb05102-7196-4ec2-9e70-9d4e5f607182"
    log = ClaudeLog(session).prompt("Run the tests", 0).call("Bash", 1, command="pytest tests/wick")
    log.result("Exit code 1\nE  assert dark == bright", 2, failed=True).answer("The wick is dark.", 3)
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{session}.jsonl", log.body())
    run(["store"])
    capsysbinary.readouterr()
    page = shown(capsysbinary, session)[0].decode()
    assert "  failed: pytest tests/wick: " in page
    assert page.index("The wick is dark.") < page.index("failed: pytest")


def test_session_outside_a_repository_names_its_folder(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    session = "5fc16213-82a7-4fd3-8f81-ae5f60718293"
    body = ClaudeLog(session, "/srv/notes").prompt("Water the plants", 0).answer("Watered.", 5).body()
    write(home / ".claude" / "projects" / "-srv-notes" / f"{session}.jsonl", body)
    run(["store"])
    capsysbinary.readouterr()
    assert f"  claude:{session} · /srv/notes\n" in shown(capsysbinary, session)[0].decode()
    assert "/srv/notes; the times in it are UTC" in shown(capsysbinary, f"{session}:001")[1]


def test_chunks_that_hold_nothing_are_left_out_of_a_full_session(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    whole = shown(capsysbinary, SESSION, "--full")[0]
    path = chunk_file(home, number=2)
    head = path.read_bytes().partition(b"\n### ")[0]
    path.write_bytes(head)
    code = run(["show", SESSION, "--full"])
    assert code == 7
    out = capsysbinary.readouterr().out
    assert (head in whole, head in out) == (True, False)


def test_session_names_the_ones_it_started(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert as_json(capsysbinary, SESSION)["children"] == ["agent-7"]


def test_subagent_names_its_parent_and_is_reopened_through_it(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    found = as_json(capsysbinary, "agent-7")
    assert (found["lane"], found["parent_session"], found["parent_stored"]) == ("subagent", SESSION, True)
    assert found["reopen"] == f"claude --resume {SESSION}"


def test_each_agent_is_reopened_its_own_way(gemini: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert as_json(capsysbinary, OTHER)["reopen"] == f"codex resume {OTHER}"
    assert as_json(capsysbinary, THIRD)["reopen"] == f"gemini --resume {THIRD}"


def test_session_id_cannot_smuggle_a_command(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    body = ClaudeLog("$(id) x").prompt("hello there", 300).body()
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / "odd.jsonl", body)
    run(["store"])
    capsysbinary.readouterr()
    assert as_json(capsysbinary, "$(id) x")["reopen"] == "claude --resume '$(id) x'"


def test_session_whose_log_is_gone_says_so(logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    logs[SESSION].unlink()
    assert "its log is gone" in shown(capsysbinary, SESSION)[0].decode()


def test_full_session_has_every_message_once(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    text = shown(capsysbinary, SESSION, "--full")[0].decode()
    assert [text.count(f"And then, in step {turn}?") for turn in range(TURNS)] == [1] * TURNS
    assert "· repeated" not in text


def test_stored_chunks_do_repeat_messages(home: Path) -> None:
    assert "· repeated" in chunk_file(home, number=2).read_text("utf-8")


def test_full_session_keeps_all_that_is_not_repeated(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    markdown = as_json(capsysbinary, SESSION, "--full")["chunks"][1]["markdown"]
    stored = chunk_file(home, number=2).read_text("utf-8")
    assert stored.startswith(markdown[: markdown.index("\n### ")])
    assert stored.endswith(markdown[markdown.index("\n### ") :])


def test_full_session_goes_on_where_a_chunk_is_missing_and_says_so(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    chunk_file(home, number=2).unlink()
    text, said = shown(capsysbinary, SESSION, "--full")
    assert b"Why is the lamp dark?" in text
    assert "does not exist" in said


def test_verified_session_has_a_state_for_every_chunk(
    logs: dict[str, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs[SESSION].write_bytes(logs[SESSION].read_bytes().replace(b"in step 11?", b"in step 99?"))
    found = [chunk["source_states"] for chunk in as_json(capsysbinary, SESSION, "--verify")["chunks"]]
    assert found[0] == ["unchanged"]
    assert found[-1] == ["changed"]


def test_hidden_chunks_are_not_listed_and_counted(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (home / ".aicx" / ".aicxignore").write_text("*_002.md\n")
    found = as_json(capsysbinary, SESSION)
    assert f"claude:{SESSION}:002" not in [chunk["id"] for chunk in found["chunks"]]
    assert "hides 1 of" in found["notes"][0]


def test_what_a_program_ran_says_so(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    log = ClaudeLog(THIRD).prompt(f"Seal the cell of {COMMIT[:9]}", 300, entrypoint="sdk-cli", promptSource="sdk")
    log.call("Bash", 301, command=f"git show {COMMIT[:9]}").result("commit", 302)
    write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{THIRD}.jsonl", log.body())
    assert run(["store"]) == 0
    capsysbinary.readouterr()
    found = [as_json(capsysbinary, ref) for ref in (THIRD, f"{THIRD}:001", SESSION, f"{SESSION}:001")]
    assert [one["automated"] for one in found] == [True, True, False, False]
    assert {one["automated_why"] for one in found} == {"started by claude -p (entrypoint sdk-cli)", None}
    items = as_json(capsysbinary, f"commit:{COMMIT}")["items"]
    assert {item["session_id"]: item["automated"] for item in items if item["session_id"] == THIRD} == {THIRD: True}
    assert [item["automated"] for item in items if item["session_id"] != THIRD] == [False]


# Files and commits


def test_file_leads_to_the_chunks_that_touched_it(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert [item["id"] for item in as_json(capsysbinary, "file:src/wick.py")["items"]] == [f"claude:{SESSION}:001"]


def test_file_that_nobody_touched_is_not_found(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert refused(capsysbinary, "file:src/lamp.rs")[0] == 3


@pytest.mark.parametrize("commit", [COMMIT, COMMIT[:7], COMMIT[:4].upper()])
def test_commit_leads_to_the_session_that_began_there(commit: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (item,) = as_json(capsysbinary, f"commit:{commit}")["items"]
    assert (item["id"], item["found_in"]) == (f"codex:{OTHER}:001", "commit")


@pytest.mark.parametrize("text", ["see abc1234f for it", "(abc1234f)", "git show abc1234f~2"])
def test_commit_named_in_a_text_is_found(home: Path, text: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write(home / ".claude" / "projects" / "p" / f"{THIRD}.jsonl", ClaudeLog(THIRD).prompt(text, 300).body())
    run(["store"])
    capsysbinary.readouterr()
    (item,) = as_json(capsysbinary, "commit:abc1234f0000")["items"]
    assert (item["session_id"], item["found_in"]) == (THIRD, "text")


def test_commit_run_in_a_command_is_found_there(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    log = ClaudeLog(THIRD).prompt("look", 300).call("Bash", 301, command="git show abc1234f")
    write(home / ".claude" / "projects" / "p" / f"{THIRD}.jsonl", log.body())
    run(["store"])
    capsysbinary.readouterr()
    assert as_json(capsysbinary, "commit:abc1234")["items"][0]["found_in"] == "commands"


@pytest.mark.parametrize("text", ["abc1234e0", "0abc1234f", "abc1234f-9e93-46b1-a598-06bada65ed55"])
def test_number_that_is_another_is_not_taken_for_the_commit(
    home: Path, text: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    write(home / ".claude" / "projects" / "p" / f"{THIRD}.jsonl", ClaudeLog(THIRD).prompt(text, 300).body())
    run(["store"])
    capsysbinary.readouterr()
    assert refused(capsysbinary, "commit:abc1234f")[0] == 3


def test_word_that_is_no_hash_is_wrong_usage(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert refused(capsysbinary, "commit:main")[0] == 2


def test_limit_counts_what_it_leaves_out(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    log = ClaudeLog(THIRD, cwd=CWD).prompt("edit", 300)
    log.call("Edit", 301, "toolu_2", file_path=f"{CWD}/src/wick.py", old_string="a", new_string="b")
    write(home / ".claude" / "projects" / "p" / f"{THIRD}.jsonl", log.body())
    run(["store"])
    capsysbinary.readouterr()
    found = as_json(capsysbinary, "file:wick.py", "--limit", "1")
    assert (found["matched"], [item["session_id"] for item in found["items"]]) == (2, [THIRD])


# What is not there


def test_beginning_that_several_sessions_share_is_refused_with_their_ids(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    twin = SESSION[:-1] + "f"
    write(home / ".claude" / "projects" / "p" / f"{twin}.jsonl", ClaudeLog(twin).prompt("hello there", 300).body())
    run(["store"])
    capsysbinary.readouterr()
    code, said = refused(capsysbinary, SESSION[:8])
    assert code == 2
    assert f"claude:{SESSION}" in said
    assert f"claude:{twin}" in said


@pytest.mark.parametrize("ref", [SESSION[:-1] + "f", SESSION[:8] + "9", SESSION[10:20], "0b7d1f"])
def test_unknown_session_is_answered_with_the_nearest(ref: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    code, said = refused(capsysbinary, ref)
    assert code == 3
    assert SESSION in said


def test_chunk_past_the_last_is_answered_with_the_ones_there_are(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    code, said = refused(capsysbinary, f"codex:{OTHER}:007")
    assert code == 3
    assert f"codex:{OTHER}:001" in said


def test_empty_store_is_answered_with_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(home / "elsewhere"))
    code, said = refused(capsysbinary, SESSION)
    assert code == 3
    assert "aicx store" in said


def test_everything_works_without_a_catalogue_and_says_so(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = as_json(capsysbinary, SESSION)
    for path in (home / ".aicx").glob("catalog.sqlite*"):
        path.unlink()
    after = as_json(capsysbinary, SESSION)
    assert after.pop("fallback_reason")
    assert before.pop("fallback_reason") is None
    # Why a session is filed where it is, only the catalogue says.
    for place in (*before["places"], *after["places"]):
        assert place.pop("reason")
    assert after == before


def test_showing_changes_no_file_of_the_store(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    before = snapshot(home / ".aicx" / "non-repository-contexts") | snapshot(home / ".aicx" / "store")
    shown(capsysbinary, SESSION, "--full", "--verify")
    assert snapshot(home / ".aicx" / "non-repository-contexts") | snapshot(home / ".aicx" / "store") == before
