"""The memory over HTTP: what the page is given, and decisions with a name, guarded and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.servers.dashboard.http_client import Reply, get, request, serving
from tests.servers.dashboard.page.memories import Remembered

pytestmark = [pytest.mark.needs("web"), pytest.mark.slow]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Remembered:
    """For tests that change nothing."""
    return Remembered(tmp_path_factory.mktemp("memory"))


@pytest.fixture(scope="module")
def address(read: Remembered) -> Iterator[str]:
    with serving("--rate", "10000", **read.environ) as (_, found):
        yield found


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[Remembered, str]]:
    memory = Remembered(tmp_path)
    with serving("--rate", "10000", **memory.environ) as (_, found):
        yield memory, found


def decide(address: str, body: dict[str, Any] | bytes, **headers: str | None) -> Reply:
    sent = body if isinstance(body, bytes) else orjson.dumps({"project": "acme/widgets", **body})
    usual = {"X_Aicx_Action": "decide", "Content_Type": "application/json"}
    return request(address, "POST", "/api/memory/decide", sent, **{**usual, **headers})


def refs(cards: list[dict[str, Any]]) -> list[str]:
    return [card["entry"]["ref"] for card in cards]


class TestPage:
    def test_every_record_is_in_the_section_that_its_status_says(self, read: Remembered, address: str) -> None:
        found = get(address, "/api/memory").fields
        assert (found["repository"], found["at_hand"]) == ("acme/widgets", True)
        assert found["repositories"] == [{"name": "acme/widgets", "records": 7}]
        assert refs(found["agreed"]) == [read.refs["agreed"]]
        assert refs(found["waiting"]) == [read.refs["waiting"], read.refs["hostile"]]
        assert [set(refs(pair)) for pair in found["conflicts"]] == [{read.refs["ninja"], read.refs["make"]}]
        assert refs(found["stale"]) == [read.refs["stale"]]
        assert refs(found["apart"]) == [read.refs["apart"]]

    def test_a_candidate_has_its_evidence_open_and_what_is_kept_apart_no_text(self, address: str) -> None:
        found = get(address, "/api/memory").fields
        lines, chunk = found["waiting"][0]["proofs"]
        assert (lines["ref"], lines["lines"][3].split()) == ("retry.py#L1-L4", ["4", "def", "retry(call):"])
        assert any("written by a worker" in line for line in chunk["lines"])
        assert not [line for line in chunk["lines"] if line.startswith(("#", "`"))]  # as it is kept, not as it was said
        assert found["apart"][0]["entry"]["statement"] is None
        assert "forty" not in str(found)

    def test_the_lines_that_changed_are_named_as_they_were_and_are(self, address: str) -> None:
        (change,) = get(address, "/api/memory").fields["stale"][0]["changes"]
        assert (change["path"], change["lines"], change["state"], change["known"]) == (
            "retry.py",
            [4, 6],
            "changed",
            True,
        )
        assert [(line["sign"], line["number"], line["text"].strip()) for line in change["diff"]] == [
            ("-", 5, "for attempt in range(5):"),
            ("+", 5, "for attempt in range(9):"),
        ]

    def test_a_repository_that_is_not_here_is_told(self, address: str) -> None:
        found = get(address, "/api/memory", project="acme/elsewhere").fields
        assert (found["at_hand"], found["counts"]) == (False, {})
        assert "not at hand" in found["notes"][0]

    def test_it_needs_the_token(self, address: str) -> None:
        assert request(address, "GET", "/api/memory", Authorization=None).status == 401


class TestDecisions:
    def test_a_candidate_is_accepted_by_name_and_that_is_an_event(self, own: tuple[Remembered, str]) -> None:
        memory, address = own
        ref = memory.refs["waiting"]
        asked = {"action": "accept", "ref": ref, "rev": 1, "by": "Ada Lovelace", "why": "read it"}
        assert decide(address, asked).fields["entry"]["status"] == "accepted"
        event = memory("history", ref)["events"][-1]
        assert (event["type"], event["by"]) == ("memory.accepted", "Ada Lovelace")

    def test_every_decision_of_the_page_does_what_it_says(self, own: tuple[Remembered, str]) -> None:
        memory, address = own
        agreed, stale, hostile = (memory.entry(name) for name in ("agreed", "stale", "hostile"))

        def done(action: str, entry: dict[str, Any], **more: str) -> dict[str, Any]:
            reply = decide(address, {"action": action, "ref": entry["ref"], "rev": entry["rev"], "by": "Ada", **more})
            assert reply.status == 200, reply.fields
            return dict(reply.fields["entry"])

        pinned = done("pin", agreed)
        assert pinned["pinned"]
        assert not done("unpin", pinned)["pinned"]
        assert done("validate", stale)["status"] == "accepted"
        assert done("reject", hostile)["status"] == "archived"
        assert done("supersede", memory.entry("ninja"), other=memory.refs["make"])["ref"] == memory.refs["make"]
        assert memory.entry("ninja")["status"] == "superseded"

    @pytest.mark.parametrize(
        ("asked", "headers", "status"),
        [
            ({}, {"X_Aicx_Action": None}, 400),
            ({}, {"X_Aicx_Action": "regenerate"}, 400),
            ({}, {"Authorization": None}, 401),
            ({}, {"Origin": "https://example.org"}, 403),
            ({"by": "claude"}, {}, 400),
            ({"by": "  "}, {}, 400),
            ({"by": ""}, {}, 400),
            ({"action": "release"}, {}, 400),
            ({"ref": "mem:000000000000"}, {}, 404),
            ({"ref": "../x"}, {}, 400),
            ({"rev": 2}, {}, 409),
            ({"action": "supersede"}, {}, 400),
            ({"surprise": 1}, {}, 400),
        ],
    )
    def test_what_is_not_a_persons_decision_on_what_was_shown_is_refused_and_changes_nothing(
        self, read: Remembered, address: str, asked: dict[str, Any], headers: dict[str, str | None], status: int
    ) -> None:
        usual = {"action": "accept", "ref": read.refs["waiting"], "rev": 1, "by": "Ada"}
        before = read("history", read.refs["waiting"])
        assert decide(address, {**usual, **asked}, **headers).status == status
        assert read("history", read.refs["waiting"]) == before

    def test_what_is_no_decision_at_all_is_refused(self, address: str) -> None:
        for body in (b"", b"[]", b"{", b'"accept"', b"\xff"):
            assert decide(address, body).status == 400

    def test_a_get_decides_nothing(self, read: Remembered, address: str) -> None:
        assert get(address, "/api/memory/decide", ref=read.refs["waiting"]).status == 405

    def test_what_changed_since_it_was_shown_is_refused_with_what_changed(self, own: tuple[Remembered, str]) -> None:
        memory, address = own
        ref = memory.refs["waiting"]
        memory("edit", ref, "--topic", "workers")
        reply = decide(address, {"action": "accept", "ref": ref, "rev": 1, "by": "Ada"})
        assert (reply.status, "changed meanwhile" in reply.fields["error"]) == (409, True)

    def test_what_was_edited_by_hand_is_shown_and_can_be_accepted_as_shown(self, own: tuple[Remembered, str]) -> None:
        memory, address = own
        ref = memory.refs["agreed"]
        (file,) = Path(memory.environ["AICX_HOME"]).glob(f"memory/*/*/*{ref[4:]}.md")

        def shown() -> dict[str, Any]:
            card = next(one for one in get(address, "/api/memory").fields["waiting"] if one["entry"]["ref"] == ref)
            return {"action": "accept", "ref": ref, "rev": card["entry"]["rev"], "digest": card["digest"], "by": "Ada"}

        file.write_text("Exports need two checks\n")
        before = shown()
        file.write_text("Exports need three checks\n")
        assert decide(address, before).status == 409
        reply = decide(address, shown())
        assert (reply.status, reply.fields["entry"]["baseline"]) == (200, True)
        assert reply.fields["entry"]["statement"] == "Exports need three checks"
        assert [one["type"] for one in memory("history", ref)["events"][-2:]] == ["memory.edited", "memory.accepted"]


def test_a_malformed_policy_shows_nothing(own: tuple[Remembered, str]) -> None:
    memory, address = own
    (memory.repo / ".aicx").mkdir()
    (memory.repo / ".aicx" / "memory-policy.toml").write_text("exclude = [")
    reply = get(address, "/api/memory", project="acme/widgets")
    assert reply.status >= 400
    assert "Exports" not in str(reply.fields)


def test_what_the_policy_excludes_is_named_without_its_text(own: tuple[Remembered, str]) -> None:
    memory, address = own
    (memory.repo / ".aicx").mkdir()
    (memory.repo / ".aicx" / "memory-policy.toml").write_text('exclude_patterns = ["written by a worker"]')
    found = get(address, "/api/memory").fields
    assert "written by a worker" not in str(found)
    assert memory.refs["waiting"] in refs(found["apart"])
