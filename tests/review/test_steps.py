"""Steps and what protects them: the log, the seal, proposals that a hand changed, and the page Memory."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from aicx.memory.events import Event, appended
from tests.review.builders import FACT, LIMIT, RULE, Review

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def forge(place: Review, kind: str, ref: str) -> None:
    """A line that somebody writes into the log, with a fitting checksum."""
    digest = next(json.loads(line)["digest"] for line in place.log.read_bytes().splitlines())
    event = Event("forged", NOW, "Ada", kind, (ref.removeprefix("mem:"),), digest)
    place.log.write_bytes(appended(place.log.read_bytes(), [event]))


class TestEvents:
    def test_a_forged_adoption_counts_for_nothing(self, place: Review) -> None:
        (item,) = place.review("build", "--session", place.subagent(FACT))["items"]
        forge(place, "review.adopted", item["ref"])
        assert place.state(item["ref"]) == "blocked"
        assert item["ref"] in place.doctor()["memory_events"]["detail"]

    @pytest.mark.parametrize("kind", ["review.approved", "review.proposed", "review.applied"])
    def test_a_forged_step_counts_for_nothing(self, place: Review, kind: str) -> None:
        ref = place.put(FACT)
        forge(place, kind, ref)
        assert place.state(ref) == "pending"
        assert ref in place.doctor()["memory_events"]["detail"]

    def test_the_log_has_no_text(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        place.apply(patch["patch"])
        place.review("verify-apply", ref)
        assert not any(word in place.log.read_text() for word in ("push", "release", "CLAUDE"))

    def test_a_decision_about_another_revision_is_refused(self, place: Review) -> None:
        ref = place.put(FACT)
        place("edit", ref, "--topic", "export")
        assert "changed meanwhile" in place.error("approve", ref, "--by", "Ada", "--rev", "1")[0]

    def test_promoting_asks_for_a_person(self, place: Review) -> None:
        ref = place.approved(FACT)
        assert "confirm" in place.error("promote", ref, "--by", "Ada")[0]
        assert place.state(ref) == "approved"

    def test_a_text_edited_by_hand_is_reviewed_again(self, place: Review) -> None:
        ref = place.approved(FACT)
        markdown, _ = place.files(ref)
        markdown.write_text("`exporter` does not support anything.\n")
        assert place.state(ref) == "pending"
        assert "aicx memory candidates approve" in place.error("promote", ref, "--by", "Ada", "--yes")[1]

    def test_a_stale_record_names_the_next_step(self, place: Review) -> None:
        place.write("export.py", "LIMIT = 2\n")
        ref = place.approved(FACT, "--anchor", "export.py#L1")
        place.write("export.py", "LIMIT = 4\n")
        assert place.state(ref) == "stale"
        assert "aicx memory decide validate" in place.error("promote", ref, "--by", "Ada", "--yes")[1]


class TestProposals:
    @pytest.mark.parametrize("how", ["edited", "emptied", "a folder"])
    def test_a_proposal_that_a_hand_changed_is_reported_and_never_written_over(self, place: Review, how: str) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        path = place.artifact(ref)
        body = path.read_bytes()
        if how == "a folder":
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(body.replace(b"release", b"beta") if how == "edited" else b"")
        for words in (("apply-prep", ref), ("verify-apply", ref), ("promote", ref, "--by", "Ada", "--yes")):
            message, hint = place.error(*words)
            assert str(path) in message
            assert "move it away" in hint
        assert str(path) in place.review("candidates")["notes"][0]
        assert path.is_dir() if how == "a folder" else path.read_bytes() != body
        path.rmdir() if how == "a folder" else path.unlink()
        again = place.review("promote", ref, "--by", "Ada", "--yes")["proposal"]
        assert again["patch"] == patch["patch"]

    def test_a_file_that_no_promotion_wrote_is_left_as_it_is(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref = place.approved(RULE)
        markdown, _ = place.files(ref)
        path = markdown.parent.parent / "proposals" / f"{ref.removeprefix('mem:')}.json"
        path.parent.mkdir()
        path.write_text("mine")
        assert "another hand" in place.error("promote", ref, "--by", "Ada", "--yes")[0]
        assert path.read_text() == "mine"

    def test_promoting_twice_is_one_proposal(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        before = place.canonical()
        assert place.review("promote", ref, "--by", "Ada", "--yes")["proposal"] == patch
        assert place.canonical() == before

    def test_another_file_may_be_chosen_while_it_waits(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, _ = place.proposed(RULE)
        again = place.review("promote", ref, "--by", "Ada", "--yes", "--target", "AGENTS.md")["proposal"]
        assert (again["target"], again["operation"]) == ("AGENTS.md", "create")
        place.apply(again["patch"])
        assert place.review("verify-apply", ref)["applied"] is True

    def test_a_rejected_instruction_no_longer_waits(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        place.review("reject", ref)
        place.apply(patch["patch"])
        assert "rejected" in place.error("verify-apply", ref)[0]

    def test_an_applied_patch_stays_applied_when_archived(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        place.apply(patch["patch"])
        place.review("verify-apply", ref)
        place("archive", ref)
        assert place.state(ref) == "manual-applied"

    def test_a_fact_is_not_put_into_a_file(self, place: Review) -> None:
        ref = place.approved(FACT)
        assert "goes into the memory" in place.error("apply-prep", ref)[0]
        assert "goes into the memory" in place.error("promote", ref, "--by", "Ada", "--yes", "--target", "CLAUDE.md")[0]
        assert place.state(ref) == "approved"


class TestForgetting:
    def test_a_proposal_goes_with_its_record(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, _ = place.proposed(RULE)
        path = place.artifact(ref)
        place("delete", ref, "--yes")
        assert not path.exists()

    def test_forgetting_a_text_of_the_file_takes_the_proposal_that_shows_it(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules of the titan project\n")
        ref, _ = place.proposed(RULE)
        done = json.loads(place.run("forget", "--pattern", "titan", "--yes", "--json")[1])
        assert (done["review_removed"], done["memory_removed"]) == (1, 0)
        assert not any(b"titan" in path.read_bytes() for path in place.home.rglob("*") if path.is_file())
        assert "aicx memory candidates promote" in place.error("apply-prep", ref)[1]
        assert place.doctor()["review"]["severity"] == "warning"

    def test_doctor_names_a_proposal_that_a_hand_changed(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, _ = place.proposed(RULE)
        assert place.doctor()["review"]["severity"] == "green"
        place.artifact(ref).write_text("mine")
        check = place.doctor()["review"]
        assert check["severity"] == "warning"
        assert "another hand" in check["detail"]


class TestSurfaces:
    def surfaces(self, place: Review, ref: str) -> dict[str, tuple[str | None, str]]:
        shown = place.review("show", ref)["querySurfacing"]
        assert all(one["shown"] == (one["shown_as"] is not None) for one in shown)
        return {one["surface"]: (one["shown_as"], one["reasons"][0]) for one in shown}

    def test_it_follows_a_record_through_its_review(self, place: Review) -> None:
        ref = place.approved(FACT)
        assert self.surfaces(place, ref) == {
            "recall": ("candidate", "candidate_not_adopted"),
            "resume": (None, "candidate_not_adopted"),
            "startup": ("reference", "candidate_not_adopted"),
            "instructions": (None, "not_matched"),
        }
        place.review("promote", ref, "--by", "Ada", "--yes")
        found = self.surfaces(place, ref)
        assert [found[name] for name in ("recall", "resume", "startup")] == [("agreed", "adopted")] * 3
        place("archive", ref)
        assert {shown for shown, _ in self.surfaces(place, ref).values()} == {None}

    def test_an_applied_instruction_is_read_from_its_file(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        place.apply(patch["patch"])
        shown, reason = self.surfaces(place, ref)["instructions"]
        assert (shown, reason) == ("live:claude:CLAUDE.md#L4", "advisory_source")

    def test_the_text_of_what_is_kept_apart_is_not_shown(self, place: Review) -> None:
        ref = place.put(FACT)
        place("hold", ref)
        shown = place.review("show", ref)
        assert (shown["candidate"]["state"], shown["querySurfacing"]) == ("blocked", [])
        assert "2 GB" not in str(shown)
        assert "aicx memory decide release" in place.error("adopt", ref, "--by", "Ada")[1]


class TestPage:
    """The page Memory and the review decide about one queue."""

    def waiting(self, place: Review) -> dict[str, tuple[str, str]]:
        from aicx.servers.dashboard import requests
        from aicx.servers.dashboard.memory import read_page

        page = read_page(place.settings, requests.MemoryRequest(project="acme/widgets"), datetime.now(UTC))
        return {card.entry.ref: (card.review, card.surface) for card in page.waiting}

    @pytest.mark.needs("web")
    def test_the_page_and_the_command_list_the_same(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        place.review("build", "--session", place.subagent(FACT))
        waits, _ = place.proposed(RULE)
        approved = place.approved(LIMIT)
        page, listed = self.waiting(place), place.review("candidates")["candidates"]
        assert page == {one["entry"]["ref"]: (one["state"], one["surface"]) for one in listed}
        assert page[waits] == ("manual-apply-pending", "instructions")
        assert page[approved] == ("approved", "memory")

    @pytest.mark.needs("web")
    def test_a_decision_here_leaves_the_page_and_the_other_way_round(self, place: Review) -> None:
        from aicx.servers.dashboard import requests
        from aicx.servers.dashboard.memory import decide_on_page

        promoted, accepted, rejected = place.approved(FACT), place.put(LIMIT), place.put("Readers need types")
        place.write("CLAUDE.md", "# Rules\n")
        applied, patch = place.proposed(RULE)
        place.apply(patch["patch"])
        place.review("verify-apply", applied)
        place.review("promote", promoted, "--by", "Ada", "--yes")
        for ref, action in ((accepted, "accept"), (rejected, "reject")):
            wanted = requests.DecisionRequest(action=action, ref=ref, by="Ada", project="acme/widgets", rev=1)
            decide_on_page(place.settings, wanted, datetime.now(UTC))
        assert self.waiting(place) == {}
        assert place.review("candidates")["total"] == 0
        states = place.states()
        assert [states[ref][0] for ref in (promoted, accepted, rejected, applied)] == [
            "promoted",
            "promoted",
            "rejected",
            "manual-applied",
        ]
