"""What a record rests on is compared with the repository at every reading; what changed is no longer believed."""

from __future__ import annotations

import os
import time
from itertools import product
from pathlib import Path

import pytest

from aicx.memory.anchors import repository_says
from tests.sampling import sample

pytestmark = pytest.mark.slow

RETRIES = "Retries are capped at 5"
CODE = "import time\n\n\ndef retry(call):\n    for attempt in range(5):\n        call()\n    return None\n"
# What is done with a pinned record, and whether a hand has unpinned it in its file before.
PINNED = list(
    product(
        (("edit", "--statement", "The port is 9090"), ("archive",), ("delete", "--yes"), ("reject",), ("unpin",)),
        (False, True),
    )
)


@pytest.fixture
def anchored(place):
    """A fact that rests on three lines of a file, accepted, with the file committed."""
    place.write("src/retry.py", CODE)
    place.commit()
    ref = place.accepted(RETRIES, "--kind", "fact", "--topic", "retries", "--anchor", "src/retry.py#L4-L6")
    return place, ref


def reasons(place, ref):
    return place.entry(ref)["reasons"]


class TestLines:
    def test_an_anchored_fact_is_believed_while_its_lines_are_as_they_were(self, anchored):
        place, ref = anchored
        assert place.baseline() == {ref}
        place.write("src/retry.py", CODE.replace("return None", "return 1"))
        assert place.baseline() == {ref}

    def test_changed_lines_make_it_stale_and_are_named(self, anchored):
        place, ref = anchored
        place.write("src/retry.py", CODE.replace("range(5)", "range(9)"))
        entry = place.entry(ref)
        assert (entry["status"], entry["baseline"], entry["reasons"]) == ("stale", False, ["anchor_changed"])
        assert entry["because"] == [{"code": "anchor_changed", "anchor": "src/retry.py#L4-L6"}]

    def test_moved_lines_keep_a_fact_current(self, anchored):
        place, ref = anchored
        place.write("src/retry.py", f"# a licence\n# of two lines\n{CODE}")
        found = place("get", ref)
        assert found["entry"]["baseline"]
        assert found["entry"]["reasons"] == ["adopted", "anchor_relocated"]
        assert found["anchors"] == [
            {"path": "src/retry.py", "lines": [4, 6], "state": "relocated", "now": {"lines": [6, 8]}}
        ]

    def test_white_space_at_the_ends_of_lines_changes_nothing(self, anchored):
        place, ref = anchored
        (place.repo / "src/retry.py").write_bytes(CODE.replace("\n", "  \r\n").encode())
        assert place.baseline() == {ref}

    def test_a_change_back_makes_it_current_again(self, anchored):
        place, ref = anchored
        place.write("src/retry.py", "nothing\n")
        assert reasons(place, ref) == ["anchor_changed"]
        place.write("src/retry.py", CODE)
        assert place.baseline() == {ref}

    def test_a_passing_validation_takes_the_anchor_anew(self, anchored):
        place, ref = anchored
        place.write("src/retry.py", CODE.replace("range(5)", "range(2 + 3)"))
        entry = place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "pytest")["entry"]
        assert (entry["status"], entry["baseline"]) == ("accepted", True)

    def test_a_validation_of_a_candidate_does_not_accept_it(self, anchored):
        place, _ = anchored
        ref = place.put("Retries wait", "--anchor", "src/retry.py")
        place.write("src/retry.py", "nothing\n")
        entry = place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "pytest")["entry"]
        assert (entry["status"], entry["baseline"]) == ("candidate", False)


class TestFiles:
    def test_a_deleted_file_makes_it_stale(self, anchored):
        place, ref = anchored
        (place.repo / "src/retry.py").unlink()
        assert reasons(place, ref) == ["anchor_missing"]

    @pytest.mark.parametrize("committed", [True, False])
    def test_a_renamed_file_makes_it_stale_until_it_is_validated(self, anchored, committed):
        place, ref = anchored
        place.git("mv", "src/retry.py", "src/again.py")
        if committed:
            place.commit("Rename")
        entry = place.entry(ref)
        assert (entry["status"], entry["reasons"]) == ("stale", ["anchor_moved"])
        assert entry["because"][0]["to"] == "src/again.py"
        assert place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "read it")["entry"][
            "baseline"
        ]
        assert place("get", ref)["anchors"][0]["path"] == "src/again.py"

    @pytest.mark.parametrize("lines", ["#L3-L5", ""])
    def test_a_file_that_was_renamed_without_git_is_found_among_the_new_ones(self, place, lines):
        place.write("src/retry.py", CODE)
        place.commit()
        ref = place.accepted("Retries are capped at 5", "--anchor", f"src/retry.py{lines}")
        place.write("src/other.py", "nothing of it\n")
        (place.repo / "src/retry.py").rename(place.repo / "src/again.py")
        entry = place.entry(ref)
        assert (entry["status"], entry["reasons"]) == ("stale", ["anchor_moved"])
        assert entry["because"][0]["to"] == "src/again.py"
        assert place("validate", ref, "--result", "pass", "--yes", "--by", "Ada", "--method", "read it")["entry"][
            "baseline"
        ]
        assert place("get", ref)["anchors"][0]["path"] == "src/again.py"

    def test_a_whole_file_may_be_the_anchor(self, place):
        place.write("Makefile", "test:\n\tpytest\n")
        ref = place.accepted("`make test` runs the tests", "--anchor", "Makefile")
        assert place.baseline() == {ref}
        place.write("Makefile", "test:\n\ttox\n")
        assert reasons(place, ref) == ["anchor_changed"]

    def test_a_file_that_became_a_link_out_of_the_repository_is_not_read(self, anchored):
        place, ref = anchored
        (place.folder / "outside.py").write_text(CODE)
        (place.repo / "src/retry.py").unlink()
        (place.repo / "src/retry.py").symlink_to(place.folder / "outside.py")
        assert reasons(place, ref) == ["unreadable"]

    @pytest.mark.parametrize(
        "anchor", ["../outside.py", "src/none.py", "src/retry.py#L90", "src/retry.py#L6-L4", "src"]
    )
    def test_an_anchor_to_nothing_or_outside_is_refused(self, anchored, anchor):
        place, _ = anchored
        (place.folder / "outside.py").write_text(CODE)
        assert place.refused("put", "A fact", "--anchor", anchor)

    def test_an_anchor_is_written_from_the_folder_one_is_in(self, anchored, monkeypatch):
        place, _ = anchored
        monkeypatch.chdir(place.repo / "src")
        ref = place.put("Retries wait", "--anchor", "retry.py#L1")
        assert place("get", ref)["anchors"][0]["path"] == "src/retry.py"

    def test_without_the_repository_at_hand_nothing_is_known_of_an_anchor(self, anchored, tmp_path, monkeypatch):
        place, ref = anchored
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        (entry,) = place("list", "--everywhere")["entries"]
        assert (entry["ref"], entry["status"], entry["reasons"]) == (ref, "stale", ["anchor_unchecked"])

    def test_a_file_that_did_not_change_is_not_opened_again(self, anchored, monkeypatch):
        place, ref = anchored
        old = time.time() - 100
        os.utime(place.repo / "src/retry.py", (old, old))
        time.sleep(0.1)  # the time of the change itself cannot be set
        place.baseline()

        read = Path.read_bytes

        def never(path):
            assert path.name != "retry.py"
            return read(path)

        monkeypatch.setattr(Path, "read_bytes", never)
        assert place.baseline() == {ref}

    def test_reading_changes_nothing_in_the_repository(self, anchored):
        place, ref = anchored
        before = place.tree()
        for words in (["list"], ["get", ref], ["stats"], ["history", ref]):
            place(*words)
        assert place.tree() == before


class TestSuperseding:
    def test_a_newer_fact_takes_the_place_of_an_older_one_for_good(self, anchored):
        place, old = anchored
        place.write("src/retry.py", CODE.replace("range(5)", "range(9)"))
        new = place.accepted("Retries are capped at 9", "--kind", "fact", "--topic", "retries", "--supersedes", old)
        entry = place.entry(old)
        assert (entry["status"], entry["superseded_by"], entry["baseline"]) == ("superseded", new, False)
        assert place.baseline() == {new}
        place.write("src/retry.py", CODE)
        assert place.entry(old)["status"] == "superseded"
        place("reject", new)
        assert place.baseline() == set()
        place("accept", old, "--by", "Ada", "--yes")
        assert place.baseline() == {old}

    def test_supersede_flips_the_old_one_and_leaves_the_new_one(self, place):
        old, new = place.accepted("Use npm", "--topic", "tools"), place.accepted("Use pnpm", "--topic", "tools")
        found = place("supersede", old, "--with", new, "--by", "Ada", "--yes")
        assert (found["entry"]["ref"], found["entry"]["baseline"]) == (new, True)
        assert place.baseline() == {new}
        assert place("list")["suppressed"] == {"superseded": 1}

    def test_a_candidate_that_would_supersede_changes_nothing_until_it_is_accepted(self, place):
        old = place.accepted("Use npm")
        new = place.put("Use pnpm", "--supersedes", old)
        assert place.baseline() == {old}
        place("accept", new, "--by", "Ada", "--yes")
        assert place.baseline() == {new}

    @pytest.mark.parametrize(("words", "edited"), sample(PINNED, 5, "pinned"))
    def test_a_pin_gives_way_to_a_person_alone(self, place, words, edited):
        ref = place.accepted("The port of the server is 8080")
        place("pin", ref, "--by", "Ada", "--yes")
        if edited:
            place.change_sidecar(ref, pinned=False)
        action, *more = words
        for by in ([], ["--by", "claude"], ["--by", "ci"]):
            assert f"pinned: {action} needs the name of a person" in place.refused(action, ref, *more, *by)
        assert place.entry(ref)["statement"] == "The port of the server is 8080"
        place(action, ref, *more, "--by", "Ada")

    def test_a_pinned_record_is_superseded_by_a_person_alone(self, place):
        old, new = (place.accepted(f"The port of the server is {port}") for port in (8080, 9090))
        place("pin", old, "--by", "Ada", "--yes")
        assert "needs the name of a person" in place.refused("supersede", old, "--with", new, "--yes")
        place("supersede", old, "--with", new, "--by", "Ada", "--yes")

    def test_a_pinned_record_is_not_silently_superseded(self, place):
        old = place.accepted("Use npm")
        place("pin", old, "--by", "Ada", "--yes")
        new = place.accepted("Use pnpm", "--supersedes", old)
        assert place.baseline() == set()
        assert place.entry(old)["because"][0] == {"code": "conflict", "with": new}
        assert place.entry(new)["because"][0] == {"code": "conflict", "with": old}
        place("supersede", old, "--with", new, "--by", "Ada", "--yes")
        assert place.baseline() == {new}

    def test_taking_the_pin_off_lets_the_successor_in(self, place):
        old = place.accepted("Use npm")
        place("pin", old, "--by", "Ada", "--yes")
        new = place.accepted("Use pnpm", "--supersedes", old)
        place("unpin", old, "--by", "Ada")
        assert place.baseline() == {new}

    def test_two_that_supersede_each_other_are_both_out(self, place):
        one = place.accepted("Use npm")
        other = place.accepted("Use pnpm", "--supersedes", one)
        place("accept", one, "--by", "Ada", "--yes")
        place("supersede", other, "--with", one, "--by", "Ada", "--yes")
        assert place.baseline() == {one}


class TestConflicts:
    def test_equal_records_that_say_otherwise_leave_no_baseline(self, place):
        first = place.accepted("Use npm", "--topic", "tools", "--claim", "manager=npm")
        second = place.accepted("Use pnpm", "--topic", "Tools", "--claim", "Manager=pnpm")
        assert place.baseline() == set()
        assert place.entry(first)["because"] == [{"code": "conflict", "with": second}]
        place("reject", first, "--by", "Ada")
        assert place.baseline() == {second}

    def test_the_higher_tier_wins(self, place):
        decision = place.accepted("Use npm", "--kind", "decision", "--topic", "tools", "--claim", "manager=npm")
        policy = place.accepted("Use pnpm", "--kind", "policy", "--topic", "tools", "--claim", "manager=pnpm")
        assert place.baseline() == {policy}
        assert place.entry(decision)["reasons"][0] == "conflict"

    def test_other_topics_and_equal_values_are_no_conflict(self, place):
        refs = {
            place.accepted("Use npm", "--topic", "tools", "--claim", "manager=npm"),
            place.accepted("We use NPM", "--topic", "tools", "--claim", "manager= NPM "),
            place.accepted("The board has a manager", "--topic", "board", "--claim", "manager=Grace"),
        }
        assert place.baseline() == refs

    def test_a_candidate_is_nobodys_rival(self, place):
        ref = place.accepted("Use npm", "--topic", "tools", "--claim", "manager=npm")
        place.put("Use pnpm", "--topic", "tools", "--claim", "manager=pnpm", "--kind", "policy")
        assert place.baseline() == {ref}


class TestRepositoryContent:
    def test_the_content_wins_over_a_fact(self, place):
        place.write("pyproject.toml", '[project]\nrequires-python = ">=3.11"\n')
        claim = "pyproject.toml#project.requires-python=>=3.9"
        ref = place.accepted("Python 3.9 is enough", "--kind", "fact", "--claim", claim)
        entry = place.entry(ref)
        assert (entry["status"], entry["reasons"]) == ("stale", ["contradicts_repo"])
        place.write("pyproject.toml", '[project]\nrequires-python = ">=3.9"\n')
        assert place.baseline() == {ref}

    def test_a_pinned_policy_stands_above_the_content_and_says_so(self, place):
        place.write("yarn.lock", "")
        ref = place.accepted("Use pnpm", "--kind", "policy", "--claim", "package-manager=pnpm")
        assert place.entry(ref)["reasons"] == ["contradicts_repo"]
        place("pin", ref, "--by", "Ada", "--yes")
        entry = place.entry(ref)
        assert (entry["baseline"], entry["reasons"]) == (True, ["adopted", "pinned", "contradicts_repo"])

    def test_a_claim_is_compared_with_the_repository(self, tmp_path):
        (tmp_path / "package.json").write_text('{"type": "module", "private": true, "files": ["a"]}')
        (tmp_path / "broken.json").write_text("{")
        (tmp_path / "uv.lock").write_text("")
        keys = ["package.json#type", "package.json#private", "package.json#files", "package.json#none.more"]
        keys += ["broken.json#a", "file:uv.lock", "file:poetry.lock", "package-manager", "../x.json#a", "colour"]
        assert repository_says(tmp_path, keys) == {
            "package.json#type": {"module"},
            "package.json#private": {"true"},
            "file:uv.lock": {"exists"},
            "file:poetry.lock": {"absent"},
            "package-manager": {"uv"},
        }
