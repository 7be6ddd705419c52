"""Sequences of operations and of damage that nobody thought of: none gives a record more trust than a person did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.config import Settings, load_settings
from aicx.errors import AicxError
from aicx.memory.assess import Assessment
from aicx.memory.deciding import Decider, Desk, decide, delete, edit, supersede, validate
from aicx.memory.files import decode, encode, read_body
from aicx.memory.holder import check_adoption, check_log, check_records, read_all
from aicx.memory.proposing import Draft, Edit, propose
from aicx.memory.reading import Memory, Scope
from aicx.memory.record import KINDS, ORIGINS, REASONS, Record, Source
from aicx.memory.seal import KEY, SEAL

pytestmark = pytest.mark.slow

STATEMENTS = ("Use npm", "Use pnpm", "The tests cannot run here", "Exports need a check", "Ask before pushing")
ACTIONS = ("reject", "hold", "release", "pin", "unpin", "archive", "restore")
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@contextmanager
def desk_at(home: Path) -> Iterator[Desk]:
    found = load_settings({"AICX_HOME": str(home), "HOME": str(home)})
    yield Desk(found, Scope("acme/widgets"), NOW, lambda _: None)


def assessed(settings: Settings) -> list[Assessment]:
    with Memory.open(settings, NOW + timedelta(minutes=1), scope=Scope("acme/widgets")) as memory:
        found = memory.assessed()
    assert len({one.record.ref for one in found}) == len(found)
    for one in found:
        assert one.baseline <= (one.status == "accepted")
        assert one.reasons
        assert {reason.code for reason in one.reasons} <= REASONS.keys()
    return found


draft = st.builds(
    Draft,
    statement=st.sampled_from(STATEMENTS),
    kind=st.sampled_from(KINDS),
    topic=st.sampled_from(("tools", "exports")),
    source=st.builds(Source, st.sampled_from(ORIGINS), st.sampled_from(("primary", "subagent"))),
    repository=st.sampled_from(("acme/widgets", None)),
    claims=st.dictionaries(st.just("manager"), st.sampled_from(("npm", "pnpm")), max_size=1),
)
which = st.integers(0, 2)
operation = st.one_of(
    st.tuples(st.just("put"), draft),
    st.tuples(st.sampled_from(ACTIONS), which, st.sampled_from(("Ada", "claude", "unspecified"))),
    st.tuples(st.just("validate"), which, st.sampled_from(("pass", "fail"))),
    st.tuples(st.just("edit"), which, st.sampled_from(STATEMENTS)),
    st.tuples(st.just("supersede"), which, which),
    st.tuples(st.just("delete"), which),
    st.tuples(st.just("by hand"), which, st.sampled_from(STATEMENTS)),
    st.tuples(st.just("forge"), which),
)
accepting = st.tuples(st.just("accept"), which, st.sampled_from(("Ada", "Grace")))
changed = st.tuples(st.sampled_from(("edit", "by hand")), which, st.sampled_from(STATEMENTS))


def sequences(*operations: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Up to a dozen operations, after a few records were put that they can be about."""
    puts = st.lists(st.tuples(st.just("put"), draft), min_size=1, max_size=3)
    # Not one_of(*operations), which would draw each of their kinds as often as a whole strategy.
    drawn = st.sampled_from(operations).flatmap(lambda one: one)
    return st.tuples(puts, st.lists(drawn, max_size=12)).map(lambda parts: [*parts[0], *parts[1]])


def perform(desk: Desk, step: tuple[Any, ...]) -> Record | None:
    """Does one step; the record of a decision on one. What is refused changes nothing."""
    name, *rest = step
    if name == "put":
        propose(desk.settings, desk.scope, [rest[0]], desk.now, desk.notify)
        return None
    refs = [record.ref for record in read_all(desk.settings.layout)]
    if not refs:
        return None
    ref = refs[rest[0] % len(refs)]
    match name:
        case "validate":
            validate(desk, ref, rest[1], "pytest", Decider("ci"))
        case "edit":
            edit(desk, ref, Edit(statement=rest[1]), Decider("Ada"))
        case "supersede":
            supersede(desk, ref, refs[rest[1] % len(refs)], Decider("Ada"))
        case "delete":
            delete(desk, ref, Decider("Ada"))
        case "by hand" | "forge":
            (markdown,) = desk.settings.layout.memory.glob(f"*/*/*{ref[4:]}.md")
            sidecar = markdown.with_name(f"{markdown.stem}.meta.json")
            if name == "by hand":
                markdown.write_text(f"{rest[1]}\n")
            else:
                fields = json.loads(sidecar.read_text())
                fields["adoption"] = {"state": "adopted", "by": "Ada", "at": "2026-01-01T00:00:00Z"}
                fields |= {"pinned": True, "hold": None, "retention": "live"}
                sidecar.write_text(json.dumps(fields))
        case _:
            return decide(desk, ref, name, Decider(rest[1]))
    return None


@settings(max_examples=20)
@given(sequences(operation))
def test_no_sequence_without_accept_makes_a_baseline(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as folder, desk_at(Path(folder)) as desk:
        for step in steps:
            with suppress(AicxError):
                perform(desk, step)
            found = assessed(desk.settings)
            assert [one.record.ref for one in found if one.baseline] == []
            assert [one.record.ref for one in found if one.status == "accepted"] == []


@settings(max_examples=20)
@given(sequences(operation, accepting, changed))
def test_the_baseline_is_what_a_person_accepted_word_for_word(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as folder, desk_at(Path(folder)) as desk:
        agreed: set[tuple[str, str]] = set()
        for step in steps:
            with suppress(AicxError):
                record = perform(desk, step)
                if step[0] == "accept" and record is not None:
                    agreed.add((record.ref, record.statement))
            for one in assessed(desk.settings):
                if one.baseline:
                    assert (one.record.ref, one.record.statement) in agreed


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[tuple[str, str]]]:
    """A home in which people decided all there is to decide, and what is agreed in it."""
    home = tmp_path_factory.mktemp("decided")
    with desk_at(home) as desk:
        drafts = [
            Draft(f"Statement number {number}", "fact", "tools", Source("human"), "acme/widgets", claims=claims)
            for number, claims in enumerate([{}, {}, {}, {}, {}, {}, {}, {"manager": "npm"}, {"manager": "pnpm"}])
        ]
        refs = [record.ref for record, _ in propose(desk.settings, desk.scope, drafts, NOW, desk.notify)]
        for ref in refs:
            decide(desk, ref, "accept", Decider("Ada"))
        decide(desk, refs[1], "reject", Decider("Ada"))
        decide(desk, refs[2], "hold", Decider("Ada"))
        decide(desk, refs[3], "archive", Decider("Ada"))
        validate(desk, refs[4], "fail", "pytest", Decider("ci"))
        supersede(desk, refs[5], refs[6], Decider("Ada"))
        found = assessed(desk.settings)
    agreed = {(one.record.ref, one.record.statement) for one in found if one.baseline}
    assert {ref for ref, _ in agreed} == {refs[0], refs[6]}
    return home, agreed


def test_no_line_that_is_lost_gives_more_trust(decided: tuple[Path, set[tuple[str, str]]], tmp_path: Path) -> None:
    home, agreed = decided
    copy = shutil.copytree(home, tmp_path / "home")
    log = copy / "memory" / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    for number in range(len(lines)):
        log.write_bytes(b"".join((*lines[:number], b"\0" + lines[number][1:], *lines[number + 1 :])))
        with desk_at(copy) as desk:
            found = {(one.record.ref, one.record.statement) for one in assessed(desk.settings) if one.baseline}
        assert found <= agreed, lines[number]


@settings(max_examples=40)
@given(st.data())
def test_random_bytes_anywhere_never_give_more_trust(
    decided: tuple[Path, set[tuple[str, str]]], data: st.DataObject
) -> None:
    home, agreed = decided
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "home"
        shutil.copytree(home, copy)
        if data.draw(st.booleans()):
            (copy / "index" / "memory.sqlite").unlink()
        files = sorted(path for path in (copy / "memory").rglob("*") if path.is_file())
        files += [copy / SEAL, copy / KEY]
        files += [path for path in [copy / "index" / "memory.sqlite"] if path.exists()]
        index = [path for path in files if path.suffix == ".sqlite"]
        path = data.draw(st.one_of(st.sampled_from(files), st.sampled_from(index or files)))
        for _ in range(data.draw(st.integers(1, 3))):
            body = bytearray(path.read_bytes())
            # Most of a database is empty pages.
            at = data.draw(st.sampled_from([place for place, byte in enumerate(body) if byte] or [0]))
            noise = data.draw(st.binary(max_size=24))
            how = data.draw(st.sampled_from(("replace", "insert", "cut")))
            body[at : at + (len(noise) if how == "replace" else 0)] = noise
            path.write_bytes(body[:at] if how == "cut" else body)
        with desk_at(copy) as desk:
            found = assessed(desk.settings)
            assert {(one.record.ref, one.record.statement) for one in found if one.baseline} <= agreed
            records = read_all(desk.settings.layout)
            for check in (
                check_records(records, unfinished=False),
                check_adoption(desk.settings.layout, records),
                check_log(desk.settings.layout),
            ):
                assert check.severity in ("green", "warning", "critical")
                assert "\n" not in check.detail


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_random_files_are_no_record_and_no_failure(markdown: bytes, sidecar: bytes) -> None:
    record = decode("global/note/0123456789ab.md", markdown, sidecar)
    assert [flaw.code for flaw in record.flaws] == ["malformed"]
    assert record.statement == ""


@given(draft, st.lists(st.text(max_size=40), max_size=4), st.text(max_size=80))
def test_a_record_is_read_as_it_was_written(made: Draft, details: list[str], statement: str) -> None:
    from aicx.memory.proposing import _drafted, clean

    if not clean(statement):
        return
    drafted = _drafted(
        Draft(**{**{name: getattr(made, name) for name in made.__slots__}, "statement": statement, "details": details}),
        NOW,
    )
    markdown, _ = encode(drafted)
    assert read_body(markdown) == (drafted.statement, drafted.details)
