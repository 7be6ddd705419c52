"""The event log: appended to, text-free, checked line by line, ordered by more than the clock."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from aicx.work.events import FIRST, MAX_SEGMENT, Tail, WorkEvent, fold, read_log, segments
from tests.work.builders import NOW


def event(sequence: int, task: str = "0123456789ab", **fields: object) -> WorkEvent:
    known = {"id": f"e{sequence}", "at": NOW, "type": "updated", "status": "in_progress", "rev": 2, "source": "cli"}
    return WorkEvent(sequence=sequence, task=task, **{**known, **fields})  # type: ignore[arg-type]


def append(folder: Path, *events: WorkEvent) -> None:
    folder.mkdir(exist_ok=True)
    name, body = Tail(folder).appended(events)
    (folder / name).write_bytes(body)


def test_events_are_read_back_in_their_order(tmp_path: Path) -> None:
    append(tmp_path, event(1, type="started", rev=1))
    append(tmp_path, event(2, fields=("verified",)), event(3, task="ba9876543210", status="resolved", type="closed"))
    log = read_log(tmp_path)
    assert [(one.sequence, one.type, one.fields) for one in log.events] == [
        (1, "started", ()),
        (2, "updated", ("verified",)),
        (3, "closed", ()),
    ]
    assert {task: last.rev for task, last in fold(log.events).items()} == {"0123456789ab": 2, "ba9876543210": 2}
    assert [one.sequence for one in log.about("0123456789ab")] == [1, 2]


def test_a_damaged_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    append(tmp_path, event(1), event(2), event(3))
    path = tmp_path / FIRST
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], lines[1].replace(b"in_progress", b"resolved"), lines[2][:-9]]))
    log = read_log(tmp_path)
    assert ([one.sequence for one in log.events], log.damaged) == ([1], (f"{FIRST}:2", f"{FIRST}:3"))
    append(tmp_path, event(4))
    assert [one.sequence for one in read_log(tmp_path).events] == [1, 4]


def test_the_sequence_grows_whatever_the_clock_does(tmp_path: Path) -> None:
    numbers = []
    for days in (0, 400, -4000, 1):
        number = Tail(tmp_path).next_sequence(NOW + timedelta(days=days))
        append(tmp_path, event(number))
        numbers.append(number)
    assert numbers == sorted(set(numbers))


def test_the_sequence_goes_on_where_the_log_was_lost(tmp_path: Path) -> None:
    first = Tail(tmp_path).next_sequence(NOW)
    append(tmp_path, event(first))
    (tmp_path / FIRST).unlink()
    assert Tail(tmp_path).next_sequence(NOW + timedelta(seconds=1)) > first


def test_a_long_log_goes_on_in_another_file(tmp_path: Path) -> None:
    one = event(1, fields=("x" * 500,))
    many = MAX_SEGMENT // len(one.encode())
    append(tmp_path, *[one] * many)
    append(tmp_path, event(2))
    append(tmp_path, event(3))
    assert [path.name for path in segments(tmp_path)] == [FIRST, "events-0002.jsonl"]
    assert len(read_log(tmp_path).events) == many + 2
    assert [found.sequence for found in read_log(tmp_path, last=1).events] == [2, 3]
    assert Tail(tmp_path).sequence == 3
