"""Changes of the memory that are killed at any step, or made by many at once: whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aicx.config import load_settings
from aicx.memory.holder import check_adoption, check_log, check_records, read_all
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.seal import SEAL
from aicx.paths import Layout
from tests.sampling import sample
from tests.survival.runs import HERE, Home, Runner

pytestmark = pytest.mark.process

OLD, NEW, HELD, AGAIN = "Use npm", "Use pnpm", "Ask before pushing", "Ask, before pushing"
COMMANDS = {
    "put": ("put", "Retries are capped at 5", "--topic", "retries"),
    "seen": ("put", OLD, "--evidence", "commit:abcdef1"),
    "accept": ("accept", "held", "--by", "Ada", "--yes"),
    "reject": ("reject", "old"),
    "hold": ("hold", "old"),
    "release": ("release", "old", "--by", "Ada", "--yes"),
    "supersede": ("supersede", "old", "--with", "new", "--by", "Ada", "--yes"),
    "edit": ("edit", "old", "--statement", "Use yarn"),
    "delete": ("delete", "old", "--yes"),
    "pin": ("pin", "old", "--by", "Ada", "--yes"),
    "unpin": ("unpin", "old", "--by", "Ada"),
    "archive": ("archive", "old"),
    "restore": ("restore", "old"),
    "validate": ("validate", "old", "--result", "fail", "--by", "ci", "--method", "pytest"),
    "curate": ("curate", "--apply", "--yes"),
    "seal": ("seal", "--by", "Ada", "--yes"),
    "record": ("recall", "npm", "--record"),
    "backfill": ("backfill", "--import"),
}
# What has to be done first, so that there is something to undo.
FIRST = {"release": COMMANDS["hold"], "unpin": COMMANDS["pin"], "restore": COMMANDS["archive"]}
# What changes nothing that is believed.
QUIET = {"seen", "record"}


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Two accepted records, and two candidates that say the same."""
    folder = tmp_path_factory.mktemp("decided")
    (folder / "user").mkdir()
    (folder / "repo").mkdir()
    home = Home(folder / "user", folder / "corpus")
    write_log(home)
    for name, statement in (("old", OLD), ("new", NEW), ("held", HELD), ("again", AGAIN)):
        do(home, "put", statement, "--name", name)
    for name in ("old", "new"):
        do(home, "accept", name, "--by", "Ada", "--yes")
    return home


def words(home: Home, *arguments: str) -> tuple[str, ...]:
    return ("memory", *arguments, "--repo", str(home.user.parent / "repo"), "--json")


def do(home: Home, *arguments: str) -> dict[str, Any]:
    return HERE.said(home, *words(home, *arguments))


View = dict[str, tuple[str, str, bool, tuple[str, ...]]]


def view(home: Home) -> View:
    """What is believed of every record but the one that `write_after` adds: statement, status, baseline, reasons."""
    settings = load_settings(home.environ)
    with Memory.open(settings, datetime.now(UTC), scope=find_scope(settings, home.user.parent / "repo")) as memory:
        assessed = memory.assessed()
    return {
        found.record.ref: (
            found.record.statement,
            found.status,
            found.baseline,
            tuple(reason.code for reason in found.reasons),
        )
        for found in assessed
        if found.record.name != "after"
    }


def write_log(home: Home) -> None:
    """A session in which a person states three rules."""
    stated = ("Never push to the beta branch.", "Always run the linter before a commit.", "Every parser needs a test.")
    path = home.user / ".claude" / "projects" / "-repo" / "5f2d1c3a-0000-4000-8000-00000000000b.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as stream:
        for number, text in enumerate(stated):
            said = {
                "uuid": f"u{number}",
                "timestamp": f"2026-03-01T10:0{number}:00.000Z",
                "cwd": str(home.user.parent / "repo"),
                "sessionId": path.stem,
                "message": {"role": "user", "content": text},
            }
            stream.write(json.dumps({"type": "user", **said}) + "\n")


def write_after(home: Home) -> None:
    """What the next writer does: it finishes what was begun, and writes something of its own."""
    settings = load_settings(home.environ)
    propose(settings, Scope(), [Draft("Something else", name="after")], datetime.now(UTC), lambda _: None)


def agreed(found: View) -> set[str]:
    return {ref for ref, (_, _, baseline, _) in found.items() if baseline}


@pytest.mark.parametrize("command", sample(list(COMMANDS), 6, ends=False))
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    command: str, decided: Home, runner: Runner, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    shutil.copytree(decided.corpus, begun)
    if command == "seal":  # as after a restore without it
        (begun / SEAL).unlink()
    if command == "backfill":
        HERE.store(Home(decided.user, begun))
    if command in FIRST:
        do(Home(decided.user, begun), *FIRST[command])
    before = view(Home(decided.user, begun))

    whole = Home(decided.user, shutil.copytree(begun, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *words(whole, *COMMANDS[command]))
    after = view(whole)
    assert (after != before) == (command not in QUIET)
    killed = 0
    for step, home in cuts:
        killed += 1
        # A reader in the middle may see less trust than before or after, and never more than either.
        assert agreed(view(home)) <= agreed(before) | agreed(after), step
        write_after(home)
        assert view(home) in (before, after), step
        assert not (home.corpus / "locks" / "memory-staging").exists()
        records, layout = read_all(Layout(home.corpus)), Layout(home.corpus)
        checks = check_records(records, unfinished=False), check_adoption(layout, records), check_log(layout)
        unsealed = command == "seal" and view(home) == before
        assert {check.severity for check in checks} - {"critical" if unsealed else None} == {"green"}, step
    assert killed > 3


def test_doctor_says_that_a_change_was_interrupted_and_finishes_it(
    decided: Home, runner: Runner, tmp_path: Path
) -> None:
    said = "finished an interrupted change of the memory"
    accept = words(decided, *COMMANDS["accept"])
    home = runner.finish_by_doctor(decided, tmp_path, *accept, check="memory", fixed=said)
    assert len(agreed(view(home))) == 3


def test_sixteen_writers_lose_nothing(decided: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(decided.user, shutil.copytree(decided.corpus, tmp_path / "corpus"))
    orders = [
        ("put", f"Statement {number // 2} of many", "--evidence", f"commit:abc{number:x}0") for number in range(16)
    ]
    said = runner.at_once(home, *(words(home, *order) for order in orders))
    assert [code for code, _ in said] == [0] * 16
    entries = [entry for entry in do(home, "list")["entries"] if "of many" in entry["statement"]]
    assert sorted((entry["sightings"], len(entry["evidence"])) for entry in entries) == [(2, 2)] * 8
    lines = (home.corpus / "memory" / "events.jsonl").read_text().splitlines()
    assert len(lines) == 6 + 16
    assert len({json.loads(line)["id"] for line in lines}) == len(lines)


def test_of_sixteen_decisions_about_one_revision_one_is_made(decided: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(decided.user, shutil.copytree(decided.corpus, tmp_path / "corpus"))
    orders = [("accept", "held", "--by", f"Ada {number}", "--yes", "--rev", "1") for number in range(8)]
    orders += [("reject", "held", "--rev", "1") for _ in range(8)]
    said = runner.at_once(home, *(words(home, *order) for order in orders))
    assert sorted(code for code, _ in said) == [0] + [1] * 15
    assert all("changed meanwhile" in json.loads(out)["error"] for code, out in said if code)
    assert len((home.corpus / "memory" / "events.jsonl").read_text().splitlines()) == 7


def test_a_home_that_cannot_be_written_is_still_read(decided: Home, tmp_path: Path) -> None:
    home = Home(decided.user, shutil.copytree(decided.corpus, tmp_path / "corpus"))
    shutil.rmtree(home.corpus / "index")
    (home.corpus / "index").write_text("in the way")
    assert len(agreed(view(home))) == 2
    assert os.path.isfile(home.corpus / "index")
