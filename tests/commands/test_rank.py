"""`aicx search --worth` through the real command line: which chunks come first, the JSON, and what people see."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.engine.search_helpers import keep

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "json.md"
DECIDED = "\n".join(
    f"Decision: we keep part {number} because the deploy failed with the other.\nThe root cause was its size."
    for number in range(8)
)
SOME = (
    "Please look at the parser.\nIt reads lines.\nIt reads them twice.\nThe fix is to read once.\nThat is all.\nReally."
)
NOISE = "import os\nimport sys\n}\n{\nat one.js:1\nat two.js:2\n"
PRINTED = "Decision: printed by a tool because it can\n" * 20


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Three chunks of one project from good to bad, and one of another."""
    user = Home(tmp_path_factory.mktemp("stored"))
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    apiary = user.repository("apiary", "git@x.org:ada/apiary.git")
    user.claude(ClaudeLog(SESSION, orbit).title("What we decided").prompt(DECIDED, 0))
    user.codex(CodexLog(THIRD, orbit).prompt(SOME, 60))
    bad = ClaudeLog(OTHER, orbit).prompt(NOISE, 120)
    user.claude(bad.call("Bash", 121, command="print").result(PRINTED, 122))
    user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001", apiary).prompt("The bees", 180))
    keep(user)
    return user


@pytest.fixture
def user(home: Path, stored: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    stored.used(monkeypatch)
    capsys.readouterr()
    return stored


def rank(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["rank", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = rank(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def ids(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    return [item["id"] for item in answer(capsys, *arguments)["items"]]


GOOD, FAIR, BAD = f"claude:{SESSION}:001", f"codex:{THIRD}:001", f"claude:{OTHER}:001"
ALL = ["-p", "orbit", "-H", "0"]


def test_what_holds_most_decisions_comes_first(user, capsys):
    assert ids(capsys, *ALL) == [GOOD, FAIR, BAD]


def test_labels_say_what_scores_mean(user, capsys):
    labels = [item["label"] for item in answer(capsys, *ALL)["items"]]
    assert (labels[0], labels[-1]) == ("HIGH", "NOISE")


def test_what_tools_printed_does_not_count(user, capsys):
    worst = answer(capsys, *ALL)["items"][-1]
    assert (worst["id"], worst["signal"], worst["score"]) == (BAD, 0, 0.0)


def test_strict_leaves_out_what_is_hardly_worth_reading(user, capsys):
    assert ids(capsys, *ALL, "--strict") == [GOOD]


@pytest.mark.parametrize("top", [1, 2])
def test_no_more_than_asked_for(user, capsys, top):
    assert ids(capsys, *ALL, "--top", str(top)) == [GOOD, FAIR][:top]


def test_another_project_is_another_ranking(user, capsys):
    assert ids(capsys, "-p", "apiary", "-H", "0") == ["claude:aaaa1111-0000-4000-8000-000000000001:001"]


def test_one_agent_alone(user, capsys):
    assert ids(capsys, *ALL, "-a", "codex") == [FAIR]


def test_only_the_last_hours_count_unless_all_are_asked_for(user, capsys):
    assert ids(capsys, "-p", "orbit") == []
    assert ids(capsys, "-p", "orbit", "-H", "1000000") == [GOOD, FAIR, BAD]


class TestJson:
    def test_the_answer_has_these_fields(self, user, capsys):
        found = answer(capsys, *ALL)
        assert list(found) == ["schema", "project", "hours", "strict", "results", "items", "notes", "oracle_status"]
        assert (found["schema"], found["project"], found["hours"], found["results"]) == ("aicx.rank/1", "orbit", 0, 3)

    def test_an_item_has_these_fields(self, user, capsys):
        item = answer(capsys, *ALL)["items"][0]
        assert list(item) == [
            *("file", "id", "session_id", "title", "chunk_title", "project", "date", "timestamp", "kind", "agent"),
            *("score", "label", "signal", "noise", "total", "density", "sentences", "altered"),
            *("automated", "automated_why", "runs", "run_ids"),
        ]
        assert (item["project"], item["date"], item["timestamp"]) == (
            "ada/orbit",
            "2026-03-01",
            "2026-03-01T10:00:00.000Z",
        )
        assert (item["signal"], item["total"], item["density"]) == (16, 16, "100%")

    def test_every_field_is_documented(self, user, capsys):
        found = answer(capsys, *ALL)
        text = DOCUMENTATION.read_text("utf-8")
        assert [name for name in (*found, *found["items"][0]) if f"`{name}`" not in text and name != "schema"] == []

    def test_the_file_is_the_chunk(self, user, capsys):
        assert "Decision: we keep part 0" in Path(answer(capsys, *ALL)["items"][0]["file"]).read_text("utf-8")


class TestForPeople:
    def test_a_chunk_is_printed_with_its_dense_sentences(self, user, capsys):
        code, out, err = rank(capsys, *ALL, "-n", "1")
        sentence = "    │ Decision: we keep part {} because the deploy failed with the other."
        assert out.splitlines() == [
            "10.0 HIGH   2026-03-01 claude   What we decided",
            sentence.format(0),
            "    │ The root cause was its size.",
            sentence.format(1),
            f"     100% of 16 lines · {GOOD}",
        ]
        assert (code, err) == (0, "Times are UTC.\n")

    def test_a_request_is_no_dense_sentence(self, user, capsys):
        out = rank(capsys, *ALL, "-a", "codex")[1]
        assert "│ The fix is to read once." in out
        assert "│ Please" not in out

    def test_the_day_is_that_of_the_person(self, user, capsys, monkeypatch):
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
        time.tzset()
        try:
            assert "HIGH   2026-03-02 claude" in rank(capsys, *ALL, "-n", "1")[1]
            assert "HIGH   2026-03-01 claude" in rank(capsys, *ALL, "-n", "1", "--utc")[1]
        finally:
            monkeypatch.undo()
            time.tzset()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["-p", "orbit"], "Nothing to rank. -H 0 takes all time. `aicx status --projects` lists"),
            (
                ["-p", "apiary", "-H", "0", "--strict"],
                "Nothing to rank. Without --strict lower scores are listed",
            ),
            (["-p", "zzz", "-H", "0"], "Nothing to rank. `aicx status --projects` lists"),
        ],
        ids=" ".join,
    )
    def test_an_option_that_was_given_is_not_suggested(self, user, capsys, arguments, said):
        assert said in rank(capsys, *arguments)[2]

    def test_nothing_to_rank_says_what_to_try(self, user, capsys):
        code, out, err = rank(capsys, "-p", "orbit")
        assert (code, out) == (0, "")
        assert "-H 0 takes all time" in err

    def test_an_unknown_project_is_answered_with_the_known(self, user, capsys):
        assert "ada/apiary, ada/orbit" in rank(capsys, "-p", "zzz", "-H", "0")[2]

    def test_an_answer_without_the_catalogue_says_so(self, user, capsys, tmp_path, monkeypatch):
        import shutil

        monkeypatch.setenv("AICX_HOME", str(shutil.copytree(user.corpus, tmp_path / "copy")))
        for path in (tmp_path / "copy").glob("catalog.sqlite*"):
            path.unlink()
        _, out, err = rank(capsys, *ALL)
        assert out.startswith("10.0 HIGH")
        assert "the catalogue is missing" in err


@pytest.mark.parametrize(
    "arguments", [[], ["-p", "x", "-H", "-1"], ["-p", "x", "-n", "0"], ["-p", "x", "-H", "soon"]], ids=" ".join
)
def test_what_makes_no_sense_is_exit_two(user, capsys, arguments):
    assert rank(capsys, *arguments)[0] == 2


def test_nothing_stored_yet_is_exit_three(user, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
    code, _, err = rank(capsys, *ALL)
    assert code == 3
    assert "next: aicx store" in err


# In search ------------------------------------------------------------------------------------------------------------


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run(["search", "decision lines import", "-p", "orbit", *arguments, "--json"]) == 0
    items: dict[str, Any] = json.loads(capsys.readouterr().out)
    return items


def test_an_answer_of_search_has_the_measures_of_rank(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    ranked = {item["id"]: item for item in answer(capsys, "-p", "orbit", "-H", "0")["items"]}
    items = found(capsys)["items"]
    assert len(items) == 3
    for item in items:
        same = ranked[item["id"]]
        assert (item["density"], item["label"], item["density_score"]) == (
            same["density"],
            same["label"],
            same["score"],
        )


def test_search_leaves_out_what_rank_scores_less(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    scores = sorted(item["density_score"] for item in found(capsys)["items"])
    assert scores[0] < scores[1] < scores[2]
    for least, left in ((scores[1], 2), (scores[2], 1)):
        answered = found(capsys, "--min-score", str(least))
        assert [item["density_score"] >= least for item in answered["items"]] == [True] * left
        assert any("left out" in note for note in answered["notes"])


def test_a_least_score_does_not_shorten_the_answer(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    best = max(found(capsys)["items"], key=lambda item: item["density_score"])
    answered = found(capsys, "--sort", "newest", "--limit", "1", "--min-score", str(best["density_score"]))
    assert [item["id"] for item in answered["items"]] == [best["id"]]
