"""`aicx steer` through the real command line: every filter, the JSON, and what it says to people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.engine.search_helpers import copied

NEXT_DAY = 14 * 3600


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Four stored chunks: two of a session in two repositories, one of tools alone, one of another agent."""
    user = Home(tmp_path_factory.mktemp("stored"))
    orbit, apiary = (
        user.repository("orbit", "git@x.org:ada/orbit.git"),
        user.repository("apiary", "git@x.org:ada/apiary.git"),
    )
    log = ClaudeLog(SESSION, orbit).prompt("---\nrun_id: r-1\nprompt_id: p-1\n---\nFix the lexer", 0)
    log.call("Edit", 1, file_path=f"{orbit}/src/lexer.py").result("no such line", 2, failed=True)
    log.cwd, log.branch = apiary, "feature/bees"
    user.claude(log.prompt("Now the bees", NEXT_DAY))
    user.claude(ClaudeLog(OTHER, "/srv/notes").call("Bash", 5, command="ls").result("a", 6))
    user.codex(CodexLog(THIRD, orbit).prompt("Write the docs", 50))
    with pytest.MonkeyPatch.context() as patch:
        user.used(patch)
        assert run(["store"]) == 0
    return user


@pytest.fixture
def user(stored: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """They are the corpus, to which nothing may write."""
    stored.used(monkeypatch)
    capsys.readouterr()
    return stored


def steer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["steer", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = steer(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def ids(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    return [item["id"] for item in answer(capsys, *arguments)["items"]]


ORBIT, BEES, NOTES, DOCS = f"claude:{SESSION}:001", f"claude:{SESSION}:002", f"claude:{OTHER}:001", f"codex:{THIRD}:001"
ALL = [BEES, DOCS, NOTES, ORBIT]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], ALL),
        (["-p", "orbit"], [DOCS, ORBIT]),
        (["-p", "ada/"], [BEES, DOCS, ORBIT]),
        (["-p", "notes"], [NOTES]),
        (["-a", "codex"], [DOCS]),
        (["-k", "conversation"], [BEES, DOCS, ORBIT]),
        (["-k", "other"], [NOTES]),
        (["-s", SESSION], [BEES, ORBIT]),
        (["-s", SESSION[:8]], [BEES, ORBIT]),
        (["--run-id", "r-1"], [BEES, ORBIT]),
        (["--run-id", "r-"], []),
        (["--prompt-id", "p-1"], [BEES, ORBIT]),
        (["--prompt-id", "p"], []),
        (["-d", "2026-03-01"], [DOCS, NOTES, ORBIT]),
        (["-d", "2026-03-01..2026-03-02"], ALL),
        (["-d", "2026-03-02.."], [BEES]),
        (["--since", "2026-03-02"], [BEES]),
        (["--until", "2026-03-01"], [DOCS, NOTES, ORBIT]),
        (["--since", "2026-03-01T10:00:50", "--until", "2026-03-01T10:00:50"], [DOCS]),
        (["-b", "feature/bees"], [BEES]),
        (["-b", "feature/*"], [BEES]),
        (["-b", "feature"], []),
        (["-f", "lexer"], [ORBIT]),
        (["-f", "*.py"], [ORBIT]),
        (["-p", "orbit", "-a", "claude"], [ORBIT]),
        (["-p", "orbit", "-a", "claude", "-d", "2026-03-02"], []),
        (["-n", "1"], [BEES]),
    ],
    ids=" ".join,
)
def test_a_filter_lets_through(user, capsys, arguments, found):
    assert ids(capsys, *arguments) == found


@pytest.mark.parametrize("option", ["-p", "-a", "-s", "--run-id", "--prompt-id", "-b", "-f"])
@pytest.mark.parametrize("value", ["'; DROP TABLE chunks; --", "%", "_", "[a-z]"])
def test_no_value_does_harm(user, capsys, option, value):
    assert ids(capsys, option, value) == []
    assert ids(capsys) == ALL


class TestJson:
    def test_the_answer_has_these_fields(self, user, capsys):
        found = answer(capsys)
        assert list(found) == ["schema", "results", "matched", "items", "notes", "oracle_status"]
        assert (found["schema"], found["results"], found["matched"]) == ("aicx.steer/1", 4, 4)

    def test_the_status_has_these_fields(self, user, capsys):
        assert list(answer(capsys)["oracle_status"]) == [
            "source_layer",
            "backend",
            "index_kind",
            "fallback_reason",
            "store_root",
            "indexed_count",
            "scanned_count",
            "candidate_count",
            "source_paths_verified",
            "stale_or_unknown",
        ]

    def test_an_item_has_these_fields(self, user, capsys):
        (item,) = answer(capsys, "--run-id", "r-1", "-p", "orbit")["items"]
        assert set(item) == {
            "schema",
            "id",
            "project",
            "agent",
            "session_id",
            "date",
            "kind",
            "started_at",
            "completed_at",
            "content_sha256",
            "source",
            "redactions",
            "branch",
            "cwd",
            "errors",
            "files",
            "lane",
            "model",
            "agent_model",
            "prompt",
            "prompt_id",
            "repo_source",
            "run_id",
            "title",
            *("chunk_title", "prompt_key", "automated", "automated_why", "runs", "run_ids"),
            "tokens",
            "tools",
            "path",
        }

    def test_the_path_leads_to_the_chunk(self, user, capsys):
        for item in answer(capsys)["items"]:
            assert Path(item["path"]).read_text("utf-8").startswith("# ")

    def test_a_repeated_option_means_any_of_its_values(self, user, capsys):
        assert ids(capsys, "-p", "apiary", "-p", "/srv/notes") == [BEES, NOTES]
        assert ids(capsys, "-a", "codex", "-a", "claude") == ALL

    def test_the_limit_does_not_hide_how_many_there_are(self, user, capsys):
        found = answer(capsys, "-n", "1")
        assert (found["results"], found["matched"]) == (1, 4)

    def test_an_error_is_one_object(self, user, capsys):
        code, out, err = steer(capsys, "-k", "poems", "--json")
        assert (code, err) == (2, "")
        assert list(json.loads(out)) == ["schema", "ok", "error", "kind", "hint"]

    @pytest.mark.parametrize("option", ["--json", "-j"])
    def test_an_error_of_usage_is_one_object_too(self, user, capsys, option):
        code, out, err = steer(capsys, "--limit", "many", option)
        assert (code, err) == (2, "")
        assert json.loads(out)["schema"] == "aicx.error/1"


class TestText:
    def test_only_chunks_about_it_are_listed_best_first(self, user, capsys):
        found = answer(capsys, "fix", "the", "lexer")
        assert found["items"][0]["id"] == ORBIT
        assert DOCS not in [item["id"] for item in found["items"]]
        scores = [item["score"] for item in found["items"]]
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)

    def test_an_item_has_a_score_beside_what_it_has_without_a_text(self, user, capsys):
        [item] = answer(capsys, "lexer", "-p", "orbit")["items"]
        [plain] = answer(capsys, "-s", SESSION, "-p", "orbit")["items"]
        score = item.pop("score")
        assert (item, score > 0) == (plain, True)

    def test_the_answer_says_what_was_asked_and_how_it_is_ordered(self, user, capsys):
        found = answer(capsys, "lexer", "--decay", "30")
        assert [found[name] for name in ("query", "order", "decay")] == ["lexer", "relevance", "30"]
        assert found["oracle_status"]["rankers"] == ["lexical"]
        assert answer(capsys, "lexer")["decay"] == "gentle"

    def test_filters_hold_before_anything_is_ordered(self, user, capsys):
        assert ids(capsys, "write", "docs", "lexer", "bees", "-a", "codex") == [DOCS]
        assert ids(capsys, "bees", "--run-id", "r-1", "-p", "apiary") == [BEES]
        assert ids(capsys, "lexer", "-a", "codex") == []

    def test_the_list_looks_as_without_a_text_and_its_order_is_said(self, user, capsys):
        _, out, err = steer(capsys, "lexer", "-p", "orbit", "-n", "1")
        assert out == steer(capsys, "--run-id", "r-1", "-p", "orbit")[1]
        assert err == "Times are UTC.\n1 chunk, ordered by words and age (decay gentle).\n"

    def test_more_than_is_shown_is_mentioned(self, user, capsys):
        err = steer(capsys, "bees lexer", "-n", "1")[2]
        assert "1 of 2 shown, ordered by words and age (decay gentle); --limit shows more." in err

    def test_a_date_lists_its_chunks_newest_first(self, user, capsys):
        found = answer(capsys, "march", "2026")
        assert [item["id"] for item in found["items"]] == ALL
        assert found["order"] == "newest"
        assert "newest first" in steer(capsys, "2026-03-01")[2]

    def test_explain_says_why_each_chunk_has_its_place(self, user, capsys):
        out = steer(capsys, "bees lexer", "--explain")[1]
        assert out.count("lexical: rank ") == 2
        assert out.count("; decay x0.") == 2

    def test_an_empty_text_is_none(self, user, capsys):
        assert answer(capsys, " ") == answer(capsys)

    @pytest.mark.parametrize(
        "arguments", [["--decay", "gentle"], ["--explain"], ["lexer", "--decay", "soon"], ["the"]], ids=" ".join
    )
    def test_what_makes_no_sense_is_exit_two(self, user, capsys, arguments):
        assert steer(capsys, *arguments)[0] == 2


class TestForPeople:
    def test_a_chunk_is_three_lines(self, user, capsys):
        _, out, err = steer(capsys, "--run-id", "r-1", "-p", "orbit")
        path = next(path for path, fields in user.chunks().items() if fields["id"] == ORBIT)
        assert out.splitlines() == [
            "2026-03-01 10:00  Fix the lexer",
            f"  ada/orbit · claude · conversations · branch main · 1 error · {ORBIT}",
            f"  {user.corpus / path}",
        ]
        assert err == "Times are UTC.\n"

    def test_what_is_not_shown_is_mentioned(self, user, capsys):
        assert "1 of 4 shown; --limit shows more." in steer(capsys, "-n", "1")[2]

    def test_nothing_found_says_what_to_try(self, user, capsys):
        code, out, err = steer(capsys, "-s", "ffff")
        assert (code, out) == (0, "")
        assert "Nothing matches." in err

    @pytest.mark.parametrize(("option", "known"), [("-p", "ada/apiary, ada/orbit"), ("-a", "claude, codex")])
    def test_an_unknown_name_is_answered_with_the_known(self, user, capsys, option, known):
        assert known in steer(capsys, option, "zzz")[2]

    def test_an_answer_without_the_catalogue_says_so(self, user, capsys, monkeypatch, tmp_path):
        copy = copied(user, tmp_path)
        monkeypatch.setenv("AICX_HOME", str(copy.corpus))
        for path in copy.corpus.glob("catalog.sqlite*"):
            path.unlink()
        code, out, err = steer(capsys)
        assert code == 0
        assert len(out.splitlines()) == 12
        assert "the catalogue is missing or damaged" in err


class TestFailures:
    def test_nothing_stored_yet_is_exit_three(self, user, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
        code, _, err = steer(capsys)
        assert code == 3
        assert "next: aicx store" in err

    def test_a_question_makes_no_home(self, user, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
        steer(capsys)
        assert not (tmp_path / "empty").exists()

    @pytest.mark.parametrize(
        "arguments",
        [
            ["-k", "poems"],
            ["-d", "someday"],
            ["--date", ""],
            ["--since", "soon"],
            ["--since", "99999999999d"],
            ["--until", "x"],
            ["-n", "0"],
            ["-n", "x"],
            ["--colour"],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_sense_is_exit_two(self, user, capsys, arguments):
        assert steer(capsys, *arguments)[0] == 2
