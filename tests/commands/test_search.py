"""`aicx search` through the real command line: the same order as the engine, the JSON, and what people see."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.engine.search import SearchQuery, search
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.engine.search_helpers import MODES, NOW, copied, embed, keep
from tests.quoted import inside
from tests.sampling import sample

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "json.md"
NEXT_DAY = 86_400.0


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Four sessions: one of two days, one of another agent, a subagent of the first, one of other things."""
    user = Home(tmp_path_factory.mktemp("stored"))
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    log = ClaudeLog(SESSION, orbit, "fix/gasket").title("Stop the leak")
    log.prompt("Why does the gasket leak?", 0).answer("The washer is worn.\nReplace it with wash_kit_2.", 5)
    user.claude(log.prompt("And the gasket of the second pump?", NEXT_DAY))
    helper = ClaudeLog(SESSION, orbit).prompt("Look at every gasket there is", 30, isSidechain=True, agentId="a1")
    user._write(f".claude/projects/-srv-ada-orbit/{SESSION}/subagents/agent-a1.jsonl", helper.body())
    user.codex(CodexLog(THIRD, orbit).prompt("Order a gasket, please", 40).answer("Ordered.", 41))
    user.claude(ClaudeLog(OTHER, "/srv/notes").prompt("reconnection backoff " * 20, 50))
    keep(user)
    return user


@pytest.fixture(scope="module")
def embedded(stored: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = copied(stored, tmp_path_factory.mktemp("embedded"))
    embed(user)
    return user


@pytest.fixture
def shell(home: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a corpus the one that commands use."""

    def use(user: Home) -> Home:
        user.used(monkeypatch)
        return user

    return use


@pytest.fixture
def user(shell, stored: Home, capsys: pytest.CaptureFixture[str]) -> Home:
    capsys.readouterr()
    return shell(stored)


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["search", *arguments])
    printed = capsys.readouterr()
    return code, printed.out if "--json" in arguments else inside(printed.out), printed.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = ask(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return found


# One order everywhere -------------------------------------------------------------------------------------------------

QUESTIONS = [
    "gasket",
    "why does the gasket leak",
    "wash_kit_2",
    "reconection backof",
    "march 2026",
    '"second pump"',
    "zzz",
]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("group", ["chunk", "session"])
def test_the_command_line_answers_in_the_order_of_the_engine(shell, request, capsys, mode, group):
    user = shell(request.getfixturevalue("embedded" if mode in ("dense", "hybrid") else "stored"))
    for text in sample(QUESTIONS, 2, (mode, group), ends=False):
        report = search(user.settings, SearchQuery(text, NOW, mode=mode, group=group))
        items = answer(capsys, text, "--mode", mode, "--group", group)["items"]
        assert [(item["id"], item["score"]) for item in items] == [
            (hit.sidecar.id, round(hit.score, 6)) for hit in report.hits
        ]


# JSON -----------------------------------------------------------------------------------------------------------------

ITEM = [
    *("rank", "score", "tier", "id", "ref", "session_id", "agent", "project", "date", "started_at", "kind", "title"),
    *("chunk_title", "branch", "cwd", "lane", "path", "chunks", "terms_found", "terms_asked", "matches", "reply"),
    "altered",
    *("density", "density_score", "label", "decay_factor", "place_factor", "history"),
    *("contributions", "automated", "automated_why", "runs", "run_ids"),
]
STATUS = {
    *("source_layer", "backend", "rankers", "index_kind", "fallback_reason", "store_root", "indexed_count"),
    *("scanned_count", "freshness", "stale_or_unknown", "near_threshold", "nearest", "candidate_count"),
    *("reranked", "source_paths_verified", "place", "history"),
}


class TestJson:
    def test_the_answer_has_these_fields(self, user, capsys):
        found = answer(capsys, "gasket")
        assert list(found) == [
            *("schema", "query", "results", "matched", "scanned", "evidence", "missing_words", "evidence_note"),
            *("items", "notes", "oracle_status"),
        ]
        assert (found["schema"], found["query"], found["results"]) == ("aicx.search/1", "gasket", 4)

    def test_an_item_has_these_fields(self, user, capsys):
        assert [list(item) for item in answer(capsys, "gasket")["items"]] == [ITEM] * 4

    def test_an_item_says_enough_to_cite_it(self, user, capsys):
        (item,) = answer(capsys, "washer worn", "-n", "1")["items"]
        assert {
            name: item[name] for name in ("rank", "tier", "id", "session_id", "agent", "project", "date", "kind")
        } == {
            "rank": 1,
            "tier": "exact",
            "id": f"claude:{SESSION}:001",
            "session_id": SESSION,
            "agent": "claude",
            "project": "ada/orbit",
            "date": "2026-03-01",
            "kind": "conversations",
        }
        assert (item["started_at"], item["branch"]) == ("2026-03-01T10:00:00.000Z", "fix/gasket")
        assert item["matches"] == ["The washer is worn.", "Replace it with wash_kit_2."]
        assert (item["ref"], item["reply"]) == (f"{SESSION[:8]}:001", None)
        assert (item["terms_found"], item["terms_asked"]) == (2, 2)

    def test_the_path_leads_to_the_chunk(self, user, capsys):
        for item in answer(capsys, "gasket")["items"]:
            assert "gasket" in Path(item["path"]).read_text("utf-8")

    def test_contributions_say_each_rankers_part(self, shell, embedded, capsys):
        shell(embedded)
        for item in answer(capsys, "gasket")["items"]:
            assert set(item["contributions"]) <= {"dense", "lexical", "rerank"}
            assert all(list(part) == ["rank", "score", "worth"] for part in item["contributions"].values())

    def test_the_status_has_these_fields(self, user, capsys):
        assert set(answer(capsys, "gasket")["oracle_status"]) == STATUS

    def test_the_status_of_a_date_alone_has_the_same_fields(self, user, capsys):
        assert set(answer(capsys, "march 2026")["oracle_status"]) == STATUS

    def test_the_question_is_printed_as_it_was_asked(self, user, capsys):
        assert answer(capsys, "gasket in march 2026")["query"] == "gasket in march 2026"

    def test_every_field_is_documented(self):
        fields = [*ITEM, *STATUS, "results", "matched", "scanned", "items", "notes"]
        assert [name for name in fields if f"`{name}`" not in DOCUMENTATION.read_text("utf-8")] == []

    @pytest.mark.parametrize("arguments", [["the of"], ["x", "--mode", "dense"], ["x", "--limit", "0"]], ids=" ".join)
    def test_an_error_is_one_object_with_a_next_step(self, user, capsys, arguments):
        code, out, err = ask(capsys, *arguments, "--json")
        assert (code > 0, err) == (True, "")
        fields = json.loads(out)
        assert list(fields) == ["schema", "ok", "error", "kind", "hint"]
        assert fields["hint"]


# For people -----------------------------------------------------------------------------------------------------------


class TestForPeople:
    def test_an_answer_says_what_where_who_and_when(self, user, capsys):
        code, out, err = ask(capsys, "washer worn", "-n", "1")
        assert out.splitlines() == [
            " 1  Stop the leak",
            f"    {SESSION[:8]}:001 · ada/orbit · branch fix/gasket · claude · 2026-03-01 10:00 · exact",
            "    │ The washer is worn.",
            "    │ Replace it with wash_kit_2.",
        ]
        assert (code, err) == (0, "1 answer of 1 candidate, ranked by lexical.\nTimes are UTC.\n")

    def test_verbose_answers_have_the_path_and_how_to_go_on(self, user, capsys):
        out = ask(capsys, "washer worn", "-n", "1", "-v")[1]
        path = next(path for path, fields in user.chunks().items() if fields["id"] == f"claude:{SESSION}:001")
        assert out.splitlines()[-2:] == [f"    {user.corpus / path}", f"    claude --resume {SESSION}"]

    def test_what_is_printed_as_a_reference_can_be_shown(self, user, capsys):
        ref = ask(capsys, "washer worn", "-n", "1")[1].split()[4]
        assert ref == f"{SESSION[:8]}:001"
        assert run(["show", ref]) == 0
        assert "The washer is worn." in capsys.readouterr().out

    def test_a_session_is_one_answer_with_its_other_chunks_under_it(self, user, capsys):
        out = ask(capsys, "gasket")[1]
        assert out.count(" Stop the leak\n") == 1
        assert re.search(rf"    \+ 1 more in this session: {SESSION[:8]}:00[12]\n", out)

    def test_the_chunks_of_a_session_apart_can_be_had(self, user, capsys):
        out = ask(capsys, "gasket", "--group", "chunk")[1]
        assert out.count(" Stop the leak\n") == 2
        assert "more in this session" not in out

    def test_folding_keeps_the_order_of_each_sessions_best_chunk(self, user, capsys):
        best = dict.fromkeys(item["session_id"] for item in answer(capsys, "gasket")["items"])
        shown = re.findall(r"^    (\S+):\d{3} ·", ask(capsys, "gasket")[1], re.MULTILINE)
        assert [ref.removeprefix("claude:") for ref in shown] == [
            session if session == "agent-a1" else session[:8] for session in best
        ]

    def test_times_are_local_and_the_zone_is_said_once(self, user, capsys, monkeypatch):
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        try:
            _, out, err = ask(capsys, "washer worn")
            assert "· 2026-03-01 19:00 ·" in out
            assert err.count("Times are JST (UTC+09:00); --utc shows UTC.") == 1
            _, out, err = ask(capsys, "washer worn", "--utc")
            assert ("· 2026-03-01 10:00 ·" in out, "Times are UTC." in err) == (True, True)
            assert answer(capsys, "washer worn")["items"][0]["started_at"] == "2026-03-01T10:00:00.000Z"
        finally:
            monkeypatch.undo()
            time.tzset()

    def test_days_in_filters_are_local(self, user, capsys, monkeypatch):
        # 10:00 UTC is past midnight there, and the day after.
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
        time.tzset()
        try:
            assert "· 2026-03-02 00:00 ·" in ask(capsys, "washer worn", "-d", "2026-03-02")[1]
            assert ask(capsys, "washer worn", "-d", "2026-03-01")[1] == ""
            assert "· 2026-03-01 10:00 ·" in ask(capsys, "washer worn", "-d", "2026-03-01", "--utc")[1]
        finally:
            monkeypatch.undo()
            time.tzset()

    def test_a_part_of_the_question_is_said_to_be_one(self, user, capsys):
        assert "partial (1 of 2 terms)" in ask(capsys, "hippopotamus washer")[1]

    @pytest.mark.parametrize(
        ("agent", "reopen"), [("claude", f"claude --resume {SESSION}"), ("codex", f"codex resume {THIRD}")]
    )
    def test_each_agents_own_command_takes_the_session_up_again(self, user, capsys, agent, reopen):
        assert f"    {reopen}" in ask(capsys, "gasket", "-a", agent, "-v")[1].splitlines()

    def test_a_subagent_is_labelled_and_leads_to_who_asked_it(self, user, capsys):
        _, out, _ = ask(capsys, "look at every gasket", "-n", "1", "-v")
        assert "· subagent" in out
        assert f"claude --resume {SESSION}" in out

    def test_a_session_says_how_many_of_its_chunks_matched(self, user, capsys):
        assert "· 2 chunks" in ask(capsys, "gasket", "--group", "session")[1]

    def test_explain_shows_each_rankers_rank_and_score(self, shell, embedded, capsys):
        shell(embedded)
        out = ask(capsys, "gasket leak", "--explain", "-n", "1")[1]
        assert re.search(r"dense: rank \d+, score \d\.\d+, lexical: rank \d+, score \d+\.\d+, rerank: rank \d+", out)

    def test_explain_shows_what_age_did(self, user, capsys):
        assert "decay x0." in ask(capsys, "gasket", "--explain", "--decay", "1")[1]

    def test_an_answer_by_date_has_no_score(self, user, capsys):
        out = ask(capsys, "2026-03-02", "--explain")[1]
        assert "score" not in out
        assert "by date" in out

    def test_which_days_were_meant_is_said(self, user, capsys):
        assert "note: only what is from 2026-03-01 to 2026-03-31" in ask(capsys, "gasket in march 2026")[2]

    def test_a_question_needs_no_quotes(self, user, capsys):
        assert ask(capsys, "why", "does", "the", "gasket", "leak")[1] == ask(capsys, "why does the gasket leak")[1]

    def test_what_is_missing_comes_before_the_answers(self, user, capsys):
        code, out, _ = ask(capsys, "hippopotamus order")
        assert code == 0
        assert out.splitlines()[0].startswith("'hippopotamus' occurs nowhere. Weak evidence: ")
        assert len(out.splitlines()) > 1

    def test_strong_evidence_needs_no_word(self, user, capsys):
        assert "evidence" not in ask(capsys, "gasket leak")[1]

    def test_nothing_found_says_what_to_try(self, user, capsys):
        code, out, err = ask(capsys, "hippopotamus")
        assert (code, out) == (0, "")
        assert err.startswith("Nothing matches: 'hippopotamus' occurs nowhere. Fewer or other words may match; ")
        assert err.count("Nothing") == 1

    def test_nothing_near_shows_both_numbers(self, shell, embedded, capsys):
        shell(embedded)
        assert re.search(r"the nearest passage scores \d\.\d\d, .* come as near as \d\.\d\d", ask(capsys, "hippo")[2])

    def test_a_limit_does_not_hide_how_many_there_are(self, user, capsys):
        assert "1 answer of 4 candidates" in ask(capsys, "gasket", "-n", "1")[2]

    def test_an_unknown_project_is_answered_with_the_known(self, user, capsys):
        assert "known: ada/orbit" in ask(capsys, "gasket", "-p", "zzz")[2]


class TestOptions:
    def test_newest_and_oldest_are_each_others_reverse(self, user, capsys):
        newest = [item["started_at"] for item in answer(capsys, "gasket", "--sort", "newest")["items"]]
        assert newest == sorted(newest, reverse=True)
        assert [item["started_at"] for item in answer(capsys, "gasket", "--sort", "oldest")["items"]] == newest[::-1]

    def test_a_session_can_be_left_out(self, user, capsys):
        items = answer(capsys, "gasket", "--exclude-session", SESSION)["items"]
        assert items
        assert SESSION not in {item["session_id"] for item in items}

    @pytest.mark.parametrize("decay", ["off", "gentle", "strong", "30", "0.5"])
    def test_every_way_to_decay_keeps_every_answer(self, user, capsys, decay):
        assert len(answer(capsys, "gasket", "--decay", decay)["items"]) == 4

    @pytest.mark.parametrize(
        ("arguments", "dates"),
        [
            (["-d", "2026-03-02"], ["2026-03-02"]),
            (["--since", "2026-03-02"], ["2026-03-02"]),
            (["-a", "codex"], ["2026-03-01"]),
            (["-b", "fix/*", "--until", "2026-03-01"], ["2026-03-01"]),
            (["-p", "nobody"], []),
        ],
        ids=" ".join,
    )
    def test_filters_are_those_of_steer(self, user, capsys, arguments, dates):
        assert [item["date"] for item in answer(capsys, "gasket", *arguments)["items"]] == dates

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--mode", "psychic"],
            ["--group", "agent"],
            ["--sort", "random"],
            ["--decay", "soon"],
            ["--decay", "-1"],
            ["--decay", "nan"],
            ["--decay", "0"],
            ["--limit", "0"],
            ["--limit", "1001"],
            ["-k", "poems"],
            ["-d", "someday"],
            ["--since", "soon"],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_sense_is_exit_two(self, user, capsys, arguments):
        code, out, err = ask(capsys, "gasket", *arguments)
        assert (code, out) == (2, "")
        assert "next:" in err

    @pytest.mark.parametrize("text", ["", "the of and", '"', "?!"])
    def test_a_question_of_nothing_is_exit_two_with_a_next_step(self, user, capsys, text):
        code, out, err = ask(capsys, text)
        assert (code, out) == (2, "")
        assert "next: ask with a word that says more" in err


class TestFallbacks:
    @pytest.fixture
    def own(self, shell, stored: Home, tmp_path: Path) -> Home:
        return shell(copied(stored, tmp_path))

    @pytest.mark.parametrize("mode", ["dense", "hybrid"])
    def test_meaning_by_name_without_an_index_is_exit_three_with_a_next_step(self, own, capsys, mode):
        code, out, err = ask(capsys, "gasket", "--mode", mode)
        assert (code, out) == (3, "")
        assert "there is no vector index" in err
        assert "next: aicx index" in err

    def test_without_an_index_of_words_every_chunk_is_read_and_it_is_said(self, own, capsys):
        for path in (own.corpus / "index" / "lexical").iterdir():
            path.unlink()
        code, out, err = ask(capsys, "washer worn")
        assert code == 0
        assert "The washer is worn." in out
        assert "warning: there is no lexical index" in err
        assert "aicx store" in err
        assert "ranked by scan" in err

    def test_words_by_name_without_their_index_are_exit_three(self, own, capsys):
        for path in (own.corpus / "index" / "lexical").iterdir():
            path.unlink()
        assert ask(capsys, "gasket", "--mode", "lexical")[0] == 3

    def test_a_damaged_index_asked_by_name_is_exit_seven(self, own, capsys):
        next((own.corpus / "index" / "lexical").glob("*.term")).write_bytes(b"junk")
        code, out, err = ask(capsys, "gasket", "--mode", "lexical")
        assert (code, out) == (7, "")
        assert "next: aicx store" in err

    def test_an_index_that_is_behind_says_by_how_much(self, own, capsys):
        keep(own)
        own.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001").prompt("A new gasket", 500))
        own.store()
        assert "the lexical index is 1 chunk behind; next: aicx store" in ask(capsys, "gasket")[2]

    def test_an_answer_without_the_catalogue_says_so(self, own, capsys):
        for path in own.corpus.glob("catalog.sqlite*"):
            path.unlink()
        code, out, err = ask(capsys, "washer worn")
        assert (code, "The washer is worn." in out) == (0, True)
        assert "the catalogue is missing" in err

    def test_nothing_stored_yet_is_exit_three_and_makes_no_home(self, shell, tmp_path, capsys):
        empty = shell(Home(tmp_path))
        code, _, err = ask(capsys, "gasket")
        assert code == 3
        assert "next: aicx store" in err
        assert not empty.corpus.exists()

    def test_a_question_writes_nothing(self, own, capsys):
        from tests.corpus.builders import snapshot

        before = snapshot(own.corpus)
        ask(capsys, "gasket")
        ask(capsys, "gasket", "--mode", "scan")
        assert snapshot(own.corpus) == before
