"""The acceptance tests C26 to C30 of the review lane, each with the name of its row."""

from __future__ import annotations

import pytest

from tests.review.builders import FACT, LIMIT, NOTE, RULE, Review

pytestmark = pytest.mark.slow


class TestNothingCanonicalChanges:
    """C26: building, looking and listing leave everything that is agreed or written by people as it was."""

    @pytest.mark.parametrize(
        "look",
        [
            ("candidates",),
            ("candidates", "--state", "manual-apply-pending"),
            ("show", "{fact}"),
            ("show", "{rule}"),
            ("apply-prep", "{rule}"),
            ("apply-prep", "{other}", "--target", "GEMINI.md"),
        ],
    )
    def test_looking_writes_nothing(self, place: Review, look: tuple[str, ...]) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        place.note("- Decision: Exports are Parquet files, because readers need types")
        refs = {
            "fact": place.accepted(FACT),
            "rule": place.proposed(RULE)[0],
            "other": place.put("Always run the tests"),
        }
        before = place.canonical(), place.tree()
        place.review(*(word.format(**refs) for word in look))
        assert (place.canonical(), place.tree()) == before

    def test_building_changes_no_record_note_or_file(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n")
        place.note("- Decision: Exports are Parquet files, because readers need types")
        place.accepted(FACT)
        place.put(LIMIT)
        before, tree = place.canonical(), place.tree()
        assert place.review("build")["items"]
        after = place.canonical()
        changed = {path.rpartition("/")[2] for path in before if after[path] != before[path]}
        assert changed == {"events.jsonl", "memory-seal"}
        assert place.tree() == tree


class TestSubagents:
    """C27: what a subagent said is blocked; adopt, approve and promote are one event each, by a person's name."""

    def test_a_subagents_candidate_needs_adoption_before_it_can_be_approved(self, place: Review) -> None:
        (item,) = place.review("build", "--session", place.subagent(FACT))["items"]
        ref = item["ref"]
        assert place.states()[ref] == ("blocked", "subagent", "subagent")
        message, hint = place.error("approve", ref, "--by", "Ada")
        assert "only a subagent said it" in message
        assert hint == f"aicx memory candidates adopt {ref} --by NAME"
        for step, state, event in (
            (("adopt", ref, "--by", "Ada"), "pending", "review.adopted"),
            (("approve", ref, "--by", "Ada"), "approved", "review.approved"),
            (("promote", ref, "--by", "Ada", "--yes"), "promoted", "memory.accepted"),
        ):
            before = place.events(ref)
            assert place.review(*step)["candidate"]["state"] == state
            assert place.events(ref) == [*before, event]
        assert place.baseline() == {ref}

    def test_a_subagents_candidate_is_not_promoted_unadopted(self, place: Review) -> None:
        (item,) = place.review("build", "--session", place.subagent(FACT))["items"]
        assert "aicx memory candidates adopt" in place.error("promote", item["ref"], "--by", "Ada", "--yes")[1]

    @pytest.mark.parametrize("step", ["adopt", "approve", "promote"])
    @pytest.mark.parametrize("name", ["claude", "gpt-5", "", "root"])
    def test_no_step_is_taken_without_a_persons_name(self, place: Review, step: str, name: str) -> None:
        (item,) = place.review("build", "--session", place.subagent(FACT))["items"]
        before = place.events(item["ref"])
        message, _ = place.error(step, item["ref"], "--by", name)
        assert "name of a person" in message
        assert place.events(item["ref"]) == before

    @pytest.mark.parametrize("step", ["approve", "reject", "promote", "adopt"])
    def test_a_terminal_candidate_is_not_reviewed_again(self, place: Review, step: str) -> None:
        promoted, rejected = place.approved(FACT), place.put(LIMIT)
        place.review("promote", promoted, "--by", "Ada", "--yes")
        place.review("reject", rejected, "--by", "Ada")
        applied, patch = place.proposed(RULE)
        place.apply(patch["patch"])
        place.review("verify-apply", applied)
        for ref, state, following in (
            (promoted, "promoted", "aicx memory reject"),
            (rejected, "rejected", "aicx memory accept"),
            (applied, "manual-applied", "edit that file"),
        ):
            before = place.events(ref)
            message, hint = place.error(step, ref, "--by", "Ada")
            assert f"{ref} is {state}" in message
            assert following in hint
            assert place.events(ref) == before


class TestQueue:
    """C28: building from any session leaves the state and the origin of what others proposed as they were."""

    def test_a_subagents_build_leaves_what_primary_sessions_proposed(self, place: Review) -> None:
        place.note("- Decision: Exports are Parquet files, because readers need types")
        place.review("build")
        primary = place.session(FACT)
        place.review("build", "--session", primary)
        before = place.states()
        assert {state for state, _, _ in before.values()} == {"pending"}
        subagent = place.subagent(FACT, LIMIT)
        built = place.review("build", "--session", subagent)
        after = place.states()
        assert {ref: after[ref] for ref in before} == before
        new = [item["ref"] for item in built["items"] if item["action"] == "new"]
        assert [after[ref] for ref in new] == [("blocked", "subagent", "subagent")]
        assert [item["action"] for item in built["items"] if item["ref"] in before] == ["seen"]

    def test_a_primary_build_leaves_what_a_subagent_proposed_blocked(self, place: Review) -> None:
        place.review("build", "--session", place.subagent(FACT))
        before = place.states()
        place.review("build", "--session", place.session(FACT))
        assert place.states() == before

    def test_decisions_outlive_every_further_build(self, place: Review) -> None:
        place.note("- Decision: Exports are Parquet files, because readers need types")
        approved = place.approved(FACT)
        rejected = place.put(LIMIT)
        place.review("reject", rejected)
        session = place.session(FACT, LIMIT)
        for _ in range(2):
            place.review("build")
            place.review("build", "--session", session)
        assert place.state(approved) == "approved"
        assert place.state(rejected) == "rejected"

    def test_a_second_build_makes_nothing_new(self, place: Review) -> None:
        place.note("- Decision: Exports are Parquet files, because readers need types")
        session = place.session(FACT)
        for words in (("build",), ("build", "--session", session)):
            place.review(*words)
            before = place.canonical()
            assert {item["action"] for item in place.review(*words)["items"]} == {"known"}
            assert place.canonical() == before

    def test_an_empty_note_makes_nothing_stale(self, place: Review) -> None:
        place.note("- Decision: Exports are Parquet files, because readers need types")
        place.review("build")
        before = place.states()
        place.note()
        assert place.review("build")["items"] == []
        assert place.states() == before


class TestInstructions:
    """C29: an instruction becomes a patch for a person; only its block in the file closes it."""

    def test_promoting_an_instruction_writes_a_proposal_alone(self, place: Review) -> None:
        place.write("CLAUDE.md", "# Rules\n\n- Be kind\n")
        tree = place.tree()
        ref, patch = place.proposed(RULE)
        assert place.tree() == tree
        assert place.baseline() == set()
        assert place.entry(ref)["status"] == "candidate"
        assert place.events(ref) == ["memory.proposed", "review.approved", "review.proposed"]
        assert (patch["target"], patch["operation"], patch["readiness"]) == ("CLAUDE.md", "append", "safe")
        assert place.artifact(ref).is_file()

    def test_only_the_block_closes_it(self, place: Review) -> None:
        file = place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        assert place.review("verify-apply", ref, code=1)["applied"] is False
        file.write_text(f"# Rules\n\n- {RULE}\n")  # the words without the markers
        assert place.review("verify-apply", ref, code=1)["applied"] is False
        file.write_text("# Rules\n")
        place.apply(patch["patch"])
        assert place.review("verify-apply", ref)["applied"] is True
        assert place.state(ref) == "manual-applied"
        assert place.events(ref)[-1] == "review.applied"
        assert place.baseline() == set()

    @pytest.mark.parametrize("change", ["other words", "no end", "twice", "other digest"])
    def test_a_block_that_is_not_the_proposed_one_closes_nothing(self, place: Review, change: str) -> None:
        file = place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        block = patch["block"]
        start, item, _ = block.splitlines()
        digest = start.partition("sha256:")[2].partition(" ")[0]
        changed = {
            "other words": block.replace(RULE, "push wherever you like"),
            "no end": f"{start}\n{item}\n",
            "twice": block + block,
            "other digest": block.replace(digest, "0" * len(digest)),
        }[change]
        file.write_text(f"# Rules\n\n{changed}")
        assert place.review("verify-apply", ref, code=1)["applied"] is False
        assert place.state(ref) == "manual-apply-pending"

    def test_a_target_that_was_edited_meanwhile_makes_it_stale_until_it_is_promoted_again(self, place: Review) -> None:
        file = place.write("CLAUDE.md", "# Rules\n")
        ref, _ = place.proposed(RULE)
        file.write_text("# Rules\n\n- Be kind\n")
        prepared = place.review("apply-prep", ref)
        assert prepared["proposal"]["readiness"] == "stale"
        assert prepared["proposal"]["reasons"] == ["target_changed"]
        assert "target_changed" in place.error("apply-prep", ref, "--patch")[0]
        again = place.review("promote", ref, "--by", "Ada", "--yes")["proposal"]
        assert again["readiness"] == "safe"
        place.apply(again["patch"])
        assert "- Be kind" in file.read_text()
        assert place.review("verify-apply", ref)["applied"] is True

    def test_a_person_may_put_the_block_into_a_file_that_they_edit_too(self, place: Review) -> None:
        file = place.write("CLAUDE.md", "# Rules\n")
        ref, patch = place.proposed(RULE)
        file.write_text(f"# Our rules\n\n{patch['block']}\n- Be kind\n")
        assert place.review("apply-prep", ref)["applied"] is True
        assert place.review("verify-apply", ref)["applied"] is True


class TestReferences:
    """C30: a record keeps its reference: the same words are no second one, an edit is a revision, archived is found."""

    def test_remembering_the_same_gives_the_same_reference(self, place: Review) -> None:
        ref = place.put(FACT)
        assert place.put(FACT) == ref
        place.review("build", "--session", place.session(FACT))
        assert list(place.states()) == [ref]

    def test_an_edit_is_a_revision_and_takes_the_approval_away(self, place: Review) -> None:
        ref = place.approved(FACT)
        place("edit", ref, "--statement", "`exporter` does not support files above 4 GB.")
        entry = place.entry(ref)
        assert (entry["ref"], entry["rev"]) == (ref, 2)
        assert place.state(ref) == "pending"
        assert place.events(ref)[-1] == "memory.edited"

    def test_an_archived_record_is_found_by_its_reference(self, place: Review) -> None:
        ref = place.approved(FACT)
        place("archive", ref)
        assert place.review("show", ref)["candidate"]["state"] == "stale"
        assert "aicx memory decide restore" in place.error("promote", ref, "--by", "Ada", "--yes")[1]
        place("restore", ref, "--by", "Ada")
        assert place.state(ref) == "approved"


def test_the_fixture_has_every_section_of_a_note() -> None:
    headings = ("Confirmed working", "Tried and failed", "Not yet tried", "Incomplete and next")
    assert all(f"## {heading}" in NOTE for heading in headings)
