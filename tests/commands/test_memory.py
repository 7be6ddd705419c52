"""`aicx memory` through the real command line: what it takes, prints, asks and refuses."""

from __future__ import annotations

import json
import os
import select
from pathlib import Path

import pytest

from aicx.cli import run
from tests.corpus.builders import SESSION, ClaudeLog
from tests.forked import Piped
from tests.memory.builders import Place

pytestmark = pytest.mark.slow

RULE = "Exports need an authorisation check"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


def at_terminal(place, *words, answer, out=None):
    """What `aicx` writes to a terminal, at which a person gives ``answer`` to its question. ``out``: stdout instead."""
    ours, theirs = os.openpty()
    environ = {**os.environ, **place.environ, "NO_COLOR": "1"}
    with Piped([*words], environ, place.repo, stdin=theirs, stdout=out or theirs, stderr=theirs) as child:
        said, asked = b"", False
        while select.select([ours], [], [], 30)[0]:
            try:
                part = os.read(ours, 4096)
            except OSError:  # it ended
                break
            said += part
            if b"[y/N]" in said and not asked:
                os.write(ours, f"{answer}\n".encode())
                asked = True
        child.terminate()
    os.close(ours)
    return said.decode()


class TestPut:
    def test_everything_that_was_said_is_kept(self, place):
        place.write("src/a.py", "one\ntwo\n")
        old = place.put("Exports are free")
        ref = place.put(
            *(RULE, "--kind", "policy", "--topic", "exports", "--name", "export-check", "--detail", "In the handler"),
            *(
                "--detail",
                "Before reading",
                "--evidence",
                "commit:ABCDEF1",
                "--anchor",
                "src/a.py#L1",
                "--tag",
                "safety",
            ),
            *("--claim", "exports=checked", "--valid-until", "2190-12-31", "--ttl", "90d", "--supersedes", old),
            *("--origin", "human", "--by", "Ada"),
        )
        found = place("get", "export-check")
        assert found["entry"]["ref"] == ref
        assert found["entry"]["evidence"] == ["commit:abcdef1"]
        assert found["entry"]["source"]["class"] == "human"
        assert found["details"] == ["In the handler", "Before reading"]
        assert (found["claims"], found["tags"], found["supersedes"]) == ({"exports": "checked"}, ["safety"], [old])
        assert found["anchors"][0] == {"path": "src/a.py", "lines": [1, 1], "state": "current", "now": None}
        assert found["validity"] == {"until": "2191-01-01T00:00:00.000Z", "ttl": 7776000, "requires_validation": False}
        assert found["path"] == f"memory/acme~widgets/policy/export-check-{ref[4:]}.md"

    def test_secrets_are_redacted_on_the_way_in(self, place):
        ref = place.put("The key is AKIAZQ3DRSTUVWXY2345", "--detail", "or AKIAZQ3DRSTUVWXY2346")
        assert place.entry(ref)["statement"].startswith("The key is [REDACTED:")
        files = [path.read_bytes() for path in place.home.rglob("*") if path.is_file()]
        assert not any(b"AKIAZQ3D" in body for body in files)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ((), "no statement"),
            (("x" * 301,), "301 characters"),
            ((RULE, "--kind", "law"), "no kind of record"),
            ((RULE, "--origin", "god"), "no origin"),
            ((RULE, "--claim", "nothing"), "not a claim"),
            ((RULE, "--ttl", "soon"), "not a span of time"),
            ((RULE, "--valid-until", "soon"), "not a day"),
            ((RULE, "--name", "An Odd Name"), "cannot be a name"),
            ((RULE, "--name", "0123456789ab"), "cannot be a name"),
            ((RULE, "--supersedes", "mem:0123"), "no record"),
            ((RULE, "--evidence", "nonsense"), "nothing is stored"),
            ((RULE, "--global", "--anchor", "a.py"), "no anchor"),
            ((RULE, "--topic", "t" * 81), "a topic has 1 to 80 characters"),
        ],
    )
    def test_what_cannot_be_a_record_is_refused(self, place, options, message):
        place.write("a.py", "")
        assert message in place.refused("put", *options)
        assert not list(place.home.glob("memory/*/*/*"))

    def test_one_name_means_one_record_a_repository(self, place, tmp_path, monkeypatch):
        first = place.put(RULE, "--name", "exports")
        assert "is the name of" in place.refused("put", "Another", "--name", "exports")
        everywhere = place.put("Everywhere", "--name", "exports", "--global")
        other = tmp_path / "other"
        other.mkdir()
        monkeypatch.chdir(other)
        assert place.entry("exports")["ref"] == everywhere
        second = place.put("In the other repository", "--name", "exports")
        assert place.entry("exports")["ref"] == second
        monkeypatch.chdir(place.repo)
        assert place.entry("exports")["ref"] == first
        place("delete", "exports", "--yes")
        assert place.entry("exports")["ref"] == everywhere

    def test_what_a_session_said_is_put_with_its_source(self, place):
        log = ClaudeLog(SESSION, str(place.repo)).prompt("Why do the exports fail?", 0).answer("They need a check.", 5)
        path = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(log.body())
        assert place.run("store")[0] == 0
        entry = place("put", RULE, "--from", f"chunk:claude:{SESSION}:001")["entry"]
        assert entry["source"] | {"at": ""} == {
            "class": "assistant",
            "at": "",
            "lane": "primary",
            "agent": "claude",
            "session": SESSION,
        }
        assert entry["evidence"] == [f"chunk:claude:{SESSION}:001"]
        assert [found["ref"] for found in place("list", "--session", SESSION[:8])["entries"]] == [entry["ref"]]

    def test_the_beginning_of_an_id_is_enough_and_must_fit_one(self, place):
        ref = place.put(RULE)
        assert place.entry(ref[:9])["ref"] == ref
        assert place.entry(ref[4:8])["ref"] == ref
        assert "no record" in place.refused("get", "ffffffffffff")


class TestList:
    @pytest.fixture
    def filled(self, kept, monkeypatch, capsys):
        def fill():
            place = Place(kept.folder, monkeypatch, capsys)
            place.write("src/a.py", "one\n")
            place.accepted("First", "--kind", "policy", "--topic", "one", "--tag", "x")
            place.put("Second", "--kind", "fact", "--topic", "two", "--anchor", "src/a.py")
            place.put("Third", "--kind", "fact", "--topic", "One")
            place("archive", place.put("Fourth", "--kind", "fact"))
            place("hold", place.put("Fifth", "--kind", "fact"), "--why", "odd")
            place("put", "Everywhere", "--global")

        kept.again(fill)
        return Place(kept.folder, monkeypatch, capsys)

    def statements(self, place, *options):
        return [entry["statement"] for entry in place("list", *options)["entries"]]

    def test_what_is_put_away_is_counted_and_shown_when_asked_for(self, filled):
        found = filled("list")
        assert found["suppressed"] == {"archived": 1, "quarantined": 1}
        assert {entry["status"] for entry in found["entries"]} == {"accepted", "candidate"}
        (entry,) = filled("list", "--status", "archived")["entries"]
        assert (entry["statement"], entry["status"]) == ("Fourth", "archived")
        (entry,) = filled("list", "--status", "quarantined")["entries"]
        assert (entry["statement"], entry["topic"], entry["reasons"][0]) == (None, "", "quarantined_manual")

    def test_filters_have_to_fit_all(self, filled):
        assert self.statements(filled, "--kind", "fact", "--topic", "one") == ["Third"]
        assert self.statements(filled, "--file", "src") == ["Second"]
        assert self.statements(filled, "--file", "src/a") == []
        assert self.statements(filled, "--tag", "x", "--kind", "fact") == []
        assert "no status" in filled.refused("list", "--status", "believed")

    @pytest.mark.parametrize("other", [(), ("--kind", "note"), ("--status", "stale"), ("--file", "src/b.py")])
    def test_kind_status_file_and_session_have_to_fit_together(self, place, other):
        log = ClaudeLog(SESSION, str(place.repo)).prompt("Why do the exports fail?", 0).answer("They need a check.", 5)
        path = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(log.body())
        assert place.run("store")[0] == 0
        place.write("src/a.py", "one\n")
        said = ("--from", f"chunk:claude:{SESSION}:001")
        all_of_it = ("--kind", "fact", "--anchor", "src/a.py")
        place.accepted(RULE, *all_of_it, *said)
        wanted = place.put("Exports need two checks", *all_of_it, *said)
        place.put("Exports need three checks", *all_of_it)
        place.put("Exports need four checks", "--kind", "fact", *said)
        asked = {"--kind": "fact", "--status": "candidate", "--file": "src", "--session": SESSION[:8]}
        words = [word for pair in (asked | dict([other] if other else [])).items() for word in pair]
        assert [entry["ref"] for entry in place("list", *words)["entries"]] == ([] if other else [wanted])

    @pytest.mark.parametrize(
        ("offset", "limit", "shown", "more"),
        [(0, 4, 4, False), (0, 3, 3, True), (3, 1, 1, False), (2, 1, 1, True), (4, 4, 0, False), (9, 1, 0, False)],
    )
    def test_a_page_ends_where_it_should(self, filled, offset, limit, shown, more):
        found = filled("list", "--offset", str(offset), "--limit", str(limit))
        assert len(found["entries"]) == shown
        assert found["pagination"] == {"total": 4, "offset": offset, "limit": limit, "has_more": more}

    def test_pages_say_what_is_left(self, filled):
        assert self.statements(filled)[0] == "First"
        pages = filled("list", "--limit", "3")["pagination"]
        assert pages == {"total": 4, "offset": 0, "limit": 3, "has_more": True}
        assert not filled("list", "--limit", "3", "--offset", "1")["pagination"]["has_more"]

    def test_what_changed_last_comes_first(self, filled):
        filled("edit", "mem:" + filled("list", "--topic", "two")["entries"][0]["ref"][4:], "--tag", "y")
        assert self.statements(filled, "--recent")[0] == "Second"

    def test_other_repositories_are_only_listed_everywhere(self, filled, tmp_path, monkeypatch):
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        assert self.statements(filled) == ["Everywhere"]
        assert len(self.statements(filled, "--everywhere")) == 4

    def test_it_reads_on_a_terminal(self, filled):
        _, out, err = filled.run("memory")
        assert "accepted agreed  policy · one" in out
        assert "  nobody has accepted it yet" in out
        assert "1 archived, 1 quarantined" in err

    def test_stats_count(self, filled):
        found = filled("stats")
        assert (found["records"], found["baseline"], found["events"]) == (6, 1, 9)
        assert found["by_status"] == {"accepted": 1, "archived": 1, "candidate": 3, "quarantined": 1}
        assert found["by_repository"] == {"acme/widgets": 5, "global": 1}


class TestDeciding:
    @pytest.mark.parametrize(("answer", "status"), [("y", "accepted"), ("n", "candidate"), ("", "candidate")])
    def test_from_a_terminal_the_record_and_its_evidence_are_shown_first(self, place, answer, status):
        place.write("src/a.py", "def export():\n    check()\n")
        ref = place.put(RULE, "--anchor", "src/a.py#L1-L2", "--detail", "In the handler")
        said = at_terminal(place, "memory", "accept", ref, "--by", "Ada", answer=answer)
        shown = said[: said.index("Accept this as Ada?")]
        assert all(part in shown for part in (RULE, "In the handler", "src/a.py#L1-L2", "2      check()"))
        assert place.entry(ref)["status"] == status

    def test_from_a_terminal_too_a_person_has_to_be_named(self, place):
        ref = place.put(RULE)
        assert "needs the name of a person" in at_terminal(place, "memory", "accept", ref, answer="y")

    def test_nobody_is_asked_about_a_record_that_goes_into_a_file(self, place):
        ref = place.put(RULE)
        with (place.folder / "out.txt").open("wb") as stream:
            said = at_terminal(place, "memory", "accept", ref, "--by", "Ada", answer="y", out=os.dup(stream.fileno()))
        assert "a person has to confirm this" in said
        assert place.entry(ref)["status"] == "candidate"

    def test_a_record_that_changed_while_one_looked_is_not_decided_about(self, place, monkeypatch):
        ref = place.put(RULE)
        for stream in ("stdin", "stdout"):
            monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
        monkeypatch.setattr(
            "typer.confirm",
            lambda *_, **__: run(["memory", "edit", ref, "--statement", "Exports are free", "--by", "Eve"]),
        )
        code, _, err = place.run("memory", "accept", ref, "--by", "Ada")
        assert code == 1
        assert "changed meanwhile: statement, rev (edited by Eve)" in err
        assert place.entry(ref)["status"] == "candidate"

    def test_a_revision_that_is_no_more_is_not_decided_about(self, place):
        ref = place.put(RULE)
        place("edit", ref, "--topic", "exports")
        assert "it is revision 2 now, not 1" in place.refused("accept", ref, "--by", "Ada", "--yes", "--rev", "1")
        assert place("accept", ref, "--by", "Ada", "--yes", "--rev", "2")["entry"]["rev"] == 3

    def test_history_names_every_decision_also_of_what_was_deleted(self, place):
        ref = place.accepted(RULE, "--name", "exports")
        place("reject", "exports", "--by", "Grace", "--why", "no longer")
        place("delete", "exports", "--yes", "--by", "Grace")
        found = place("history", ref)
        assert [(one["type"][7:], one["by"]) for one in found["events"]] == [
            *(("proposed", "unspecified"), ("accepted", "Ada"), ("rejected", "Grace"), ("deleted", "Grace")),
        ]
        assert found["damaged_lines"] == []
        _, out, _ = place.run("memory", "history", ref)
        assert "accepted by Ada" in out

    def test_an_edit_keeps_what_it_does_not_change(self, place):
        ref = place.accepted(RULE, "--topic", "exports", "--detail", "In the handler", "--valid-until", "2190-12-31")
        assert place("edit", ref, "--name", "export-check")["entry"]["status"] == "accepted"
        assert place("edit", ref, "--evidence", "commit:abcdef1")["entry"]["baseline"]
        entry = place("edit", ref, "--ttl", "7d")["entry"]
        assert (entry["status"], entry["topic"]) == ("candidate", "exports")
        assert place("get", ref)["details"] == ["In the handler"]

    def test_restoring_without_a_name_undoes_no_rejection(self, place):
        ref = place.accepted(RULE)
        place("reject", ref, "--by", "Ada")
        place("archive", ref)
        place("restore", ref)
        assert place.entry(ref)["reasons"][0] == "rejected"
        assert place.doctor()["memory_adoption"]["severity"] == "green"

    def test_restoring_without_a_name_brings_a_candidate_back(self, place):
        ref = place.accepted(RULE)
        place("archive", ref)
        assert place("restore", ref)["entry"]["status"] == "candidate"
        place("accept", ref, "--by", "Ada", "--yes")
        place("archive", ref)
        assert place("restore", ref, "--by", "Ada")["entry"]["status"] == "accepted"


class TestHolder:
    def test_forget_takes_records_of_a_project_a_pattern_and_a_session(self, place):
        kept = place.put("Kept", "--global")
        place.put("The titan project starts in May", "--evidence", "commit:abcdef1")
        assert json.loads(place.run("forget", "--pattern", "titan", "--yes", "--json")[1])["memory_removed"] == 1
        place.put(RULE)
        assert json.loads(place.run("forget", "--project", "acme/widgets", "--yes", "--json")[1])["memory_removed"] == 1
        assert [entry["ref"] for entry in place("list", "--everywhere")["entries"]] == [kept]
        assert not any(b"titan" in path.read_bytes() for path in place.home.rglob("*") if path.is_file())

    def test_forgetting_a_session_takes_what_is_from_it(self, place):
        log = ClaudeLog(SESSION, str(place.repo)).prompt("Why do the exports fail?", 0).answer("They need a check.", 5)
        path = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(log.body())
        assert place.run("store")[0] == 0
        place.put(RULE, "--from", f"session:claude:{SESSION}")
        place.put("Rests on it alone", "--evidence", f"chunk:claude:{SESSION}:001")
        kept = place.put("Rests on more", "--evidence", f"chunk:claude:{SESSION}:001", "--evidence", "commit:abcdef1")
        assert json.loads(place.run("forget", "--session", SESSION, "--yes", "--json")[1])["memory_removed"] == 2
        assert [entry["ref"] for entry in place("list")["entries"]] == [kept]

    def test_the_ignore_file_hides_records(self, place):
        place.accepted(RULE)
        (place.home / ".aicxignore").write_text("memory/acme~widgets/\n")
        assert place("list")["entries"] == []
        assert "1 of 1 record" in place.doctor()["ignore_file"]["detail"]

    def test_doctor_is_content_with_a_memory_as_it_was_written(self, place):
        ref = place.accepted(RULE)
        place("pin", ref, "--by", "Ada", "--yes")
        place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "pytest")
        checks = place.doctor()
        assert {checks[name]["severity"] for name in ("memory", "memory_adoption", "memory_events")} == {"green"}

    def test_doctor_names_files_that_are_no_record(self, place):
        ref = place.put(RULE)
        place.files(ref)[1].write_text("{")
        check = place.doctor()["memory"]
        assert (check["severity"], ref[4:] in check["detail"]) == ("critical", True)
        place("delete", ref, "--yes")
        assert place.doctor()["memory"]["severity"] == "green"
