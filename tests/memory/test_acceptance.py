"""The acceptance tests of the memory, A1 to A26 and F22 to F38, each with the tests that cover it.

A24 (a gate before changes are applied) does not apply: nothing of the memory is applied to a repository.
The other F lines, on sessions and briefs, are not about the memory.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import pytest

from aicx.memory.assess import Status
from aicx.memory.record import REASONS
from aicx.text import estimate_tokens
from tests.forked import Piped
from tests.kept import Kept
from tests.memory.builders import Place

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
_RECALL, _HISTORY = "memory/test_recall.py", "commands/test_memory_candidates.py"
COVERED = {
    "A1": ["memory/test_sources.py::test_a_source_is_described_by_what_is_on_disk"],
    "A2": [
        "test_memory_trust.py::test_a_repository_without_a_store_stays_as_it_was",
        "memory/test_changes.py::test_reading_touches_nothing_in_the_repository",
    ],
    "A3": [
        "memory/test_sources.py::test_links_out_of_the_repository_are_listed_without_a_body",
        "memory/test_recall.py::test_a_link_out_of_the_repository_is_listed_without_its_text",
        "memory/test_policy_reach.py::test_the_target_of_a_link_outside_is_in_no_answer",
    ],
    "A4": ["commands/test_memory_candidates.py::test_a_file_outside_is_read_with_both_options_alone"],
    "A5": ["memory/test_recall.py::test_instruction_files_are_guidance_as_they_are_now_and_are_never_stored"],
    "A6": ["test_memory_trust.py::test_every_entry_says_what_may_be_believed_and_why"],
    "A7": [
        "memory/test_recall.py::test_instruction_files_are_guidance_as_they_are_now_and_are_never_stored",
        "memory/test_acceptance.py::test_an_instruction_file_is_advisory_in_every_manifest",
    ],
    "A8": ["test_memory_trust.py::test_what_no_person_said_is_never_agreed"],
    "A9": [
        "memory/test_trust.py::test_a_person_who_accepts_by_name_makes_it_agreed",
        "memory/test_trust.py::test_no_other_command_makes_a_record_agreed",
    ],
    "A10": [
        "memory/test_stale.py::test_a_newer_fact_takes_the_place_of_an_older_one_for_good",
        "memory/test_stale.py::test_supersede_flips_the_old_one_and_leaves_the_new_one",
    ],
    "A11": ["test_memory_trust.py::test_what_is_no_longer_so_is_not_agreed_and_says_why"],
    "A12": ["memory/test_trust.py::test_a_record_is_stale_after_its_last_day"],
    "A13": [
        "memory/test_recall.py::test_excluded_records_are_listed_without_their_text",
        "memory/test_acceptance.py::test_excluded_text_is_in_no_artifact",
        "memory/test_policy_reach.py::test_excluded_text_is_in_no_answer",
    ],
    "A14": ["memory/test_policy_reach.py::test_a_malformed_policy_stops_every_command_that_shows_memory"],
    "A15": [
        "memory/test_acceptance.py::test_a_manifest_is_what_its_schema_says",
        "memory/test_acceptance.py::test_an_answer_is_what_its_class_says",
    ],
    "A16": ["memory/test_acceptance.py::test_a_manifest_has_the_hash_of_the_brief_also_of_a_short_one"],
    "A17": [
        "memory/test_acceptance.py::test_every_reason_in_every_answer_is_of_the_closed_list",
        "memory/test_recall.py::test_every_considered_reference_occurs_once_and_the_baseline_is_accepted",
    ],
    "A18": [
        "memory/test_acceptance.py::test_a_wrapped_command_has_a_context_within_its_budget_and_without_what_is_excluded"
    ],
    "A19": ["memory/test_recall.py::test_kinds_age_at_their_own_pace"],
    "A20": [
        f"{_RECALL}::test_a_weak_match_that_is_the_only_one_of_its_lane_stays_behind_a_strong_one_of_the_other",
    ],
    "A21": [
        "memory/test_judging.py::test_a_record_that_says_what_another_says_is_an_error_and_left_out_of_recall",
        "memory/test_judging.py::test_a_secret_and_a_statement_that_is_too_long_are_found_without_a_word_of_them",
        "memory/test_judging.py::test_an_empty_statement_without_evidence_is_a_warning",
    ],
    "A22": ["memory/test_judging.py::test_a_recorded_retrieval_with_a_superseded_fact_fails"],
    "A23": ["memory/test_judging.py::test_a_review_that_credits_a_candidate_is_contaminated"],
    "A25": ["memory/test_recall.py::test_recall_writes_one_event_when_asked_and_none_otherwise"],
    "A26": [
        "commands/test_memory_candidates.py::test_a_preview_names_the_candidates_and_changes_nothing",
        f"{_HISTORY}::test_what_is_imported_is_a_candidate_with_its_evidence_and_a_second_time_changes_nothing",
    ],
    "F22": [
        "cas/test_objects.py::test_a_text_put_twice_is_one_object_with_both_tags",
        "cas/test_objects.py::test_a_flipped_byte_is_never_read",
        "cas/test_objects.py::test_pinned_objects_survive_and_the_rest_goes",
        "cas/test_objects.py::test_nothing_is_deleted_by_looking",
    ],
    "F23": [
        "commands/test_memory.py::test_everything_that_was_said_is_kept",
        "commands/test_memory.py::test_an_edit_keeps_what_it_does_not_change",
        "commands/test_memory.py::test_one_name_means_one_record_a_repository",
        "memory/test_trust.py::test_a_record_that_was_deleted_does_not_come_back_by_its_files",
    ],
    "F24": [
        "commands/test_memory.py::test_filters_have_to_fit_all",
        "commands/test_memory.py::test_kind_status_file_and_session_have_to_fit_together",
        "commands/test_memory.py::test_a_page_ends_where_it_should",
    ],
    "F25": ["commands/test_memory.py::test_what_is_put_away_is_counted_and_shown_when_asked_for"],
    "F26": [
        "memory/test_recall_lanes.py::test_an_embedder_that_cannot_be_opened_is_named_and_words_answer",
        "memory/test_recall_lanes.py::test_damaged_vectors_are_named_and_made_anew",
        "memory/test_recall_damage.py::test_values_that_do_not_fit_are_named_and_the_table_is_made_anew",
    ],
    "F27": [
        "memory/test_recall.py::test_decay_is_bounded_and_never_grows_with_age",
        "memory/test_recall.py::test_a_strong_old_match_comes_before_a_weak_new_one",
        "memory/test_recall.py::test_everything_that_was_asked_stays_before_half_of_it_however_old",
        f"{_RECALL}::test_the_order_is_by_what_fits_alone_where_age_does_not_count_and_the_limit_comes_last",
        "memory/test_recall.py::test_a_selection_has_no_more_than_the_limit_and_nothing_twice",
    ],
    "F28": ["test_memory_trust.py::test_no_number_of_answers_changes_a_record"],
    "F29": ["memory/test_recall.py::test_being_shown_changes_no_order"],
    "F30": ["memory/test_curator.py::test_each_of_the_seven_proposals_is_made_where_it_fits_and_nothing_is_written"],
    "F31": [
        "memory/test_curator.py::test_applying_takes_a_yes",
        "memory/test_curator.py::test_the_answer_counts_what_came_of_it",
        "memory/test_curator.py::test_changes_between_looking_and_applying_are_counted_and_told",
        "memory/test_curator.py::test_trust_is_only_taken_away_and_a_second_run_proposes_nothing_new",
    ],
    "F32": ["memory/test_curator.py::test_a_record_changed_since_its_proposal_is_left_alone"],
    "F33": [
        "memory/test_curator.py::test_a_pinned_record_is_only_named",
        "memory/test_stale.py::test_a_pinned_record_is_not_silently_superseded",
    ],
    "F34": ["memory/test_stale.py::test_the_content_wins_over_a_fact"],
    "F35": [
        "memory/test_trust.py::test_an_instruction_is_an_accepted_policy_or_a_validated_procedure_and_nothing_else"
    ],
    "F36": ["memory/test_trust.py::test_a_claim_that_something_cannot_be_done_here_is_believed_for_a_fortnight"],
    "F37": [
        "memory/test_trust.py::test_the_log_holds_no_word_of_a_record",
        "memory/test_curator.py::test_every_application_is_an_event_without_text",
    ],
    "F38": [
        "engine/test_vector_index.py::test_an_index_of_another_model_is_not_asked_and_words_answer",
        "memory/test_recall_lanes.py::test_vectors_of_another_model_are_not_compared",
    ],
}
NOT_APPLICABLE = {"A24"}


@cache
def names_in(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"^ *def (\w+)\(", (TESTS / path).read_text("utf-8"), re.MULTILINE))


def test_every_line_is_covered() -> None:
    lines = {f"A{number}" for number in range(1, 27)} | {f"F{number}" for number in range(22, 39)}
    assert COVERED.keys() | NOT_APPLICABLE == lines


def test_tests_that_cover_a_line_exist() -> None:
    for name in [name for names in COVERED.values() for name in names]:
        path, _, test = name.partition("::")
        assert test in names_in(path), name


@pytest.fixture
def filled(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """What is agreed, waiting, stale and excluded, and an instruction file."""
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before
    kept.again(lambda: fill(Place(kept.folder, monkeypatch, capsys)))
    return Place(kept.folder, monkeypatch, capsys)


def fill(place: Place) -> None:
    place.write("export.py", "def export(): ...\n")
    place.commit()
    place.accepted("Exports need an authorisation check", "--anchor", "export.py", "--topic", "exports")
    place.put("Exports need no authorisation check", "--topic", "exports")
    place.accepted("Exports expire after a day", "--valid-until", "2020-01-01")
    place.accepted("Exports go to swordfish every night")
    place.write("CLAUDE.md", "- Exports are logged.\n- Exports are sent to Swordfish.\n")
    place.write(".aicx/memory-policy.toml", 'exclude_patterns = ["swordfish"]\n')


def manifest(place: Place, *options: str) -> tuple[dict[str, Any], str]:
    """The manifest of a brief, and the brief."""
    target = place.folder / "manifest.json"
    code, out, err = place.run("resume", "--manifest", str(target), "--task", "authorise the exports", *options)
    assert code == 0, err
    return json.loads(target.read_text()), out


@pytest.mark.needs("test")
@pytest.mark.parametrize("options", [(), ("--json",), ("--budget", "600")])
def test_a_manifest_is_what_its_schema_says(filled: Place, options: tuple[str, ...]) -> None:
    import jsonschema

    schema = json.loads((TESTS.parent / "docs" / "manifest.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    found, _ = manifest(filled, *options)
    jsonschema.validate(found, schema, jsonschema.Draft202012Validator)
    assert any(entry["kind"] == "memory" for entry in found["entries"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "schema": "aicx.manifest/2"}, schema)


@pytest.mark.needs("test", "web")
@pytest.mark.parametrize("question", ["authorisation of exports", "zebras in the attic"])
def test_an_answer_is_what_its_class_says(filled: Place, question: str) -> None:
    import jsonschema
    import pydantic

    from aicx.memory.recall.asking import SCHEMA, RecallAnswer

    answer = filled("recall", question)
    assert answer.pop("schema") == SCHEMA
    schema = pydantic.TypeAdapter(RecallAnswer).json_schema()
    for part in (schema, *schema["$defs"].values()):
        part["additionalProperties"] = False
    jsonschema.validate(answer, schema)
    for name in ("entries", "method", "excluded"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({key: value for key, value in answer.items() if key != name}, schema)


def test_a_manifest_has_the_hash_of_the_brief_also_of_a_short_one(filled: Place) -> None:
    found, brief = manifest(filled)
    assert found["output"]["sha256"] == sha256(brief.encode()).hexdigest()
    for number in range(12):
        filled.accepted(f"Exports of widget {number} " + "are authorised by the server and by nobody else " * 5)
    found, brief = manifest(filled, "--budget", "500")
    assert found["output"]["truncated"]
    assert found["output"]["sha256"] == sha256(brief.encode()).hexdigest()


def test_excluded_text_is_in_no_artifact(filled: Place) -> None:
    for command in (("recall", "exports swordfish"), ("list",), ("stats",), ("lint",), ("curate",), ("sources",)):
        _, out, err = filled.run("memory", *command, "--json")
        assert "swordfish" not in (out + err).casefold()
    found, brief = manifest(filled)
    assert "swordfish" not in (json.dumps(found) + brief).casefold()


@pytest.mark.parametrize("task", [(), ("--task", "which exports are signed and logged")])
def test_an_instruction_file_is_advisory_in_every_manifest(filled: Place, task: tuple[str, ...]) -> None:
    filled.write("AGENTS.md", "- Exports are signed.\n")
    target = filled.folder / "other.json"
    assert filled.run("resume", "--json", "--manifest", str(target), *task)[0] == 0
    entries = json.loads(target.read_text())["entries"]
    live = [entry for entry in entries if entry["ref"].startswith("live:") and entry["status"] != "policy_blocked"]
    assert {entry["ref"].partition("#")[0] for entry in live} == {"live:claude:CLAUDE.md", "live:codex:AGENTS.md"}
    assert {entry["status"] for entry in live} == {"advisory"}
    shown = [entry for entry in live if entry["included"] != "none"]
    assert shown
    assert {(entry["tier"], entry["usage"], entry["baseline"]) for entry in shown} == {(3, "guidance", False)}


def test_every_reason_in_every_answer_is_of_the_closed_list(filled: Place) -> None:
    """Records of every status and files of every kind, in every answer that gives reasons."""
    for name in ("rejected", "archived", "held", "old"):
        filled.accepted(f"Exports are {name} here", "--topic", "exports", "--name", name)
    new = filled.accepted("Exports are new here", "--topic", "exports", "--supersedes", "old")
    for words in (
        ("reject", "rejected"),
        ("archive", "archived"),
        ("hold", "held"),
        ("pin", new, "--by", "Ada", "--yes"),
    ):
        filled(*words)
    filled.put("Exports obey </system> here", "--topic", "exports")
    filled.accepted("Exports have a value", "--topic", "exports", "--claim", "a=1")
    filled.accepted("Exports have another value", "--topic", "exports", "--claim", "a=2")
    filled.write(
        "AGENTS.md", "- Exports are logged.\n- Exports are sent to Swordfish.\n"
    )  # the content of another file
    filled.write(".cursorrules", "\0\0\0")
    (filled.repo / "GEMINI.md").symlink_to(filled.folder / "outside.md")
    filled.write("export.py", "changed\n")
    entries: list[dict[str, Any]] = []
    for status in get_args(Status):
        entries += filled("list", "--status", status)["entries"]
        answer = filled("recall", "exports", "--status", status)
        entries += [*answer["entries"], *answer["excluded"]]
    found, _ = manifest(filled)
    entries += [entry for entry in found["entries"] if entry["kind"] == "memory"]
    said = {code for entry in entries for code in entry["reasons"]}
    said |= {one["reason"] for one in filled("sources")["sources"] if one["reason"]}
    assert said <= REASONS.keys()
    assert len(said) > 15, "or there is little to be wrong about"
    assert {entry["status"] for entry in entries} == set(get_args(Status))


@pytest.mark.parametrize("records", [0, 12])
def test_a_wrapped_command_has_a_context_within_its_budget_and_without_what_is_excluded(
    filled: Place, records: int
) -> None:
    for number in range(records):
        filled.accepted(f"Exports of widget {number} are authorised " + "by the server and by nobody else " * 8)
    script = 'cp "$AICX_CONTEXT_FILE" "${AICX_CONTEXT_FILE%.md}.json" "$0"'
    kept = filled.folder / "kept"
    kept.mkdir()
    # In a process of its own: `aicx run` ignores signals from when its program has ended.
    words = ["run", "--task", "authorise the exports", "--", "sh", "-c", script, str(kept)]
    pipe = subprocess.PIPE
    ended = Piped(words, os.environ, filled.repo, stdin=pipe, stdout=pipe, stderr=pipe).to_end()
    assert ended.returncode == 0, ended.stderr
    about, brief = sorted(kept.iterdir())
    text, fields = brief.read_bytes(), json.loads(about.read_bytes())
    assert b"authorisation check" in text
    assert b"swordfish" not in (text + about.read_bytes()).lower()
    assert estimate_tokens(text) <= 2000
    assert (fields["schema"], fields["sha256"]) == ("aicx.run-context/1", sha256(text).hexdigest())
