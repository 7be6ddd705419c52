"""F5, F14 and F15 of the study of foxctl: chains, the same from scratch as step by step, and forks stored once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aicx.sessions import Edge, deriving, index
from aicx.sessions.deriving import Sketch
from aicx.sessions.index import refresh_edges
from tests.corpus.builders import CodexLog, snapshot
from tests.sessions.builders import DAY, HOUR, A, B, C, D, FamilyHome

pytestmark = pytest.mark.slow


def sentence(number: int) -> str:
    """A prompt that is long enough to be told from an answer given twice."""
    return f"The {number}th request of this session is about the carburettor of the harvester"


class TestChain:
    def test_ancestors_come_by_depth_with_their_edges(self, family: FamilyHome) -> None:
        """F5: B continues A and C was forked from B: the chain of C is C, B, A; with depth 1 it is C and B."""
        family("open", "--session", A)
        family("close", "--session", A)
        family("open", "--session", B, "--continues", A)
        family("fork", "--session", B, "--as", C)
        assert family.chain(C, "--depth", "10") == [(0, C, None), (1, B, "forked_from"), (2, A, "continues")]
        assert family.chain(C, "--depth", "1") == [(0, C, None), (1, B, "forked_from")]
        assert family("chain", "--session", C, "--depth", "1")["more"] is True
        assert family("chain", "--session", C, "--depth", "2")["more"] is False

    @pytest.mark.parametrize("depth", ["1", "2", "3", "1000"])
    def test_a_circle_ends_where_it_meets_itself(self, depth: str, family: FamilyHome) -> None:
        """F5: a cycle does not hang."""
        for session in (A, B, C):
            family("open", "--session", session, "--force")
        for newer, older in ((A, B), (B, C), (C, A)):
            family("link", newer, older)
        wanted = [(0, A, None), (1, B, "continues"), (2, C, "continues")]
        assert family.chain(A, "--depth", depth) == wanted[: int(depth) + 1]

    def test_related_sessions_are_followed_on_request_only(self, family: FamilyHome) -> None:
        for session in (A, B):
            family("open", "--session", session, "--force")
        family("link", A, B, "--type", "related")
        assert family.chain(A) == [(0, A, None)]
        assert family.chain(A, "--related") == [(0, A, None), (1, B, "related")]

    def test_a_session_has_to_be_named(self, family: FamilyHome) -> None:
        assert family.failed("chain")[0] == 3
        assert family.failed("chain", "--session", "nothing-like-it")[0] == 3


class TestLogged:
    def test_a_rollout_names_the_session_it_was_forked_from(self, family: FamilyHome) -> None:
        family.codex(CodexLog(A, family.repo).prompt(sentence(1), 0))
        fork = CodexLog(B, family.repo)
        fork.records[0]["payload"]["forked_from_id"] = A
        family.codex(fork.prompt(sentence(2), HOUR))
        family.stored()
        assert family.edges(B) == [("forked_from", "log", A)]
        assert family.edges(A, "newer") == [("forked_from", "log", B)]

    def test_a_subagent_was_started_by_the_session_above_it(self, family: FamilyHome) -> None:
        family.claude(family.log(A).prompt(sentence(1), 0))
        child = family.log(A).prompt("Look for the gasket", 60)
        child.records[0]["isSidechain"] = True
        path = family.root / f".claude/projects/-srv-ada-orbit/{A}/subagents/agent-77ab.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(child.body())
        family.stored()
        assert family.edges("agent-77ab") == [("delegated_by", "log", A)]

    def test_a_branch_of_a_conversation_names_its_origin(self, family: FamilyHome) -> None:
        branch = family.log(B).copied_from(family.log(A).prompt(sentence(1), 0).answer("Understood.", 10))
        for record in branch.records:
            record["forkedFrom"] = {"sessionId": A, "messageUuid": record["uuid"]}
        family.claude(branch.prompt(sentence(2), HOUR))  # the original is no longer there
        family.stored()
        assert family.edges(B) == [("forked_from", "log", A)]

    def test_a_log_that_begins_with_anothers_messages_continues_it(self, family: FamilyHome) -> None:
        original = family.log(A).prompt(sentence(1), 0).answer("Understood.", 10)
        family.claude(original)
        family.claude(family.log(B).copied_from(original).prompt(sentence(2), HOUR))
        family.stored()
        assert family.edges(B) == [("continues", "log", A)]

    def test_it_was_forked_where_the_original_went_on_as_well(self, family: FamilyHome) -> None:
        original = family.log(A).prompt(sentence(1), 0).answer("Understood.", 10)
        family.claude(
            family.log(B).copied_from(original).prompt(sentence(2), HOUR).answer("Yes, that is so.", 2 * HOUR)
        )
        family.claude(original.prompt("And now?", 5 * HOUR))
        family.stored()
        assert family.edges(B) == [("forked_from", "log", A)]

    def test_of_a_fork_of_a_fork_the_nearest_is_the_origin(self, family: FamilyHome) -> None:
        first = family.log(A).prompt(sentence(1), 0).answer("Understood.", 10)
        second = family.log(B).copied_from(first).prompt(sentence(2), HOUR).answer("Done with that.", HOUR + 5)
        third = family.log(C).copied_from(second).prompt(sentence(3), 2 * HOUR)
        for log in (first, second, third):
            family.claude(log)
        family.stored()
        assert family.chain(C) == [(0, C, None), (1, B, "continues"), (2, A, "continues")]

    def test_one_prompt_given_to_two_agents_makes_no_family(self, family: FamilyHome) -> None:
        family.claude(family.log(A).prompt(sentence(1), 1))
        family.codex(CodexLog(B, family.repo).prompt(sentence(1), 1).answer("I see what you mean by that.", 5))
        family.stored()
        assert family("stats")["edges"] == []


class TestStated:
    def test_what_is_stated_counts_before_the_log(self, family: FamilyHome) -> None:
        family.codex(CodexLog(A, family.repo).prompt(sentence(1), 0))
        fork = CodexLog(B, family.repo)
        fork.records[0]["payload"]["forked_from_id"] = A
        family.codex(fork.prompt(sentence(2), HOUR))
        family.stored()
        family("link", B[:8], A[:8], "--type", "related")
        assert family.edges(B) == [("related", "stated", A)]
        family("link", B, A, "--remove")
        assert family.edges(B) == []
        family("link", B, A, "--type", "continues")
        assert family.edges(B) == [("continues", "stated", A)]

    def test_a_session_is_not_linked_with_itself_or_in_an_unknown_way(self, family: FamilyHome) -> None:
        family("open", "--session", A)
        assert family.failed("link", A, A)[0] == 2
        family("open", "--session", B, "--force")
        assert family.failed("link", A, B, "--type", "begat") == (2, "'begat' is not a type of edge")


class TestFromScratch:
    def test_what_is_worked_out_at_once_is_what_came_step_by_step(
        self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """F14: a home filled from the logs at once answers byte for byte like one that grew with them."""
        first = family.log(C, branch="topic/gasket").prompt(sentence(1), 0).answer("Understood.", 10)
        family.claude(first)
        family.stored()
        # The fork's id comes before the original's, and so does its file.
        fork = family.log(A).copied_from(first)
        for record in fork.records:
            record["forkedFrom"] = {"sessionId": C, "messageUuid": record["uuid"]}
        family.claude(fork.prompt(sentence(2), HOUR).answer("That is done now.", 2 * HOUR))
        family.stored()
        family.claude(family.log(B, branch="topic/gasket").prompt("Go on with the gasket", DAY))
        family.stored()
        family.codex(CodexLog(D, family.repo).prompt(f"What was done in {B} about the gasket?", 2 * DAY))
        family.stored()
        family.claude(family.log(B, branch="topic/gasket").prompt("Go on with the gasket", DAY).answer("Done", DAY + 9))
        family.stored()
        grown = self._answers(family)
        assert [edge[:2] for edge in family.edges(A)] == [("continues", "log")]
        assert [edge[:2] for edge in family.edges(B)] == [("continues", "derived")]
        assert family.edges(D) == [("continues", "derived", B)]
        monkeypatch.setenv("AICX_HOME", str(family.root / "another-corpus"))
        family.stored()
        assert self._answers(family) == grown

    def _answers(self, family: FamilyHome) -> list[str]:
        asked = [["stats"], *(["show", one] for one in (A, B, C, D)), *(["chain", "-s", one] for one in (A, B, D))]
        return [family.run("sessions", *arguments, "--json")[1] for arguments in asked]

    def test_without_the_index_the_answer_is_the_same(self, family: FamilyHome) -> None:
        first = family.log(A, branch="topic/gasket").prompt(sentence(1), 0)
        family.claude(first)
        family.claude(family.log(B, branch="topic/gasket").prompt("Go on", HOUR))
        family.stored()
        before = self._shown(family)
        path = family.settings.layout.session_edges
        for damage in (b"no database", b"", None):
            path.unlink()
            if damage is not None:
                path.write_bytes(damage)
            assert self._shown(family) == before
        assert "continues" in before

    def _shown(self, family: FamilyHome) -> str:
        return family.run("sessions", "show", B, "--json")[1]

    def test_damage_inside_the_index_is_worked_around_and_mended(self, family: FamilyHome) -> None:
        family.claude(family.log(A, branch="topic/gasket").prompt(sentence(1), 0))
        family.claude(family.log(B, branch="topic/gasket").prompt("Go on", HOUR))
        family.stored()
        before, path = self._shown(family), family.settings.layout.session_edges
        with sqlite3.connect(path) as kept:
            kept.execute("UPDATE sketches SET body=x'7b7d'")
            kept.execute("UPDATE meta SET state=NULL")
        assert self._shown(family) == before
        family.stored()
        body = bytearray(path.read_bytes())
        body[4096:] = b"\x5a" * (len(body) - 4096)
        path.write_bytes(body)
        assert self._shown(family) == before
        family.stored()
        assert self._shown(family) == before
        with sqlite3.connect(path) as kept:
            assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def test_an_index_that_cannot_be_written_costs_nothing_but_time(
        self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        family.claude(family.log(A, branch="topic/gasket").prompt(sentence(1), 0))
        family.claude(family.log(B, branch="topic/gasket").prompt("Go on", HOUR))
        family.stored()
        path = family.settings.layout.session_edges
        path.unlink()
        path.mkdir()
        assert family.edges(B) == [("continues", "derived", A)]

    def test_edges_of_what_was_forgotten_are_gone(self, family: FamilyHome) -> None:
        for session, at in ((A, 0), (B, HOUR)):
            family.claude(family.log(session, branch="topic/gasket").prompt(f"About the gasket of {session}", at))
        family.stored()
        assert family.edges(B) == [("continues", "derived", A)]
        assert family.run("forget", "--session", A, "--yes")[0] == 0
        assert family.edges(B) == []
        assert not [
            path
            for path in family.corpus.rglob("*")
            if path.is_file()
            and A.encode() in path.read_bytes()
            and path.name not in ("forgotten.jsonl", "catalog.sqlite", "catalog.sqlite-wal")
        ]

    def test_a_hidden_session_is_no_relative(self, family: FamilyHome) -> None:
        for session, at in ((A, 0), (B, HOUR)):
            family.claude(family.log(session, branch="topic/gasket").prompt(f"About the gasket of {session}", at))
        family.stored()
        (family.corpus / ".aicxignore").write_text(f"*{A}*\n")
        assert family.edges(B) == []
        assert family.failed("show", A)[0] == 3

    def test_asking_without_refreshing_writes_nothing(self, family: FamilyHome) -> None:
        family.claude(family.log(A).prompt(sentence(1), 0))
        family.store()
        from aicx.corpus.catalog.query import open_catalog
        from aicx.sessions.family import open_family

        layout = family.settings.layout
        before = snapshot(family.corpus)
        with open_catalog(layout) as opened, open_family(layout, opened.catalog, refresh=False) as found:
            assert not found.is_current
        assert snapshot(family.corpus) == before


class TestForkStoredOnce:
    def test_the_shared_beginning_is_stored_once(self, family: FamilyHome) -> None:
        """F15: what a forked log shares with its original is stored once, and the copies are noted."""
        original = family.log(A).prompt(sentence(1), 0).answer("Understood, the carburettor.", 10)
        family.claude(original)
        family.claude(family.log(B).copied_from(original).prompt(sentence(2), HOUR))
        family.stored()
        texts = family.own_texts()
        assert [texts.count(text) for text in (sentence(1), "Understood, the carburettor.", sentence(2))] == [1, 1, 1]
        copies = [copy for fields in family.sidecars() for copy in fields.get("duplicates") or ()]
        assert {copy["session_id"] for copy in copies} == {B}
        assert len(copies) == 2


def test_only_the_repository_of_a_new_session_is_worked_out_again(
    family: FamilyHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    beacon = family.repository("beacon", "git@x.org:ada/beacon.git")
    family.claude(family.log(A).prompt(sentence(1), 0))
    family.stored()
    log = family.log(B)
    log.cwd = beacon
    family.claude(log.prompt(sentence(2), HOUR))
    seen: list[int] = []
    monkeypatch.setattr("aicx.sessions.deriving.derive_edges", lambda sketches: seen.append(len(list(sketches))) or [])
    family.stored()
    assert seen == [1]


def test_the_index_holds_no_prompt(family: FamilyHome) -> None:
    family.claude(family.log(A).prompt("Why does the harvester of Wilhelmina stop?", 0))
    family.stored()
    body = Path(family.settings.layout.session_edges).read_bytes()
    assert b"harvester of Wilhelmina" not in body
    with sqlite3.connect(family.settings.layout.session_edges) as kept:
        assert kept.execute("SELECT count(*) FROM sketches").fetchone() == (1,)


def test_what_is_stored_while_edges_are_worked_out_is_not_taken_for_worked_out(
    family: FamilyHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    family.claude(family.log(A, branch="topic/gasket").prompt(sentence(1), 0))
    family.claude(family.log(C, branch="topic/gasket").prompt("Go on", HOUR))
    family.store()
    work_out = deriving.derive_edges

    def meanwhile(sketches: Iterable[Sketch]) -> list[Edge]:
        monkeypatch.setattr(deriving, "derive_edges", work_out)
        family.claude(family.log(B, branch="topic/gasket").prompt("And on", 2 * HOUR))
        family.store()
        return list(work_out(sketches))

    monkeypatch.setattr(deriving, "derive_edges", meanwhile)
    refresh_edges(family.settings)
    assert family.edges(B)


def test_who_was_overtaken_does_not_replace_what_is_newer(family: FamilyHome, monkeypatch: pytest.MonkeyPatch) -> None:
    log = family.log(A, branch="topic/gasket").prompt(sentence(1), 0)
    family.claude(log)
    family.store()
    sketches = index._sketches

    def slow(*arguments: Any) -> Mapping[index.Key, bytes]:
        monkeypatch.setattr(index, "_sketches", sketches)
        found = sketches(*arguments)
        family.claude(log.prompt("Go on", HOUR))
        family.stored()
        return found

    def stamps() -> list[tuple[str]]:
        with sqlite3.connect(family.settings.layout.session_edges) as kept:
            return kept.execute("SELECT stamp FROM sketches").fetchall()

    monkeypatch.setattr(index, "_sketches", slow)
    refresh_edges(family.settings)
    newer = stamps()
    family.settings.layout.session_edges.unlink()
    refresh_edges(family.settings)
    assert newer == stamps()


@pytest.mark.parametrize("name", [b"meta", b"sketches", b"edges", b"TABLE", b"confidence"])
@pytest.mark.parametrize("first", [b"\x80", b"x"])
def test_an_index_with_a_damaged_schema_is_made_again(family: FamilyHome, name: bytes, first: bytes) -> None:
    family.claude(family.log(A, branch="topic/gasket").prompt(sentence(1), 0))
    family.claude(family.log(B, branch="topic/gasket").prompt("Go on", HOUR))
    family.stored()
    path = family.settings.layout.session_edges
    path.write_bytes(path.read_bytes().replace(name, first + name[1:]))
    assert family.edges(B) == [("continues", "derived", A)]
    assert family.edges(B) == [("continues", "derived", A)]
    with sqlite3.connect(path) as kept:
        assert kept.execute("SELECT from_ref FROM edges").fetchall() == [(f"session:claude:{B}",)]


def test_an_edge_that_is_not_as_it_was_written_is_worked_out_again(family: FamilyHome) -> None:
    family.claude(family.log(A, branch="topic/gasket").prompt(sentence(1), 0))
    family.claude(family.log(B, branch="topic/gasket").prompt("Go on", HOUR))
    family.stored()
    with sqlite3.connect(family.settings.layout.session_edges) as kept:
        kept.execute("UPDATE edges SET type='related'")
    assert family.edges(B) == [("continues", "derived", A)]
