"""Logs that grow, come late, shrink or vanish: nothing stored is lost, and only what has to be is written again."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sampling import sample
from tests.survival.logs import InventedLog, Line, invent, last_moment, write_home
from tests.survival.runs import HERE, Home

pytestmark = pytest.mark.slow

SHARED = ("history.jsonl", "session_index.jsonl")


@pytest.mark.parametrize("seed", sample(range(11, 17), 1, ends=False))
def test_a_home_that_grew_in_many_steps_is_stored_as_one_read_at_once(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    logs = invent(seed, sessions=10)
    grown = Home(tmp_path / "user", tmp_path / "grown")
    for share in sorted(chance.random() for _ in range(8)):
        write_home(grown.user, logs, until=last_moment(logs) * share, torn=chance.randrange(200))
        HERE.store(grown)
        assert grown.flaws() == []
    write_home(grown.user, logs)
    HERE.store(grown)
    once = Home(grown.user, tmp_path / "once")
    HERE.store(once)
    assert grown.tree() == once.tree()
    assert HERE.answers(grown) == HERE.answers(once)


@pytest.mark.parametrize("kind", [".claude/projects", ".codex/sessions", "gemini/tmp"])
def test_growth_rewrites_only_the_last_chunk(kind: str, tmp_path: Path) -> None:
    log = _longest(invent(seed=5, sessions=20), kind)
    home = Home(tmp_path / "user", tmp_path / "corpus")
    rewritten = []
    before: dict[str, tuple[int, int]] = {}
    for line in log.lines[::6]:
        write_home(home.user, [log], until=line.written)
        HERE.store(home)
        after = {str(path): _identity(path) for path in sorted(home.corpus.rglob("*_*.*")) if path.is_file()}
        closed = sorted({path.partition(".")[0] for path in before})[:-1]
        rewritten += [path for path, file in before.items() if path.partition(".")[0] in closed and after[path] != file]
        before = after
    assert len(home.chunks()) > 2
    assert rewritten == []


def test_a_remote_that_one_log_states_decides_alike_in_the_same_run_and_in_the_next(tmp_path: Path) -> None:
    """The folder is there as a repository without a remote: forgetting what the log said would file it elsewhere."""
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    git = {"repository_url": "git@git.example:acme/beacon.git"}
    meta = {"id": "5f2d1c3a-0000-4000-8000-00000000000b", "timestamp": "2026-03-01T08:00:00Z", "cwd": str(folder)}
    first = [
        {"timestamp": "2026-03-01T08:00:00Z", "type": "session_meta", "payload": {**meta, "git": git}},
        {
            "timestamp": "2026-03-01T08:00:01Z",
            "type": "event_msg",
            "payload": {"type": "user_message", "message": "one"},
        },
    ]
    stamp = {"timestamp": "2026-03-01T09:00:00Z", "cwd": str(folder), "uuid": "u1"}
    second = [{"type": "user", **stamp, "message": {"role": "user", "content": "two"}}]
    names = (f".codex/sessions/rollout-2026-03-01T08-00-00-{meta['id']}.jsonl", ".claude/projects/-x/later.jsonl")
    logs = [
        InventedLog(name, tuple(Line(number, json.dumps(value).encode()) for value in values))
        for number, (name, values) in enumerate(zip(names, (first, second), strict=True))
    ]
    apart, once = Home(tmp_path / "user", tmp_path / "apart"), Home(tmp_path / "user", tmp_path / "once")
    write_home(apart.user, logs, until=0)
    HERE.store(apart)
    write_home(apart.user, logs)
    HERE.store(apart)
    HERE.store(once)
    assert apart.tree() == once.tree()
    assert {item["project"] for item in HERE.answers(apart)} == {"acme/beacon"}


def test_a_run_without_news_writes_nothing(tmp_path: Path) -> None:
    home = _stored(tmp_path)
    before = {path: _identity(home.corpus / path) for path in home.tree()}
    HERE.store(home)
    HERE.store(home, "--full-rescan")
    assert {path: _identity(home.corpus / path) for path in home.tree()} == before


def test_a_log_that_turns_up_late_is_stored(tmp_path: Path) -> None:
    logs = invent(seed=4)
    late, others = logs[3], [log for log in logs if log is not logs[3]]
    home = Home(tmp_path / "user", tmp_path / "corpus")
    write_home(home.user, others)
    HERE.store(home)
    known = set(home.tree())
    write_home(home.user, [late])
    HERE.store(home)
    new = set(home.tree()) - known
    assert new
    assert all(late.path.rpartition("-")[2].partition(".")[0] in home.tree()[path].decode() for path in new)


@pytest.mark.parametrize("arguments", [(), ("--full-rescan",)])
def test_chunks_stay_when_their_logs_are_deleted(arguments: tuple[str, ...], tmp_path: Path) -> None:
    home = _stored(tmp_path)
    before, answers = home.tree(), HERE.answers(home)
    for path in home.user.rglob("*.json*"):
        if path.name not in SHARED:
            path.unlink()
    HERE.store(home, *arguments)
    assert home.tree() == before
    assert HERE.answers(home) == answers


def test_chunks_stay_when_half_the_logs_are_deleted_and_all_is_read_again(tmp_path: Path) -> None:
    """Copies in forks must not take the place of what was in the deleted original."""
    home = _stored(tmp_path)
    before = home.tree()
    for path in sorted(home.user.rglob("*.json*"))[::2]:
        path.unlink()
    HERE.store(home, "--full-rescan")
    assert home.tree() == before


@pytest.mark.parametrize("kept", [0, 1, 3, 8])
def test_a_log_replaced_by_a_shorter_one_loses_nothing(kept: int, tmp_path: Path) -> None:
    log = _longest(invent(seed=5, sessions=20), ".claude/projects")
    home = Home(tmp_path / "user", tmp_path / "corpus")
    write_home(home.user, [log])
    HERE.store(home)
    before = home.tree()
    (home.user / log.path).write_bytes(b"".join(line.body + b"\n" for line in log.lines[:kept]))
    HERE.store(home)
    assert home.tree() == before


def test_a_log_that_is_cut_at_its_head_and_goes_on_loses_nothing(tmp_path: Path) -> None:
    log = _longest(invent(seed=5, sessions=20), ".claude/projects")
    home = Home(tmp_path / "user", tmp_path / "corpus")
    half = len(log.lines) // 2
    first, second = replace(log, lines=log.lines[:half]), replace(log, lines=log.lines[half:])
    write_home(home.user, [first])
    HERE.store(home)
    (home.user / log.path).unlink()
    write_home(home.user, [second])
    HERE.store(home)
    once = Home(tmp_path / "again", tmp_path / "once")
    write_home(once.user, [log])
    HERE.store(once)
    assert _keys(home) == _keys(once)


def test_a_chunk_deleted_from_the_store_comes_back_with_a_full_rescan(tmp_path: Path) -> None:
    home = _stored(tmp_path)
    before = home.tree()
    home.chunks()[2].unlink()
    HERE.store(home, "--full-rescan")
    assert home.tree() == before


def _stored(folder: Path) -> Home:
    home = Home(folder / "user", folder / "corpus")
    write_home(home.user, invent(seed=4))
    HERE.store(home)
    return home


def _longest(logs: list[InventedLog], kind: str) -> InventedLog:
    return max(
        (log for log in logs if kind in log.path and "subagents" not in log.path),
        key=lambda log: len(log.body() or b""),
    )


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _keys(home: Home) -> list[str]:
    sidecars = [json.loads(body) for path, body in home.tree().items() if path.endswith(".meta.json")]
    return sorted(item["key"] for fields in sidecars for item in fields["messages"] if not item.get("repeated"))
