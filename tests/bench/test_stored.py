"""Datasets over stored sessions: commits to sessions, and questions mined from one's own corpus."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aicx.bench.dataset import COUNTED, Dataset, Query, session_key
from aicx.bench.datasets import commits, own
from aicx.bench.measure import Answering, MeasureTask, run_here
from aicx.bench.mining import MinedSession, Prompt, latest, read_sessions
from aicx.bench.mining.questions import DATED, TOPICS, mine_absent, mine_dates, mine_identifiers, mine_reasks
from aicx.bench.rankers import RankerFolders, open_ranker, product
from aicx.bench.stores import stored_home
from aicx.engine.embedder_choice import Choice
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_index import build_vectors
from aicx.errors import NotFound
from tests.bench.invented import models, write_lines
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home, when
from tests.parts import require

pytestmark = pytest.mark.slow

DAY = 86_400.0


def quiet(_: object) -> None:
    pass


@pytest.fixture
def user(tmp_path: Path) -> Home:
    """Three sessions on three days: each with names of its own, two on one file, one asking again what another did."""
    user = Home(tmp_path)
    first = ClaudeLog(SESSION).prompt("Why does the tide gauge drop readings at midnight?", 0)
    first.call("Edit", 10, file_path="/srv/ada/orbit/src/gauge.py", old_string="a", new_string="read_tide_gauge()")
    user.claude(first.result("E0308 mismatched types in src/tide/gauge_reader.rs", 11))
    second = ClaudeLog(OTHER).prompt("Make the lamp blink slower", DAY)
    second.call("Edit", DAY + 10, file_path="/srv/ada/orbit/src/gauge.py", old_string="b", new_string="blinkRateMs")
    user.claude(second.result("done", DAY + 11))
    third = CodexLog(THIRD).prompt(
        "the tide gauge still seems to drop some readings around midnight, look again", 2 * DAY
    )
    user.codex(third.answer("The gauge lost its lock.", 2 * DAY + 5))
    user.store()
    refresh_lexical(user.settings, quiet)
    return user


def sessions(user: Home) -> list[MinedSession]:
    return read_sessions(user.settings.layout)


def loaded(user: Home, tmp_path: Path, *rows: dict[str, object]) -> Dataset:
    file = write_lines(tmp_path / "commits.jsonl", rows)
    return commits.load(file, user.root, tmp_path / "cache", quiet)


def row(**fields: object) -> dict[str, object]:
    found: dict[str, object] = {
        "qid": "c1",
        "query": "Gauge keeps readings over midnight",
        "relevant_sessions": [SESSION],
    }
    return {**found, "query_verbatim_in_session": False, "informative": True, **fields}


def test_commit_counts_when_its_subject_says_enough_and_stands_in_no_log(user: Home, tmp_path: Path) -> None:
    rows = (row(), row(qid="c2", query_verbatim_in_session=True), row(qid="c3", informative=False))
    parts = {query.id: query.part for query in loaded(user, tmp_path, *rows).queries}
    assert parts == {"c1": COUNTED, "c2": "subject stands in the log", "c3": "subject says too little"}


def test_commit_whose_sessions_are_not_stored_is_left_out_and_said(user: Home, tmp_path: Path) -> None:
    found = loaded(user, tmp_path, row(), row(qid="c2", relevant_sessions=["ffffffff-0000-4000-8000-000000000000"]))
    assert [query.id for query in found.queries] == ["c1"]
    assert found.notes[0].startswith("1 commits left out")


def test_session_is_known_by_its_uuid_whatever_stands_before_it(user: Home, tmp_path: Path) -> None:
    found = loaded(user, tmp_path, row(relevant_sessions=[f"2026-03-01-{SESSION}"]))
    assert found.queries[0].relevant == {SESSION: 1}
    assert session_key("notes") == "notes"


def test_commits_are_asked_after_the_newest_session(user: Home, tmp_path: Path) -> None:
    # With a commit's own time, decay would favour the session just before it whatever was asked.
    assert loaded(user, tmp_path, row()).queries[0].now > when(2 * DAY + 5)


def test_logs_are_stored_once(user: Home, tmp_path: Path) -> None:
    said: list[str] = []
    first = stored_home(user.root, tmp_path / "cache", said.append)
    assert len(said) == 1
    assert stored_home(user.root, tmp_path / "cache", said.append) == first
    assert len(said) == 1


def test_logs_that_changed_are_stored_anew(user: Home, tmp_path: Path) -> None:
    first = stored_home(user.root, tmp_path / "cache", quiet)
    user.claude(ClaudeLog(OTHER).prompt("Something else", DAY))
    assert stored_home(user.root, tmp_path / "cache", quiet) != first


def test_home_without_logs_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no agents' logs"):
        stored_home(tmp_path, tmp_path / "cache", quiet)


@pytest.mark.parametrize("name", ["fts5", "lexical", "aicx", "aicx:static"])
def test_sessions_are_answered_each_once(name: str, user: Home, tmp_path: Path) -> None:
    if name == "aicx:static":
        require("semantic")
    dataset = loaded(user, tmp_path, row())
    place = RankerFolders(tmp_path / "indexes", models(tmp_path / "models"), dataset.home)
    ranker = open_ranker(name, dataset.corpora["all"], place)
    answers = Answering(dataset, {"all": ranker}).answers(dataset.queries[0])
    assert answers[0] in (SESSION, THIRD)
    assert len(set(answers)) == len(answers)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("tide gauge readings at midnight", "strong"),
        ("whose gauge renews certificates of the ingress controller", "weak"),
        ("zzyzx quux", "none"),
    ],
)
def test_label_of_an_answer_is_the_one_that_search_gives(text: str, label: str, user: Home, tmp_path: Path) -> None:
    dataset = loaded(user, tmp_path, row())
    place = RankerFolders(tmp_path / "indexes", models(tmp_path / "models"), dataset.home)
    answering = Answering(dataset, {"all": open_ranker("aicx", dataset.corpora["all"], place)})
    assert answering.labelled(Query("q", text))[1] == label
    plain = Answering(dataset, {"all": open_ranker("fts5", dataset.corpora["all"], place)})
    assert plain.labelled(Query("q", text))[1] is None


@pytest.mark.needs("semantic")
def test_twin_leaves_the_home_it_copies_as_it_was(user: Home, tmp_path: Path) -> None:
    before = user.files()
    place = RankerFolders(tmp_path / "indexes", models(tmp_path / "models"), user.corpus)
    open_ranker("aicx:static", (), place)
    assert user.files() == before
    assert not list(user.corpus.rglob("*.lance"))


@pytest.mark.needs("semantic")
def test_words_alone_are_measured_in_a_home_that_has_a_vector_index(user: Home, tmp_path: Path) -> None:
    models(user.settings.layout.models)
    build_vectors(user.settings, Choice("static"), rebuild=False, on_progress=quiet, notify=quiet)
    place = RankerFolders(tmp_path, tmp_path, user.corpus)
    ranker = open_ranker("aicx", (), place)
    assert isinstance(ranker, product.Product)
    report = ranker.report(Query("q", "tide gauge readings at midnight"), 3)
    assert report is not None
    assert report.oracle_status["rankers"] == ["lexical"]


def test_identifier_is_asked_for_when_one_session_alone_holds_it(user: Home) -> None:
    found = {query.text: query for query in mine_identifiers(sessions(user), 20, Random(0))}
    assert found["E0308"].relevant == {SESSION: 1}
    assert found["src/tide/gauge_reader.rs"].relevant == {SESSION: 1}
    assert found["blinkRateMs"].relevant == found["blinkratems"].relevant == {OTHER: 1}
    assert {query.type for query in found.values()} == {"identifier"}


def test_identifier_that_another_session_holds_in_a_longer_word_is_not_asked_for(user: Home) -> None:
    user.claude(ClaudeLog(OTHER).prompt("rename OldBlinkRateMs", DAY))
    log = ClaudeLog("3d9e3f80-5f74-4ca0-9c5e-7b2c3d4e5f61").prompt("what is my_blinkRateMs_2 for?", 3 * DAY)
    user.claude(log)
    user.store()
    assert "blinkRateMs" not in {query.text for query in mine_identifiers(sessions(user), 20, Random(0))}


def test_prompt_that_asks_again_finds_the_earlier_session_and_not_its_own(user: Home) -> None:
    (found,) = mine_reasks(sessions(user), 10, Random(0))
    assert (found.relevant, found.exclude) == ({SESSION: 1}, THIRD)
    assert found.text.startswith("the tide gauge still")
    assert found.now == when(2 * DAY)


def test_the_session_that_asks_is_no_answer(user: Home, tmp_path: Path) -> None:
    dataset = own.load(user.settings.layout, seed=0)
    query = next(query for query in dataset.queries if query.exclude)
    ranker = open_ranker("aicx", (), RankerFolders(tmp_path, tmp_path, dataset.home))
    assert THIRD not in Answering(dataset, {"all": ranker}).answers(query)


def test_only_the_newest_chunks_are_read_where_that_is_said(user: Home) -> None:
    assert [session.key for session in read_sessions(user.settings.layout, newest=2)] == [OTHER, THIRD]


def test_file_of_two_days_is_asked_for_with_the_day(user: Home) -> None:
    (found,) = mine_dates(sessions(user), 10, Random(0))
    assert found.text in ("src/gauge.py on 2026-03-01", "src/gauge.py on 2026-03-02")
    assert found.relevant == ({SESSION: 1} if found.text.endswith("01") else {OTHER: 1})
    assert (found.type, found.part) == ("temporal", DATED)


def prompted(key: str, folder: str, prompt: str) -> MinedSession:
    return MinedSession(key, when(0), when(60), None, {folder}, prompts=[Prompt(key, when(0), prompt)], texts=[prompt])


def test_a_subject_never_discussed_is_asked_in_real_words() -> None:
    found = mine_absent([prompted("a", "/one", "the tide gauge"), prompted("b", "/two", "a lamp")], 6, Random(0))
    assert [query.type for query in found] == ["negative"] * 6
    assert set(TOPICS) >= {query.text for query in found[:4]}


def test_a_topic_that_a_session_was_about_is_not_asked() -> None:
    discussed = TOPICS[0]
    found = mine_absent([prompted("a", "/one", discussed)], len(TOPICS), Random(0))
    assert len(found) == len(TOPICS) - 1
    assert discussed not in {query.text for query in found}


def test_words_of_unrelated_sessions_are_asked_together() -> None:
    sessions = [prompted("a", "/one", "gauge"), prompted("b", "/two", "lamp")]
    texts = [query.text for query in mine_absent(sessions, 2, Random(0))]
    assert sorted(texts[-1].split()) == ["gauge", "lamp"]


@pytest.mark.parametrize("folder", ["/one", "/two"])
def test_words_that_belong_together_are_not(folder: str) -> None:
    """In one folder, or in one session."""
    sessions = [prompted("a", "/one", "gauge"), prompted("b", folder, "lamp")]
    if folder == "/two":
        sessions.append(prompted("c", "/three", "the gauge beside the lamp"))
    asked = {query.text for query in mine_absent(sessions, 40, Random(0))}
    assert not asked & {"gauge lamp", "lamp gauge"}


def test_own_questions_are_the_same_with_the_same_seed(user: Home) -> None:
    first, again = (own.load(user.settings.layout, seed=3) for _ in range(2))
    assert first.queries == again.queries
    assert first.fingerprint() == again.fingerprint()


def test_own_says_what_could_not_be_mined(user: Home) -> None:
    notes = own.load(user.settings.layout, seed=0).notes
    assert "none mined: commits of repositories on this disk" in notes
    assert "none mined: files and symbols that these commits began" in notes


def test_own_corpus_of_one_session_is_not_enough(tmp_path: Path) -> None:
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt("Alone", 0))
    user.store()
    with pytest.raises(NotFound, match="fewer than two"):
        own.load(user.settings.layout, seed=0)


def test_clock_of_mined_questions_is_the_end_of_the_corpus(user: Home) -> None:
    assert {query.now for query in mine_identifiers(sessions(user), 5, Random(0))} == {latest(sessions(user))}


def test_change_to_a_rule_has_a_cold_start_of_its_own(user: Home, tmp_path: Path) -> None:
    names = ["aicx", "aicx without headers"]
    task = MeasureTask(
        "aicx", loaded(user, tmp_path, row()), tmp_path / "indexes", tmp_path / "models", 1, variants=names
    )
    for measured in run_here(task):
        assert len(measured.cold) == len(measured.bare) == 1
        assert not measured.tokens  # weighed only where there is one to weigh


def test_product_over_a_store_answers_in_the_measuring_process(user: Home, tmp_path: Path) -> None:
    dataset = loaded(user, tmp_path, row())
    measured = run_here(MeasureTask("aicx", dataset, tmp_path / "indexes", tmp_path / "models", cold_runs=1))[0]
    assert measured.answers["c1"]
    assert measured.tokens["c1"] > 0
    assert len(measured.cold) == len(measured.bare) == 1
    assert measured.build_seconds is not None
