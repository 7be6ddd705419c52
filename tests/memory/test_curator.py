"""The curator proposes, does only what takes trust away, and says nothing twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from aicx.memory import curator
from aicx.memory.deciding import Desk
from aicx.memory.reading import Memory, find_scope
from tests.memory.builders import Place

pytestmark = pytest.mark.slow

NOW = datetime.now(UTC)
FACT = ("--kind", "fact")


def later(days: int) -> datetime:
    return NOW + timedelta(days=days)


def planned(place, days: int = 0) -> list[curator.PlannedUpkeep]:
    settings = place.settings
    with Memory.open(settings, later(days), scope=find_scope(settings, place.repo)) as memory:
        return curator.plan(memory)[0]


def actions(place, days: int = 0) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in planned(place, days):
        found.setdefault(one.action, []).append(one.record.ref)
    return found


def applied(place, proposals, days: int = 0) -> list[tuple[str, str, str | None]]:
    settings = place.settings
    desk = Desk(settings, find_scope(settings, place.repo), later(days), lambda line: None)
    return [(one.action, one.result, one.why) for one in curator.apply(desk, proposals)]


def memory_tree(place) -> dict[str, str]:
    files = (path for path in (place.home / "memory").rglob("*") if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def garden(kept, monkeypatch, capsys):
    """One record for each of the curator's proposals, as of 100 days from now, by what is proposed."""
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before
    kept.again(lambda: REFS.update(fill(Place(kept.folder, monkeypatch, capsys))))
    return Place(kept.folder, monkeypatch, capsys), REFS


REFS: dict[str, str] = {}


def fill(place):
    place.write("src/a.py", "one\ntwo\n")
    place.commit()
    refs = {
        "demote_stale": place.accepted("The queue holds 40 jobs at most", *FACT),
        "archive": place.put("Perhaps the cache is slow on Mondays", *FACT),
        "revalidate": place.accepted("Retries are capped at 5", *FACT),
        "skip_pinned": place.accepted("The port of the server is 8080", *FACT),
        "review_quarantined": place.put("Tests write into a folder of their own", *FACT),
        "deprecate": place.accepted("Exports are free for everyone", *FACT),
        "resolve_conflict": place.accepted("Builds use ninja", *FACT, "--topic", "build", "--claim", "tool=ninja"),
        "its rival": place.accepted("Builds use make", *FACT, "--topic", "build", "--claim", "tool=make"),
        "successor": place.accepted("Exports need an authorisation check", "--kind", "policy"),
    }
    place("pin", refs["skip_pinned"], "--by", "Ada", "--yes")
    place("validate", refs["revalidate"], "--result", "pass", "--yes", "--by", "Ada", "--method", "looked")
    place("hold", refs["review_quarantined"], "--why", "it looks odd")
    place("supersede", refs["deprecate"], "--with", refs["successor"], "--by", "Ada", "--yes")
    return refs


class TestPlan:
    def test_each_of_the_seven_proposals_is_made_where_it_fits_and_nothing_is_written(self, garden):
        place, refs = garden
        before = memory_tree(place), place.tree()
        found = actions(place, 100)
        assert found["skip_pinned"] == [refs["skip_pinned"]]
        assert found["archive"] == [refs["archive"]]
        assert found["revalidate"] == [refs["revalidate"]]
        assert found["review_quarantined"] == [refs["review_quarantined"]]
        assert found["deprecate"] == [refs["deprecate"]]
        assert refs["demote_stale"] in found["demote_stale"]
        assert len(found["resolve_conflict"]) == 1
        assert found["resolve_conflict"][0] in (refs["resolve_conflict"], refs["its rival"])
        assert (memory_tree(place), place.tree()) == before

    def test_stale_records_are_looked_at_before_they_are_put_away(self, place):
        place.write("a.py", "one\n")
        ref = place.accepted("The first line is one", *FACT, "--anchor", "a.py")
        assert actions(place) == {}
        place.write("a.py", "two\n")
        assert actions(place) == {"revalidate": [ref]}
        assert actions(place, 91) == {"archive": [ref]}

    def test_agreed_records_do_not_wear_out_but_are_looked_at_after_a_year(self, place):
        ref = place.accepted("Exports need an authorisation check", "--kind", "policy")
        assert actions(place, 300) == {}
        assert actions(place, 366) == {"revalidate": [ref]}

    def test_a_candidate_that_says_what_a_record_says_is_to_be_put_away(self, place):
        known = place.accepted("Exports need an authorisation check in the handler", *FACT)
        again = place.put("Exports need an authorisation check, in the handler", *FACT)
        (proposal,) = planned(place)
        assert (proposal.action, proposal.record.ref, proposal.others) == ("deprecate", again, (known,))

    def test_no_side_of_a_conflict_is_put_aside_so_that_the_other_wins(self, place):
        fact = place.accepted("Builds use ninja", *FACT, "--topic", "build", "--claim", "tool=ninja")
        rule = ("--kind", "policy", "--topic", "build", "--claim", "tool=make")
        policy = place.accepted("Builds use make", *rule)
        assert {one.record.ref for one in planned(place, 100)} == {fact}
        assert set(actions(place, 100)) == {"resolve_conflict"}
        place("reject", policy, "--by", "Ada")
        assert actions(place, 100) == {"demote_stale": [fact]}

    def test_a_pinned_record_is_only_named(self, garden):
        place, refs = garden
        (proposal,) = [one for one in planned(place, 100) if one.action == "skip_pinned"]
        assert (proposal.record.ref, proposal.would) == (refs["skip_pinned"], "demote_stale")


class TestApply:
    def test_trust_is_only_taken_away_and_a_second_run_proposes_nothing_new(self, garden):
        place, refs = garden
        before = {ref for ref, found in place.assessed(later(100)).items() if found.baseline}
        done = applied(place, planned(place, 100), 100)
        assert ("demote_stale", "applied", None) in done
        assert ("archive", "applied", None) in done
        assert ("deprecate", "applied", None) in done
        assert ("skip_pinned", "skipped", "pinned") in done
        assert ("review_quarantined", "skipped", "needs_person") in done
        assert ("resolve_conflict", "skipped", "needs_person") in done
        found = place.assessed(later(100))
        assert {ref for ref, one in found.items() if one.baseline} <= before
        assert found[refs["demote_stale"]].status == "stale"
        assert found[refs["archive"]].status == found[refs["deprecate"]].status == "archived"
        assert found[refs["skip_pinned"]].baseline
        with Memory.open(place.settings, later(100), scope=find_scope(place.settings, place.repo)) as memory:
            proposals, resting = curator.plan(memory)
        assert proposals == []
        assert resting > 0
        assert actions(place, 131)["review_quarantined"] == [refs["review_quarantined"]]

    def test_a_record_changed_since_its_proposal_is_left_alone(self, garden):
        place, refs = garden
        proposals = planned(place, 100)
        place("validate", refs["demote_stale"], "--result", "pass", "--yes", "--by", "Ada", "--method", "looked")
        done = dict(zip((one.record.ref for one in proposals), applied(place, proposals, 100), strict=True))
        assert done[refs["demote_stale"]] == ("demote_stale", "skipped", "stale_proposal")
        assert done[refs["deprecate"]] == ("deprecate", "applied", None)

    def test_a_decision_wakes_what_rests(self, garden):
        place, refs = garden
        applied(place, planned(place, 100), 100)
        place("edit", refs["review_quarantined"], "--topic", "odd")
        assert actions(place, 100)["review_quarantined"] == [refs["review_quarantined"]]

    def test_a_demoted_record_is_believed_again_once_a_person_confirms_it(self, garden):
        place, refs = garden
        applied(place, planned(place, 0), 0)
        applied(place, planned(place, 100), 100)
        assert place.assessed(later(100))[refs["demote_stale"]].status == "stale"
        ref = refs["demote_stale"]
        place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "looked")
        assert place.entry(ref)["baseline"]

    def test_every_application_is_an_event_without_text(self, garden):
        place, _ = garden
        applied(place, planned(place, 100), 100)
        log = place.log.read_text()
        assert '"curator.applied"' in log
        assert '"curator.skipped"' in log
        assert "queue" not in log
        assert place.doctor()["memory_adoption"]["severity"] == "green"


class TestCommand:
    def test_applying_takes_a_yes(self, place):
        place.put("Something that is said once", *FACT)
        before = memory_tree(place)
        assert "--apply changes records" in place.refused("curate", "--apply")
        assert memory_tree(place) == before

    def test_the_answer_counts_what_came_of_it(self, place):
        known = place.accepted("Exports need an authorisation check in the handler", *FACT)
        again = place.put("Exports need an authorisation check, in the handler", *FACT)
        dry = place("curate")
        assert (dry["dry_run"], dry["counts"], dry["applied"]) == (True, {"deprecate": 1}, 0)
        assert dry["proposals"][0]["because"] == [{"code": "duplicate", "of": known}]
        done = place("curate", "--apply", "--yes")
        assert (done["status"], done["applied"], done["proposals"][0]["result"]) == ("ok", 1, "applied")
        assert place.entry(again)["status"] == "archived"
        assert place("curate")["proposals"] == []

    def test_changes_between_looking_and_applying_are_counted_and_told(self, place, monkeypatch):
        from aicx.commands.memory import check

        place.accepted("Exports need an authorisation check in the handler", *FACT)
        again = place.put("Exports need an authorisation check, in the handler", *FACT)
        place("hold", place.put("Tests write into a folder of their own", *FACT), "--why", "it looks odd")

        def late(desk, proposals, **options):
            place("edit", again, "--topic", "handlers")
            return curator.apply(desk, proposals, **options)

        monkeypatch.setattr(check, "apply", late)
        done = place("curate", "--apply", "--yes")
        assert (done["status"], done["applied"], done["skipped"]) == ("partial", 0, 2)
        assert {one["why"] for one in done["proposals"]} == {"stale_proposal", "needs_person"}
        assert place.entry(again)["status"] == "candidate"
