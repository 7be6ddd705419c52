"""The table of what holds people's text: one more row is all that `forget`, `doctor` and `.aicxignore` need."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from aicx.cli import run
from aicx.commands.forget import ForgetAnswer
from aicx.corpus.doctor.inputs import Check
from aicx.engine import holders
from aicx.engine.holders import Holder, load_holders
from aicx.values import dataclass
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home


@dataclass(frozen=True, slots=True)
class Counted(ForgetAnswer):
    """What `forget` says where a row of its own deletes notes."""

    notes_removed: int


class Notes(Holder):
    """Notes beside the store, each named after the session it was taken in."""

    name = "notes"
    noun = "note"
    copies = ("notes/drafts",)
    removed = "removed"

    def plan(self, layout, request, plan):
        sessions = {session for _, session in plan.sessions}
        plan.held[self.name] = [(path,) for path in (layout.home / "notes").glob("*.md") if path.stem in sessions]

    def paths(self, facts):
        return [f"notes/{path.name}" for path in (facts.layout.home / "notes").glob("*.md")]

    def verify(self, facts):
        empty = [path.name for path in (facts.layout.home / "notes").glob("*.md") if not path.read_bytes()]
        return [Check(self.name, "critical" if empty else "green", ", ".join(empty))]

    def mend(self, settings, notify, done):
        for path in (settings.layout.home / "notes").glob("*.md"):
            if not path.read_bytes():
                path.write_text("lost")
                done.applied.append(f"marked {path.name}")


@pytest.fixture
def noted(tmp_path, monkeypatch, capsys):
    """A home with two stored sessions and a note of each."""
    module = ModuleType("invented_notes")
    module.HOLDER = Notes()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(holders, "HOLDERS", (*holders.HOLDERS, f"{module.__name__}:HOLDER"))
    monkeypatch.setattr("aicx.commands.forget.ForgetAnswer", Counted)
    user = Home(tmp_path).used(monkeypatch)
    user.claude(ClaudeLog(SESSION).prompt("The gasket leaks", 0))
    user.codex(CodexLog(OTHER).prompt("The pump hums", 500))
    assert run(["store"]) == 0
    folder = user.corpus / "notes"
    (folder / "drafts").mkdir(parents=True)
    for session in (SESSION, OTHER):
        (folder / f"{session}.md").write_text(f"what was said in {session}")
    capsys.readouterr()
    return user


def report(capsys, *arguments):
    run([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def test_forget_takes_the_files_of_a_new_row_along_and_counts_them(noted, capsys):
    assert report(capsys, "forget", "--session", SESSION, "--dry-run")["notes_removed"] == 1
    assert len(list((noted.corpus / "notes").glob("*.md"))) == 2
    assert report(capsys, "forget", "--session", SESSION, "--yes")["notes_removed"] == 1
    assert [path.stem for path in (noted.corpus / "notes").glob("*.md")] == [OTHER]


def test_doctor_asks_a_new_row_and_lets_it_mend(noted, capsys):
    (noted.corpus / "notes" / f"{OTHER}.md").write_text("")
    checks = {check["name"]: check["severity"] for check in report(capsys, "doctor")["checks"]}
    assert checks["notes"] == "critical"
    assert f"marked {OTHER}.md" in report(capsys, "doctor", "--fix")["fixes_applied"]
    checks = {check["name"]: check["severity"] for check in report(capsys, "doctor")["checks"]}
    assert checks["notes"] == "green"


def test_the_ignore_file_counts_what_it_hides_of_a_new_row(noted, capsys):
    (noted.corpus / ".aicxignore").write_text("notes/\n")
    (check,) = (one for one in report(capsys, "doctor")["checks"] if one["name"] == "ignore_file")
    assert check["detail"].startswith(".aicxignore hides 0 of 2 chunks, 2 of 2 notes")


def test_redacting_again_deletes_the_copies_of_a_new_row(noted):
    assert run(["store", "--redact-again"]) == 0
    assert not (noted.corpus / "notes" / "drafts").exists()


def test_forget_deletes_the_stores_that_benchmarks_made(noted):
    copied = noted.corpus / "bench" / "cache" / "stores" / "chunk.md"
    copied.parent.mkdir(parents=True)
    copied.write_text("The gasket leaks")
    (noted.corpus / "bench" / "result.json").write_text("{}")
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert [path.name for path in (noted.corpus / "bench").rglob("*")] == ["result.json"]


def test_what_is_derived_is_erased_before_what_it_is_made_from():
    order = [holder.name for holder in load_holders()]
    assert order.index("chunks") < order.index("set_apart") < order.index("lexical_index")
