"""Lint, eval and audit: what is wrong is found, named without text, and ends with exit code 1 where it has to."""

from __future__ import annotations

import json

import pytest

from aicx.memory.checks import audit

RULE = "Exports need an authorisation check in the handler"


def failing(place, *arguments: str, code: int = 1) -> dict:
    found, out, err = place.run("memory", *arguments, "--json")
    assert found == code, out + err
    return json.loads(out)


class TestLint:
    def test_a_memory_in_order_has_no_finding(self, place):
        place.accepted(RULE, "--evidence", "commit:abcdef1")
        assert place("lint")["findings"] == []

    def test_a_record_that_says_what_another_says_is_an_error_and_left_out_of_recall(self, place):
        known = place.accepted(RULE)
        again = place.put("Exports need an authorisation check, in the handler!", "--evidence", "commit:abcdef1")
        found = failing(place, "lint")
        assert found["findings"] == [
            {"ref": again, "code": "duplicate", "severity": "error", "other": known, "suppressed": "duplicate"}
        ]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Use tabs, not spaces, in Makefiles", "Use spaces, not tabs, in Makefiles"),
            ("Exports never need a check in the handler", "Exports need a check in the handler"),
            ("Run `make test` before every push", "Run `make lint` before every push"),
        ],
    )
    def test_the_opposite_is_not_the_same(self, place, one, other):
        place.put(one)
        place.put(other)
        assert "duplicate" not in place("lint")["counts"]

    def test_a_secret_and_a_statement_that_is_too_long_are_found_without_a_word_of_them(self, place):
        secret, long = place.put("The build needs a token"), place.put("The build is slow on Mondays")
        place.files(secret)[0].write_text("The key is AKIAZQ3DRSTUVWXY2345\n")
        place.files(long)[0].write_text("long " * 100 + "\n")
        code, out, _ = place.run("memory", "lint", "--json")
        found = {(one["ref"], one["code"], one["suppressed"]) for one in json.loads(out)["findings"]}
        assert code == 1
        assert (secret, "possible_secret", "quarantined_secret") in found
        assert (long, "too_long", "malformed") in found
        assert "AKIA" not in out

    def test_an_empty_statement_without_evidence_is_a_warning(self, place):
        ref = place.put("It works now")
        found = place("lint")
        assert {one["ref"] for one in found["findings"]} == {ref}
        assert found["counts"] == {"low_information": 1, "no_evidence": 1}

    def test_many_details_are_too_long(self, place):
        ref = place.accepted(RULE, *(word for n in range(7) for word in ("--detail", f"{n} " + "word " * 190)))
        assert [(one["ref"], one["code"]) for one in place("lint")["findings"]] == [(ref, "too_long")]


class TestEval:
    def test_without_a_recorded_retrieval_there_is_nothing_to_judge(self, place):
        assert place("eval")["retrievals"] == []

    def test_a_recorded_retrieval_with_a_superseded_fact_fails(self, place, tmp_path):
        old, new = place.accepted("Exports are free for everyone"), place.accepted(RULE)
        saved = tmp_path / "answer.json"
        saved.write_text(json.dumps({"entries": [place.entry(old)], "excluded": []}))
        assert place("eval", str(saved))["status"] == "pass"
        place("supersede", old, "--with", new, "--by", "Ada", "--yes")
        found = failing(place, "eval", str(saved))
        assert (found["status"], found["retrievals"][0]["points"]) == ("fail", 60)
        assert found["retrievals"][0]["issues"] == [{"ref": old, "code": "superseded", "points": 40, "fails": True}]

    def test_recorded_events_are_judged_by_what_may_be_believed_now(self, place):
        from datetime import UTC, datetime

        from aicx.memory.events import Event, new_id
        from aicx.memory.writing import changing

        ref = place.accepted(RULE)
        event = Event(new_id(), datetime.now(UTC), "aicx memory recall", "manifest.recorded", (ref[4:],), code="recall")
        with changing(place.settings, event.at, lambda line: None) as change:
            change.note(event)
            change.publish()
        assert place("eval")["retrievals"][0]["name"] == event.id
        place("archive", ref)
        assert failing(place, "eval")["retrievals"][0]["issues"][0]["code"] == "archived"
        assert place("eval", "--since", "2999-01-01")["retrievals"] == []

    def test_a_candidate_that_was_handed_out_as_agreed_fails_and_as_a_candidate_warns(self, place, tmp_path):
        ref = place.put(RULE)
        saved = tmp_path / "answer.json"
        saved.write_text(json.dumps({"entries": [place.entry(ref)]}))
        assert place("eval", str(saved))["status"] == "warn"
        saved.write_text(json.dumps({"entries": [{**place.entry(ref), "baseline": True}]}))
        assert failing(place, "eval", str(saved))["status"] == "fail"

    def test_a_deleted_record_fails_a_retrieval(self, place, tmp_path):
        ref = place.accepted(RULE)
        saved = tmp_path / "answer.json"
        saved.write_text(json.dumps({"entries": [place.entry(ref)]}))
        place("delete", ref, "--yes")
        assert failing(place, "eval", str(saved))["retrievals"][0]["issues"][0]["code"] == "missing"

    def test_another_json_is_refused(self, place, tmp_path):
        other = tmp_path / "other.json"
        for text in ("[]", "{}", "nothing", '{"entries": [1]}'):
            other.write_text(text)
            assert "no answer of recall" in place.refused("eval", str(other))


class TestAudit:
    def test_a_review_that_credits_a_candidate_is_contaminated(self, place, tmp_path):
        agreed, candidate = place.accepted(RULE), place.put("The queue holds 40 jobs at most")
        review = tmp_path / "review.md"
        review.write_text(f"The export is checked ({agreed}).\nThe queue is bounded, see {candidate}.\n")
        found = failing(place, "audit", str(review))
        assert (found["status"], found["contamination"], found["relied"]) == ("fail", 0.5, 2)
        assert found["untrusted"] == [
            {"file": str(review), "line": 2, "ref": candidate, "status": "candidate", "quoted": False}
        ]
        place("accept", candidate, "--by", "Ada", "--yes")
        assert place("audit", str(review))["contamination"] == 0

    def test_words_that_are_repeated_without_the_reference_count_too(self, place, tmp_path):
        ref = place.put("The queue holds 40 jobs at most")
        review = tmp_path / "review.md"
        review.write_text("As is known, the queue holds  40 jobs at most.\n")
        assert failing(place, "audit", str(review))["untrusted"][0] == {
            "file": str(review),
            "line": None,
            "ref": ref,
            "status": "candidate",
            "quoted": True,
        }

    def test_naming_a_record_with_its_status_relies_on_nothing(self, place, tmp_path):
        ref = place.put("The queue holds 40 jobs at most")
        text = tmp_path / "text.md"
        for line in (f"{ref}  candidate  fact", f"{ref} (candidate)", f"Candidate: {ref}"):
            text.write_text(line)
            assert (place("audit", str(text))["relied"], place("audit", str(text))["named"]) == (0, 1)
        text.write_text(f"{ref} is accepted by every candidate")
        assert failing(place, "audit", str(text))["contamination"] == 1

    def test_the_own_answers_are_not_contaminated_and_a_forged_one_is(self, place, tmp_path):
        ref = place.put("The queue holds 40 jobs at most")
        saved = tmp_path / "list.json"
        saved.write_text(json.dumps(place("list")))
        assert place("audit", str(saved))["relied"] == 0
        saved.write_text(json.dumps({"findings": [{"credits": [ref]}]}))
        assert failing(place, "audit", str(saved))["contamination"] == 1
        saved.write_text(json.dumps({"entries": [{"ref": ref, "status": "accepted"}]}))
        assert failing(place, "audit", str(saved))["contamination"] == 1

    def test_hidden_and_missing_records_are_counted(self, place, tmp_path):
        ref = place.put("The queue holds 40 jobs at most")
        place("hold", ref)
        text = tmp_path / "text.md"
        text.write_text(f"{ref} and mem:000011112222")
        found = failing(place, "audit", str(text))
        assert (found["blocked"], [one["status"] for one in found["untrusted"]]) == (1, ["quarantined", "missing"])

    def test_a_text_without_memory_relies_on_nothing(self):
        assert audit([("-", "nothing at all")], {}).relied == 0


class TestFindingsOfReviews:
    def test_a_finding_is_evidence_and_never_trust(self, place):
        ref = place.put("The login has no rate limit", "--kind", "eval_result", "--source", "review:42")
        entry = place.entry(ref)
        assert (entry["kind"], entry["status"], entry["baseline"]) == ("eval", "candidate", False)
        assert (entry["source"]["class"], entry["evidence"]) == ("eval", ["ext:review:42"])

    def test_a_finding_beside_what_is_agreed_leaves_it_agreed(self, place):
        ref = place.accepted("The login has a rate limit", "--kind", "policy")
        place.put("The login has no rate limit", "--kind", "eval_result", "--source", "review:42")
        assert place.baseline() == {ref}

    @pytest.mark.parametrize("source", ["review", "review:", "a b:c", "../x:1", "REVIEW:1"])
    def test_a_source_without_a_name_is_refused(self, place, source):
        assert "names no source" in place.refused("put", "It is slow", "--source", source)
