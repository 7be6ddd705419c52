"""A replay puts clone, logs and clock at the moment at which a session began, and scores what was said to it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.replay_logs import (
    RawLog,
    against_git,
    against_later,
    homes_in,
    logs_of,
    open_against_git,
    open_against_later,
    right_sessions,
    said_open,
    strictly_right,
)
from benchmarks.replay_place import Clone, asked_at, grow

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def raw(session: str, hour: int, **fields: object) -> RawLog:
    """A log of an hour from ``hour`` on."""
    first = BEGIN + timedelta(hours=hour)
    log = RawLog(
        "x", session, "/w/aviary", first, first + timedelta(hours=1), "main", None, ("Go",), frozenset(), False, ()
    )
    return replace(log, **fields)


def record(minute: int, text: str, **fields: object) -> str:
    at = (BEGIN + timedelta(minutes=minute)).isoformat()
    message = {"role": "user", "content": text}
    whole = {
        "type": "user",
        "timestamp": at,
        "cwd": "D:\\aviary\\src",
        "gitBranch": "nets",
        "message": message,
        **fields,
    }
    return json.dumps(whole) + "\n"


def home_with(folder: Path, *lines: str) -> Path:
    log = folder / ".claude" / "projects" / "D--aviary" / f"{ONE}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(lines))
    return folder


def test_a_log_tells_when_and_where_its_session_began_and_what_was_asked(tmp_path: Path) -> None:
    edit = {"name": "Edit", "input": {"file_path": "D:\\aviary\\src\\net.go"}}
    call = record(2, "", type="assistant", message={"content": [edit]})
    home = home_with(tmp_path / "a", record(0, "<command-name>x"), record(1, "Mend the net"), call)
    assert homes_in(tmp_path) == [home]
    (log,) = logs_of(home, "aviary")
    assert (log.session, log.root, log.branch, log.first) == (ONE, "D:\\aviary", "nets", BEGIN)
    assert (log.prompts, log.edited, log.program) == (("Mend the net",), {"src/net.go"}, False)


def test_only_what_a_log_held_before_the_moment_is_written_with_the_paths_of_the_clone(tmp_path: Path) -> None:
    home = home_with(tmp_path / "a", record(0, "Mend the net"), record(5, "Seal it"))
    logs = logs_of(home, "aviary")
    grow(logs, home, tmp_path / "b", BEGIN + timedelta(minutes=5), tmp_path / "clone")
    (written,) = (tmp_path / "b").rglob("*.jsonl")
    (line,) = written.read_text().splitlines()
    assert json.loads(line)["cwd"] == f"{tmp_path}/clone/src"


def test_a_copy_of_a_log_counts_from_where_it_went_on_by_itself(tmp_path: Path) -> None:
    home = home_with(tmp_path / "a", record(0, "Mend the net"), record(9, "Seal it"))
    copy = home / ".claude" / "projects" / "D--aviary" / f"{TWO}.jsonl"
    copy.write_text(record(0, "Mend the net") + record(20, "Paint it"))
    logs = logs_of(home, "aviary")
    assert [(log.session, log.copied, log.first) for log in logs] == [
        (ONE, False, BEGIN),
        (TWO, True, BEGIN + timedelta(minutes=20)),
    ]
    grow(logs, home, tmp_path / "b", BEGIN + timedelta(minutes=20), tmp_path / "clone")
    assert [path.stem for path in (tmp_path / "b").rglob("*.jsonl")] == [ONE]


def test_a_clone_is_clean_at_the_commit_and_branch_of_the_moment_without_file_contents(tmp_path: Path) -> None:
    source, bare = tmp_path / "source", tmp_path / "bare.git"

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "maintenance.auto=false"]
        subprocess.run(["git", "-C", str(source), *identity, *arguments], check=True, capture_output=True, env=environ)

    source.mkdir()
    for hour, subject in enumerate(("Hang nets", "Seal nets")):
        at = (BEGIN + timedelta(hours=hour)).isoformat()
        environ = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        if not hour:
            git("init", "-q", "-b", "main")
        (source / "net").write_text(subject)
        git("add", ".")
        git("commit", "-qm", subject)
    git("remote", "add", "origin", "https://example.org/a/aviary.git")
    (source / ".git").rename(bare)
    # Of the objects that are left, none is a file's content.
    for found in bare.glob("objects/??/*"):
        name = found.parent.name + found.name
        kind = subprocess.run(
            ["git", "-C", str(bare), "cat-file", "-t", name], capture_output=True, text=True, check=True
        )
        if kind.stdout == "blob\n":
            found.unlink()
    clone = Clone(bare, tmp_path / "clone")
    clone.create()
    clone.move(BEGIN + timedelta(minutes=1), "nets", None)
    status = ["git", "-C", str(clone.folder), "status", "--porcelain", "--branch"]
    assert subprocess.run(status, capture_output=True, text=True, check=True).stdout == "## nets\n"
    assert clone.subjects() == ["Hang nets"]


def test_the_real_commands_run_with_the_clock_at_the_moment(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "AICX_HOME": str(tmp_path / "corpus")}
    (said,) = asked_at(BEGIN, [["resume", "--json", "--repo", str(tmp_path)]], environ)
    assert json.loads(said)["generated_at"] == "2026-03-02T09:00:00Z"


def test_words_branch_and_files_tell_the_right_session_and_else_the_one_that_was_last_active() -> None:
    files = frozenset({"net", "door"})
    first, second = raw(ONE, 0, branch="nets", edited=files), raw(TWO, 2)
    assert right_sessions(raw("x", 3, branch="nets"), [first, second]) == {ONE: "branch"}
    assert right_sessions(raw("x", 3, prompts=(f"go on with {TWO}",)), [first, second]) == {TWO: "words"}
    assert right_sessions(raw("x", 3), [first, second]) == {TWO: "latest"}
    assert right_sessions(raw("x", 3, edited=files), [first, second]) == {ONE: "files", TWO: "latest"}
    assert right_sessions(raw("x", 3), []) == {}


def test_a_request_that_the_head_holds_waits_for_no_merge() -> None:
    lines = ["PR #45 needs your merge", "PR #46 needs your merge", "Nets came with #45"]
    subjects = ["Merge pull request #45 from a/nets"]
    assert [line for line, _ in against_git(lines, subjects)] == lines[:1]


def test_a_step_that_a_later_session_committed_or_was_asked_for_is_done() -> None:
    logs = [raw(ONE, 0), raw(TWO, 2, prompts=("Hang the nets on the doors",))]
    lines = [("Seal the four cells", ONE), ("Hang the nets on the doors", ONE), ("Count the birds", ONE)]
    found = list(against_later(lines, logs, [(TWO, "fix: seal the four cells (#3)")]))
    assert [line for line, _ in found] == ["Seal the four cells", "Hang the nets on the doors"]
    assert not list(against_later([("Seal the four cells", TWO)], logs, [(TWO, "fix: seal the four cells")]))


def test_another_session_that_is_said_to_be_open_is_contradicted_by_its_commit_or_by_one_that_went_on() -> None:
    said = f"- 2026-03-02 claude, branch `nets`, open: Hang nets → Done. [session:claude:{ONE}]"
    brief = f"{said}\n- x [session:claude:{TWO}]"
    claims = list(said_open(brief))
    assert [session for _, session in claims] == [ONE]
    assert [why for _, why in open_against_git(claims, [(ONE, "Hang nets"), (TWO, "Seal")])] == ["Hang nets"]
    assert not list(open_against_git(claims, [(TWO, "Seal")]))
    both = [raw(ONE, 0, edited=frozenset({"a"})), raw(TWO, 2, edited=frozenset({"a", "b"}))]
    assert [why for _, why in open_against_later(claims, both)] == [f"{TWO} edited its files"]
    assert not list(open_against_later(claims, [both[0], raw(TWO, 2, edited=frozenset({"b"}))]))


def test_by_the_strict_rule_the_last_session_is_right_only_where_it_ended_just_before() -> None:
    assert strictly_right(raw(TWO, 1), [raw(ONE, 0)]) == {ONE: "just before"}
    assert strictly_right(raw(TWO, 3), [raw(ONE, 0)]) == {}
    most, less = raw(ONE, 0, edited=frozenset("abc")), raw("3", 1, edited=frozenset("a"))
    assert strictly_right(raw(TWO, 9, edited=frozenset("abcd")), [most, less]) == {ONE: "files"}
