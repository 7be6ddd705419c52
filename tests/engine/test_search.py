"""Search from the question to the answers: how they are ordered, and what an answer says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aicx.errors import NotFound, UsageError
from retrieval.params import DEFAULT_PARAMS
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import MODES, ask, copied, embed, found, keep, ready_for

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own

EVERYTHING = replace(DEFAULT_PARAMS, abstain=False)
DAY = 86_400.0
ONE = f"claude:{SESSION}:001"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Sessions of several chunks, a subagent, an answer of aicx itself, and a name that occurs once."""
    user = Home(tmp_path_factory.mktemp("workshop"))
    long = ClaudeLog(SESSION)
    for day in range(3):  # a day is a chunk
        long.prompt(f"The valve of pump {day} is stuck", day * DAY).answer(
            f"Turned the valve {day} times.", day * DAY + 5
        )
    user.claude(long)
    user.claude(ClaudeLog(OTHER).prompt("A valve, once, said in passing among other things", 50))
    helper = ClaudeLog(SESSION)
    helper.prompt("Check the flange of the pump", 60, isSidechain=True, agentId="a1")
    user._write(f".claude/projects/-srv-ada-orbit/{SESSION}/subagents/agent-a1.jsonl", helper.body())
    user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001").prompt("The flange of the pump", 70))
    searching = ClaudeLog(THIRD).prompt("What do we know of gaskets?", 80)
    searching.call("Bash", 81, "toolu_7", command='aicx search "gasket"').result(
        "An old quotation on turbines", 82, "toolu_7"
    )
    user.claude(searching)
    for number in range(12):
        log = ClaudeLog(f"bbbb{number:04x}-0000-4000-8000-000000000001")
        log.prompt(
            f"Parse the header of file {number}, then the parser reads its header and the file again", 100 + number
        )
        user.claude(log)
    names = "See `src/file/parser.py`, parse_header(), headerParser, header::parse_file and ERR_FILE_HEADER there"
    user.claude(ClaudeLog("cccc1111-0000-4000-8000-000000000001").prompt(names, 300))
    keep(user)
    return user


def sessions(report) -> list[str]:
    return [hit.sidecar.session_id for hit in report.hits]


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "scan"])
def test_grouping_gives_each_session_once(workshop, mode):
    report = ask(ready_for(mode, workshop), "valve", mode=mode, group="session")
    assert sessions(report) == [SESSION, OTHER]
    assert [hit.chunks for hit in report.hits] == [3, 1]


def test_without_grouping_each_chunk_is_an_answer(workshop):
    assert len(ask(workshop, "valve", mode="lexical").hits) == 4


def test_diversity_lets_another_session_in_between(workshop):
    alone = ask(workshop, "valve", mode="lexical", rules=replace(DEFAULT_PARAMS, diversity=1.0))
    spread = ask(workshop, "valve", mode="lexical", rules=replace(DEFAULT_PARAMS, diversity=0.01))
    assert sessions(alone)[:3] == [SESSION] * 3
    assert sessions(spread)[:2] == [SESSION, OTHER]


def test_a_subagent_counts_less_than_who_asked_it(workshop):
    report = ask(workshop, "flange of the pump", mode="lexical", rules=replace(DEFAULT_PARAMS, subagent=0.1))
    lanes = [hit.sidecar.get("lane") for hit in report.hits]
    assert lanes.index("subagent") > lanes.index("primary")


def test_a_subagent_is_told_apart(workshop):
    assert {hit.sidecar.get("lane") for hit in ask(workshop, "flange", mode="lexical").hits} == {"primary", "subagent"}


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_of_aicx_itself_is_not_found_again(workshop, mode):
    report = ask(ready_for(mode, workshop), "old quotation on turbines", mode=mode, rules=EVERYTHING)
    assert not any("turbines" in line.text for hit in report.hits for line in hit.lines)


def test_what_was_asked_of_aicx_is_found(workshop):
    assert THIRD in sessions(ask(workshop, "gaskets", mode="lexical"))


NAMES = [
    "src/file/parser.py",
    "parser.py",
    "parse_header",
    "headerParser",
    "header::parse_file",
    "parse_file",
    "ERR_FILE_HEADER",
]


@pytest.mark.parametrize("group", ["chunk", "session"])
@pytest.mark.parametrize("mode", ["lexical", "hybrid", "auto"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_occurs_once_comes_first_though_its_words_are_common(workshop, name, mode, group):
    assert sessions(ask(ready_for(mode, workshop), name, mode=mode, group=group))[0].startswith("cccc")


def test_a_question_in_words_is_no_lookup(workshop):
    plain = replace(DEFAULT_PARAMS, lookup_name=0.0, lookup_phrase=0.0, meaning_in_lookup=DEFAULT_PARAMS.meaning)
    question = "why does the parser read the header again"
    assert found(workshop, question) == found(workshop, question, rules=plain)


def test_somebodys_own_words_are_looked_up_and_a_question_of_ones_own_is_not(workshop):
    embed(workshop)
    weights = []
    for text in (
        "parse the header of file 3, then the parser reads its header",
        "of file 3 the header is what the parser reads and does parse",
    ):
        (hit,) = ask(workshop, text, mode="hybrid", limit=1).hits
        weights.append(sum(vote.worth for name, vote in hit.votes.items() if name == "dense"))
    assert weights[0] <= DEFAULT_PARAMS.meaning_in_lookup < weights[1]


# Meaning, and nothing near --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Texts that a misspelled question is near to in the vectors for tests, and has no word in common with."""
    user = Home(tmp_path_factory.mktemp("meaning"))
    user.claude(ClaudeLog(SESSION).prompt("reconnection backoff " * 20, 0))
    user.claude(ClaudeLog(OTHER).prompt("The bread is in the oven, and the flour on the table", 60))
    filler = "The quick brown fox jumps over the lazy dog again. " * 185
    user.claude(ClaudeLog(THIRD).prompt(f"{filler}\n{'thermodynamics equilibrium ' * 12}", 120))
    keep(user)
    embed(user)
    return user


def test_what_only_meaning_finds_is_found(meaning):
    (hit,) = ask(meaning, "reconnecktionn bakkoff").hits
    assert (hit.sidecar.id, hit.tier, list(hit.votes)) == (ONE, "nearest", ["dense"])


def test_a_nearest_hit_shows_the_passage_that_is_near(meaning):
    report = ask(meaning, "thermodinamic equilibrum", mode="dense", rules=EVERYTHING, limit=1)
    assert report.hits[0].tier == "nearest"
    assert any("thermodynamics" in line.text for line in report.hits[0].lines)


def test_a_sentence_at_the_end_of_a_long_chunk_is_found_by_meaning(meaning):
    tokens = next(chunk["tokens"] for chunk in meaning.sidecars() if chunk["session_id"] == THIRD)
    assert tokens > 2300
    assert found(meaning, "thermodinamic equilibrum", mode="dense", rules=EVERYTHING)[0].startswith(f"claude:{THIRD}")


def test_nothing_near_is_no_answer(meaning):
    assert ask(meaning, "hippopotamus").hits == []


def test_nothing_near_is_said_with_both_numbers(meaning):
    report = ask(meaning, "hippopotamus")
    status = report.oracle_status
    (note,) = report.notes
    assert f"{status['nearest']:.2f}" in note
    assert f"{status['near_threshold']:.2f}" in note
    assert status["nearest"] < status["near_threshold"]


def test_a_single_word_in_common_is_always_an_answer(meaning):
    report = ask(meaning, "hippopotamus flour")
    assert (report.hits[0].sidecar.session_id, report.hits[0].tier) == (OTHER, "partial")
    assert (report.hits[0].terms_found, report.hits[0].terms_asked) == (1, 2)


def test_what_is_far_in_meaning_follows_what_words_found(meaning):
    report = ask(meaning, "hippopotamus flour")
    near = report.oracle_status["near_threshold"]
    far = [hit.votes["dense"].score < near for hit in report.hits if "lexical" not in hit.votes]
    assert far == [True, True]


def test_words_that_tell_nothing_do_not_lift_the_threshold(meaning):
    assert ask(meaning, "how does the hippopotamus work").hits == []


def test_nothing_is_held_back_where_the_rule_is_off(meaning):
    assert ask(meaning, "hippopotamus", rules=EVERYTHING).hits


def test_without_the_ranker_by_meaning_there_is_no_threshold(meaning):
    status = ask(meaning, "flour", mode="lexical").oracle_status
    assert (status["nearest"], status["near_threshold"]) == (None, None)


# Phrases --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worded(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """One session that says a thing in so many words, and one that has the same words in another order."""
    user = Home(tmp_path_factory.mktemp("worded"))
    user.claude(ClaudeLog(SESSION).prompt("It Could  not\ncompile the valve of the café\u00a0door.", 0))
    user.claude(ClaudeLog(OTHER).prompt("Compile it, if not the valve could stick: compile, compile.", 50))
    keep(user)
    embed(user)
    return user


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "dense", "scan"])
def test_a_phrase_is_held_to_the_letter_by_every_ranker(worded, mode):
    assert {name.split(":")[1][:8] for name in found(worded, '"could not compile"', mode=mode)} <= {SESSION[:8]}


@pytest.mark.parametrize("phrase", ["could not compile", "cafe door", "café door"])
def test_a_phrase_is_found_over_lines_and_without_marks_also_of_words_that_no_index_has(worded, phrase):
    assert sessions(ask(worded, f'"{phrase}"', mode="lexical")) == [SESSION]


def test_a_phrase_is_looked_for_beyond_the_first_candidates(tmp_path):
    user = Home(tmp_path)
    for number in range(7):
        user.claude(ClaudeLog(f"bbbb{number:04x}-0000-4000-8000-000000000001").prompt("Compile, compile!", 50 + number))
    user.claude(ClaudeLog(SESSION).prompt("It could not compile the valve of the pump at the gate of the mill", 0))
    keep(user)
    few = replace(DEFAULT_PARAMS, pool=1)
    assert sessions(ask(user, '"could not compile"', mode="lexical", limit=1, rules=few)) == [SESSION]


# Modes and what the answer says of itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "rankers", "backend", "kind"),
    [
        ("lexical", ["lexical"], "lexical", "canonical_chunks"),
        ("dense", ["dense"], "content_semantic", "canonical_chunks"),
        ("hybrid", ["dense", "lexical"], "hybrid", "canonical_chunks"),
        ("auto", ["dense", "lexical"], "hybrid", "canonical_chunks"),
        ("scan", ["scan"], "filesystem_scan", "none"),
    ],
)
def test_the_answer_says_who_ranked(meaning, mode, rankers, backend, kind):
    status = ask(meaning, "flour", mode=mode).oracle_status
    assert (status["rankers"], status["backend"], status["index_kind"]) == (rankers, backend, kind)
    assert (status["fallback_reason"], status["stale_or_unknown"]) == (None, False)
    assert status["freshness"] == {name: {"behind": 0} for name in rankers}


def test_the_answer_counts_what_was_indexed_and_read(meaning):
    assert ask(meaning, "flour", mode="lexical").oracle_status["indexed_count"] == 3
    scanned = ask(meaning, "flour", mode="scan")
    assert (scanned.scanned, scanned.oracle_status["scanned_count"]) == (3, 3)


def test_votes_say_what_each_ranker_made_of_an_answer(meaning):
    (hit,) = ask(meaning, "hippopotamus flour", rules=EVERYTHING, limit=1).hits
    assert hit.votes.keys() == {"dense", "lexical", "rerank"}
    assert sum(vote.worth for vote in hit.votes.values()) == pytest.approx(hit.score)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A corpus of which nobody made a vector index."""
    user = Home(tmp_path_factory.mktemp("plain"))
    user.claude(ClaudeLog(SESSION).prompt("The gasket leaks", 0))
    keep(user)
    return user


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_a_ranker_by_name_that_is_not_there_is_an_error(plain, mode):
    with pytest.raises(NotFound) as raised:
        ask(plain, "gasket", mode=mode)
    assert raised.value.hint == "aicx index"


def test_nothing_is_said_of_meaning_where_nobody_asked_for_it(plain):
    status = ask(plain, "gasket").oracle_status
    assert (status["rankers"], status["fallback_reason"]) == (["lexical"], None)


@pytest.mark.parametrize("text", ["", "  ", "the of and", "?!", '"', '""', "\n"])
def test_a_question_of_nothing_is_an_error_with_a_next_step(plain, text):
    with pytest.raises(UsageError) as raised:
        ask(plain, text)
    assert raised.value.hint


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text", ["🎉", 'flour "oven', "'; DROP --", "x" * 5000], ids=["emoji", "unbalanced", "SQL", "long"]
)
def test_an_odd_question_is_answered_by_every_ranker(meaning, text, mode):
    assert ask(meaning, text, mode=mode).oracle_status["rankers"]


def test_a_long_question_is_cut_and_says_so(plain):
    report = ask(plain, "gasket " * 16_000)
    assert len(report.hits) == 1
    assert "cut to its first 4000 characters" in report.notes[0]


def test_nothing_stored_is_an_error_with_a_next_step(tmp_path):
    with pytest.raises(NotFound) as raised:
        ask(Home(tmp_path), "anything")
    assert raised.value.hint == "aicx store"


def test_a_misspelt_word_is_searched_for_as_it_was_meant(workshop):
    report = ask(workshop, "gaskest", mode="lexical")
    assert len(report.hits) == 1
    assert report.notes == ["searched for 'gaskets' instead of 'gaskest', which occurs nowhere; in quotes it is kept"]


def test_a_misspelt_word_in_quotes_is_kept(workshop):
    report = ask(workshop, '"gaskest"', mode="lexical")
    assert (report.hits, report.notes, report.missing_words) == ([], [], ("gaskest",))


def test_nothing_hidden_is_named_as_what_was_meant(workshop, tmp_path):
    hidden = copied(workshop, tmp_path)
    hidden.settings.layout.ignore_file.write_text("*\n", "utf-8")
    assert ask(hidden, "gaskest", mode="lexical").notes == []


def test_where_a_passage_begins_is_asked_only_for_answers_without_a_line(workshop, monkeypatch):
    embed(workshop)
    asked = []
    monkeypatch.setattr("retrieval.dense.MeaningSearch.places", lambda self, found: asked.append(found) or {})
    report = ask(workshop, "valve", mode="hybrid", rules=EVERYTHING, rerank=0)
    assert len(asked) == sum(hit.tier == "nearest" for hit in report.hits) < len(report.hits)
