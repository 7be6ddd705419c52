"""Recall: what is shown, what is left out and why, and that nothing becomes trusted by being found."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx.fields import to_fields
from aicx.memory.reading import find_scope
from aicx.memory.recall.asking import Group, Ranked, RecallQuery, match, order, relevant, select
from aicx.memory.recall.run import Recaller
from aicx.memory.record import REASONS
from tests.memory.builders import Place

pytestmark = pytest.mark.slow

EXPORTS = "Exports need an authorisation check"


def _refs(answer: dict[str, Any]) -> list[str]:
    return [entry["ref"] for entry in answer["entries"]]


def _excluded(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["ref"]: one for one in answer["excluded"]}


def test_only_records_that_a_person_accepted_are_agreed(place: Place) -> None:
    agreed = place.accepted(EXPORTS, "--kind", "policy", "--topic", "exports")
    stated = place.put("Exports need no authorisation check at all", "--kind", "policy")
    answer = place("recall", "do exports need an authorisation check")
    assert answer["schema"] == "aicx.memory-recall/1"
    assert answer["baseline"] == [agreed]
    assert answer["repository"] == "acme/widgets"
    found = {entry["ref"]: entry for entry in answer["entries"]}
    assert (found[agreed]["status"], found[agreed]["usage"], found[agreed]["tier"]) == ("accepted", "instruction", 5)
    assert (found[stated]["status"], found[stated]["baseline"]) == ("candidate", False)
    assert found[stated]["reasons"][0] == "candidate_not_adopted"
    assert answer["method"]["sufficient"] is True


def test_entries_have_the_fields_that_were_promised(place: Place) -> None:
    place.accepted(EXPORTS)
    (entry,) = place("recall", "exports authorisation")["entries"]
    promised = {
        *("ref", "name", "kind", "topic", "statement", "status", "freshness", "tier", "usage", "baseline"),
        *("reasons", "source", "evidence", "score"),
    }
    assert promised <= entry.keys()
    assert entry["score"].keys() == {"lexical", "dense", "fused", "decay", "final"}
    assert {"class", "at"} <= entry["source"].keys()


def test_instruction_files_are_guidance_as_they_are_now_and_are_never_stored(place: Place) -> None:
    place.write("CLAUDE.md", "# Exports\n\n- Exports need an authorisation check.\n")
    before = place.tree()
    (entry,) = place("recall", "authorisation of exports")["entries"]
    assert (entry["status"], entry["usage"], entry["tier"]) == ("advisory", "guidance", 3)
    assert not entry["baseline"]
    assert entry["ref"] == "live:claude:CLAUDE.md#L3"
    assert entry["source"]["path"] == "CLAUDE.md"
    assert place.tree() == before
    place.write("CLAUDE.md", "# Exports\n\n- Exports are signed with the zebrafish key.\n")
    (entry,) = place("recall", "zebrafish exports")["entries"]
    assert "zebrafish" in entry["statement"]
    stored = b"".join(path.read_bytes() for path in place.home.rglob("*") if path.is_file())
    assert b"zebrafish" not in stored


def test_a_file_outside_is_read_only_when_it_is_named(place: Place) -> None:
    outside = place.folder / "notes.md"
    outside.write_text("- Exports are signed at noon.\n")
    assert place("recall", "exports signed noon", "--global")["entries"] == []
    (entry,) = place("recall", "exports signed noon", "--global", "--path", str(outside), "--source", "mine")["entries"]
    assert entry["ref"].startswith("live:mine:global:")
    assert "needs --global" in place.refused("recall", "exports", "--path", str(outside))


def test_stale_superseded_and_archived_records_are_left_out_with_their_reason(place: Place) -> None:
    place.write("retry.py", "LIMIT = 5\n")
    place.commit()
    stale = place.accepted("Retries are capped at five", "--topic", "retries", "--anchor", "retry.py#L1")
    old = place.accepted("Retries are logged by hand", "--topic", "retries")
    put_away = place.accepted("Retries are counted twice", "--topic", "retries")
    new = place.accepted("Retries are logged by the client", "--topic", "retries", "--supersedes", old)
    place("archive", put_away, "--by", "Ada")
    place.write("retry.py", "LIMIT = 9\n")
    answer = place("recall", "retries")
    assert answer["baseline"] == _refs(answer) == [new]
    left_out = _excluded(answer)
    assert left_out[stale]["status"] == "stale"
    assert left_out[stale]["reasons"][0] == "anchor_changed"
    assert left_out[stale]["because"][0]["anchor"].startswith("retry.py")
    assert left_out[old]["reasons"][0] == "superseded"
    assert left_out[put_away]["status"] == "archived"
    assert answer["suppressed"] == {"archived": 1, "stale": 1, "superseded": 1}
    shown = {entry["ref"]: entry for entry in place("recall", "retries", "--status", "stale")["entries"]}
    assert shown[stale]["status"] == "stale"
    assert not shown[stale]["baseline"]


def test_excluded_records_are_listed_without_their_text(place: Place) -> None:
    place.write(".aicx/memory-policy.toml", 'exclude_patterns = ["swordfish"]\nexclude_sources = ["live:codex:*"]\n')
    secret = place.accepted("Exports go to swordfish every night")
    place.write("CLAUDE.md", "- Exports go to Swordfish.\n- Exports are signed.\n")
    place.write("AGENTS.md", "- Exports are shiny.\n")
    code, out, err = place.run("memory", "recall", "exports swordfish", "--json")
    assert code == 0
    assert "swordfish" not in (out + err).lower()
    answer = json.loads(out)
    left_out = _excluded(answer)
    assert left_out[secret]["reasons"] == ["policy_pattern"]
    assert left_out["live:claude:CLAUDE.md#L1"]["status"] == "policy_blocked"
    assert left_out["live:codex:AGENTS.md"]["reasons"] == ["policy_source"]
    assert answer["suppressed"] == {"policy_blocked": 3}


def test_a_link_out_of_the_repository_is_listed_without_its_text(place: Place) -> None:
    (place.folder / "outside.md").write_text("- Exports are purple.\n")
    (place.repo / "CLAUDE.md").symlink_to(place.folder / "outside.md")
    code, out, _ = place.run("memory", "recall", "exports purple", "--json")
    assert code == 0
    assert "are purple" not in out
    assert _excluded(json.loads(out))["live:claude:CLAUDE.md"]["reasons"] == ["unsafe_symlink"]


def test_records_of_another_repository_are_not_asked(place: Place) -> None:
    other = place.folder / "other"
    other.mkdir()
    place.put("Gadgets are exported weekly", "--repo", str(other))
    everywhere = place.put("Gadgets are exported daily", "--global")
    answer = place("recall", "gadgets exported")
    assert _refs(answer) == [everywhere]
    assert answer["excluded"] == []
    assert len(place("recall", "gadgets exported", "--everywhere")["entries"]) == 2


def test_of_records_that_say_the_same_the_agreed_one_is_shown(place: Place) -> None:
    agreed = place.accepted(EXPORTS, "--kind", "policy")
    again = place.put("Exports need an authorisation check first", "--kind", "policy")
    answer = place("recall", "do exports need an authorisation check")
    assert _refs(answer) == [agreed]
    assert _excluded(answer)[again]["reasons"] == ["duplicate"]


def test_where_nothing_fits_nothing_is_filled_in(place: Place) -> None:
    for number in range(9):
        place.accepted(f"Exports of widget number {number} are signed")
    answer = place("recall", "does the zeppelin hangar export helium balloons")
    assert len(answer["entries"]) <= 3
    assert answer["method"]["sufficient"] is False
    assert {"zeppelin", "hangar", "helium", "balloons"} <= set(answer["method"]["missing"])
    code, _, err = place.run("memory", "recall", "zeppelin hangar")
    assert code == 0
    assert "has no answer" in err


def test_a_question_without_words_is_refused(place: Place) -> None:
    assert "nothing is left" in place.refused("recall", "what is the")


def test_recall_writes_one_event_when_asked_and_none_otherwise(place: Place) -> None:
    ref = place.accepted(EXPORTS)
    before = place.log.read_bytes()
    for _ in range(3):
        place("recall", "authorisation exports")
    assert place.log.read_bytes() == before
    place("recall", "authorisation exports", "--record")
    added = place.log.read_bytes().removeprefix(before)
    (event,) = map(json.loads, added.splitlines())
    assert (event["type"], event["refs"]) == ("manifest.recorded", [ref.removeprefix("mem:")])
    assert b"uthorisation" not in added
    assert place.entry(ref)["baseline"]


def test_being_shown_changes_no_order(place: Place) -> None:
    place.accepted("Exports are signed by the server")
    place.accepted("Exports are signed by the client")
    first = _refs(place("recall", "exports signed"))
    for _ in range(10):
        place("recall", "exports signed by the server", "--record")
    assert _refs(place("recall", "exports signed")) == first


def test_the_same_inputs_and_clock_give_the_same_bytes(place: Place) -> None:
    for number in range(6):
        place.accepted(f"Exports of kind {number} are signed with key {number % 3}")
    place.write("CLAUDE.md", "- Exports are signed.\n")
    query = RecallQuery("exports signed key", datetime.now(UTC), find_scope(place.settings, place.repo))
    answers = []
    for anew in (False, True, False):
        if anew:
            place.settings.layout.memory_recall.unlink()
            place.settings.layout.memory_index.unlink()
        with Recaller(place.settings) as recaller:
            answers += [json.dumps(to_fields(recaller.recall(query))) for _ in range(2)]
    assert len(set(answers)) == 1


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_damaged_table_is_made_anew(place: Place, damage: bytes) -> None:
    ref = place.accepted(EXPORTS)
    place("recall", "exports")
    place.settings.layout.memory_recall.write_bytes(damage)
    assert place("recall", "exports")["baseline"] == [ref]


def test_forgotten_or_deleted_text_is_neither_found_nor_kept(place: Place) -> None:
    ref = place.accepted("Exports go through the xylophone")
    place("recall", "xylophone")
    place("delete", ref, "--yes")
    assert place("recall", "xylophone")["entries"] == []
    assert b"xylophon" not in place.settings.layout.memory_recall.read_bytes()


def test_an_edit_by_hand_is_found_and_is_a_candidate_again(place: Place) -> None:
    ref = place.accepted(EXPORTS)
    place("recall", "exports")
    markdown, _ = place.files(ref)
    markdown.write_text(markdown.read_text().replace("authorisation", "xylophone"))
    answer = place("recall", "xylophone")
    assert _refs(answer) == [ref]
    assert answer["baseline"] == []
    assert answer["entries"][0]["status"] == "candidate"


def test_hostile_statements_steer_no_terminal(place: Place) -> None:
    place.write("CLAUDE.md", "- Exports \x1b[31mred\x1b[0m \u202eturned <script>x</script> ```\n")
    place.put("Exports \x1b]0;owned\x07 are [a link](http://evil.example) ```` </quoted>")
    _, out, _ = place.run("memory", "recall", "exports")
    assert "\x1b]" not in out
    assert "\x1b[31m" not in out
    assert "\u202e" not in out


# --- ranking


def test_a_strong_old_match_comes_before_a_weak_new_one() -> None:
    now = datetime.now(UTC)
    old = match(0.95, None, "decision", now - timedelta(days=120), now, 1.0)
    new = match(0.10, None, "note", now - timedelta(hours=1), now, 1.0)
    assert old.final > new.final


def test_everything_that_was_asked_stays_before_half_of_it_however_old() -> None:
    now = datetime.now(UTC)
    for lexical, dense in ((0.95, None), (0.95, 0.9), (0.95, 0.2)):
        whole = match(lexical, dense, "fact", now - timedelta(days=2000), now, 0.5)
        part = match(0.5 * lexical, dense, "fact", now, now, 0.5)
        assert whole.final > part.final


def test_a_candidate_that_hardly_matches_is_not_shown_beside_what_does() -> None:
    now = datetime.now(UTC)

    def ranked(ref: str, group: Group, lexical: float) -> Ranked:
        return Ranked(ref, group, match(lexical, None, "note", now, now, 0.0))

    found = [ranked("best", "waiting", 0.9), ranked("agreed", "agreed", 0.2), ranked("line", "guidance", 0.2)]
    weak = ranked("weak", "waiting", 0.4)
    assert [one.ref for one in relevant([*found, weak])] == ["best", "agreed", "line"]
    assert weak in relevant([*found[1:], weak])


@given(
    lexical=st.floats(0, 1), days=st.floats(0, 2000), more=st.floats(0, 2000), strength=st.sampled_from([0.0, 0.5, 1.0])
)
def test_decay_is_bounded_and_never_grows_with_age(lexical: float, days: float, more: float, strength: float) -> None:
    now = datetime.now(UTC)
    young = match(lexical, None, "fact", now - timedelta(days=days), now, strength)
    old = match(lexical, None, "fact", now - timedelta(days=days + more), now, strength)
    assert 0.3 <= old.decay <= young.decay <= 1.5
    assert old.final <= young.final
    if not strength:
        assert young.final == young.fused


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 2000)), max_size=40), st.integers(1, 10))
def test_the_order_is_by_what_fits_alone_where_age_does_not_count_and_the_limit_comes_last(
    found: list[tuple[float, float]], limit: int
) -> None:
    now = datetime.now(UTC)

    def ranked(strength: float) -> list[Ranked]:
        matches = (match(score, None, "fact", now - timedelta(days=days), now, strength) for score, days in found)
        return [Ranked(f"mem:{number:02}", "agreed", one) for number, one in enumerate(matches)]

    without, aged = ranked(0.0), ranked(1.0)
    assert order(without) == sorted(without, key=lambda one: (-one.match.fused, one.ref))
    before = list(aged)
    assert select(aged, limit) == order(aged)[:limit]
    assert aged == before


def test_kinds_age_at_their_own_pace() -> None:
    now = datetime.now(UTC)
    decision, fact = (match(0.5, None, kind, now - timedelta(days=100), now, 0.5) for kind in ("decision", "fact"))
    assert decision.final > fact.final


def test_a_weak_match_that_is_the_only_one_of_its_lane_stays_behind_a_strong_one_of_the_other() -> None:
    now = datetime.now(UTC)
    weak = match(None, 0.2, "note", now, now, 0.5)
    strong = match(0.8, None, "note", now, now, 0.5)
    assert strong.final > weak.final


@given(
    st.lists(st.tuples(st.sampled_from(["agreed", "guidance", "waiting", "evidence"]), st.floats(0, 1)), max_size=60),
    st.integers(1, 20),
)
def test_a_selection_has_no_more_than_the_limit_and_nothing_twice(found: list[Any], limit: int) -> None:
    now = datetime.now(UTC)
    ranked = [
        Ranked(f"mem:{number}", group, match(score, None, "note", now, now, 0.5))
        for number, (group, score) in enumerate(found)
    ]
    chosen = select(ranked, limit)
    assert len(chosen) == len({one.ref for one in chosen}) == min(limit, len(ranked))


def test_many_candidates_do_not_push_out_what_is_agreed() -> None:
    now = datetime.now(UTC)
    ranked = [Ranked(f"mem:{number}", "waiting", match(0.9, None, "note", now, now, 0.5)) for number in range(50)]
    ranked.append(Ranked("mem:agreed", "agreed", match(0.3, None, "policy", now, now, 0.5)))
    assert "mem:agreed" in {one.ref for one in select(ranked, 8)}


# --- laws

_WORDS = st.lists(
    st.sampled_from(["exports", "retries", "keys", "signed", "weekly", "capped", "widgets", "are", "by"]),
    min_size=1,
    max_size=6,
)
_OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["put", "accept", "reject", "hold", "archive", "supersede"]), _WORDS, st.integers(0, 5)),
    max_size=8,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(operations=_OPERATIONS, limit=st.integers(1, 4))
def test_every_considered_reference_occurs_once_and_the_baseline_is_accepted(
    place: Place, operations: list[Any], limit: int
) -> None:
    refs: list[str] = []
    for action, words, at in operations:
        if action == "put" or not refs:
            refs.append(place.put(" ".join(words)))
            continue
        ref = refs[at % len(refs)]
        more = {"supersede": ("--with", refs[0])}.get(action, ())
        why = ("--why", "a test") if action in ("hold", "reject") else ()
        yes = ("--yes",) if action in ("accept", "supersede") else ()
        place.run("memory", action, ref, *more, "--by", "Ada", *why, *yes)
    answer = place("recall", "exports retries keys signed widgets", "--limit", str(limit))
    counted = Counter([*_refs(answer), *(one["ref"] for one in answer["excluded"])])
    assert set(counted.values()) <= {1}
    assert answer["method"]["considered"] == len(counted)
    entries = {entry["ref"]: entry for entry in answer["entries"]}
    assert len(entries) <= limit
    assert all(entries[ref]["status"] == "accepted" for ref in answer["baseline"])
    said = [code for one in (*answer["entries"], *answer["excluded"]) for code in one["reasons"]]
    assert set(said) <= REASONS.keys()


def test_a_table_that_another_process_is_writing_is_left_alone(place: Place) -> None:
    ref = place.accepted(EXPORTS)
    place("recall", "exports")
    second = place.accepted("Exports are signed")
    with sqlite3.connect(place.settings.layout.memory_recall) as other:
        other.execute("BEGIN IMMEDIATE")
        assert set(place("recall", "exports")["baseline"]) == {ref, second}


# --- other doors


def test_search_asks_the_memory_with_its_scope(place: Place) -> None:
    place.accepted(EXPORTS)
    place.write("CLAUDE.md", "- Exports are signed.\n")
    code, out, _ = place.run("search", "exports", "authorisation", "--scope", "memories", "--json")
    assert code == 0
    answer, recalled = json.loads(out), place("recall", "exports authorisation")
    assert answer["schema"] == recalled["schema"]
    assert (_refs(answer), answer["baseline"]) == (_refs(recalled), recalled["baseline"])
    code, _, err = place.run("search", "exports", "--scope", "memories", "--agent", "claude")
    assert code == 2
    assert "--mode are for stored sessions" in err


@pytest.mark.parametrize("command", [("memory", "get"), ("show",)])
def test_a_live_reference_opens_what_the_file_says_now(place: Place, command: tuple[str, ...]) -> None:
    place.write("CLAUDE.md", "# Exports\n\n- Exports are signed.\n- Keys are rotated.\n")
    code, out, _ = place.run(*command, "live:claude:CLAUDE.md#L3", "--json")
    assert code == 0
    assert json.loads(out)["entry"]["statement"] == "Exports are signed."
    code, out, _ = place.run(*command, "live:claude:CLAUDE.md")
    assert code == 0
    assert "Keys are rotated." in out
    place.write(".aicx/memory-policy.toml", 'exclude_paths = ["CLAUDE.md"]\n')
    code, out, err = place.run(*command, "live:claude:CLAUDE.md#L3")
    assert code == 3
    assert "the policy excludes its path" in err
    assert "signed" not in out + err


def test_show_opens_a_record(place: Place) -> None:
    ref = place.accepted(EXPORTS)
    code, out, _ = place.run("show", ref)
    assert code == 0
    assert EXPORTS in out


@pytest.mark.parametrize("how", ["delete", "forget"])
def test_a_deletion_leaves_no_word_in_the_table(place: Place, how: str) -> None:
    ref = place.accepted("Exports go through the xylophone")
    kept = place.accepted("Exports are signed")
    place("recall", "xylophone")
    table = place.settings.layout.memory_recall
    assert b"xylophon" in table.read_bytes()
    if how == "delete":
        place("delete", ref, "--yes")
    else:
        assert place.run("forget", "--pattern", "xylophone", "--yes")[0] == 0
    assert not table.exists() or b"xylophon" not in table.read_bytes()
    assert place("recall", "exports signed")["baseline"] == [kept]


def test_a_file_changed_in_place_is_not_believed_by_the_last_look(place: Place) -> None:
    refs = [place.accepted(f"Exports of kind {number} are signed") for number in range(4)]
    with Recaller(place.settings) as recaller:
        query = RecallQuery("exports kind signed", datetime.now(UTC), find_scope(place.settings, place.repo))
        assert set(recaller.recall(query).baseline) == set(refs)
        assert set(recaller.recall(query).baseline) == set(refs)
        markdown, _ = place.files(refs[0])
        markdown.write_text(markdown.read_text().replace("signed", "signed twice"))
        assert set(recaller.recall(query).baseline) == set(refs[1:])
        place("reject", refs[1], "--by", "Ada", "--why", "wrong")
        place.accepted("Exports of kind 9 are signed", "--supersedes", refs[2])
        found = recaller.recall(query)
        assert refs[3] in found.baseline
        assert not {refs[0], refs[1], refs[2]} & set(found.baseline)
        assert len(found.baseline) == 2


def test_a_conflict_is_seen_also_where_the_other_record_does_not_match(place: Place) -> None:
    one = place.accepted("Widgets are installed with npm", "--topic", "build", "--claim", "tool=npm")
    with Recaller(place.settings) as recaller:
        scope = find_scope(place.settings, place.repo)
        assert recaller.recall(RecallQuery("widgets npm", datetime.now(UTC), scope)).baseline == [one]
        place.accepted("Gadgets are compiled with bazel", "--topic", "build", "--claim", "tool=bazel")
        for _ in range(2):
            found = recaller.recall(RecallQuery("widgets npm", datetime.now(UTC), scope))
            assert found.baseline == []
            assert found.entries[0].reasons[0] == "conflict"
