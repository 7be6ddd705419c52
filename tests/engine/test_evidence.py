"""What search says of a question that the corpus does not answer, and of words that occur nowhere."""

from __future__ import annotations

import pytest

from aicx.engine.search import SearchQuery, SearchReport
from aicx.filters import Filters
from retrieval.evidence import Evidence
from tests.corpus.builders import ClaudeLog, Home
from tests.engine.search_helpers import NOW, ask, keep

FILLER = "We looked at the log again and went on with other things for a while. " * 8


def session(number: int) -> str:
    return f"{number:08x}-4e63-4b9f-8b4d-6a1b2c3d4e5f"


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Two repositories: one about pumps, whose words stand together or apart, and one about boats."""
    user = Home(tmp_path_factory.mktemp("garage"))
    pumps = user.repository("pumps", "git@x.org:ada/pumps.git")
    boats = user.repository("boats", "git@x.org:ada/boats.git")
    leak = ClaudeLog(session(1), pumps).prompt("Why does the gasket of the pump leak under pressure?", 0)
    user.claude(leak.answer("The washer is worn.", 5))
    apart = f"The manifold is painted blue. {FILLER} The calibration table is in a drawer."
    user.claude(ClaudeLog(session(2), pumps).prompt(apart, 10))
    user.claude(ClaudeLog(session(3), boats).prompt("Varnish the keel before the regatta", 20))
    for number in range(4, 12):
        user.claude(ClaudeLog(session(number), pumps).prompt(f"Look at pump number {number}", 30 + number))
    keep(user)
    return user


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_words_together_in_a_passage_are_strong_evidence(garage: Home, mode: str) -> None:
    report = ask(garage, "why does the gasket leak", mode=mode)
    assert (report.evidence, report.missing_words) == ("strong", ())


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_words_apart_are_weak_evidence(garage: Home, mode: str) -> None:
    report = ask(garage, "how is the manifold calibration done", mode=mode)
    assert (report.evidence, report.missing_words) == ("weak", ("done",))
    assert report.hits


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_a_missing_word_that_tells_most_makes_evidence_weak(garage: Home, mode: str) -> None:
    report = ask(garage, "which pump uses zeppelin helium", mode=mode)
    assert (report.evidence, report.missing_words) == ("weak", ("uses", "zeppelin", "helium"))


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_nothing_is_no_evidence(garage: Home, mode: str) -> None:
    report = ask(garage, "zeppelin helium", mode=mode)
    assert (report.hits, report.evidence, report.missing_words) == ([], "none", ("zeppelin", "helium"))


def test_what_stands_in_another_repository_is_missing_within_a_filter(garage: Home) -> None:
    assert ask(garage, "varnish the keel").evidence == "strong"
    report = ask(garage, "varnish the keel", filters=Filters(project=("ada/pumps",)))
    assert (report.evidence, report.missing_words) == ("none", ("varnish", "keel"))


def test_a_word_that_most_chunks_have_is_no_answer_by_itself(tmp_path) -> None:
    user = Home(tmp_path)
    for number in range(101):
        user.claude(ClaudeLog(session(number)).prompt(f"Make it work, number {number}", number))
    keep(user)
    assert ask(user, "how does the zeppelin work").hits == []
    assert ask(user, "how does it work").hits


def test_a_question_of_one_known_word_is_strong(garage: Home) -> None:
    assert ask(garage, "keel").evidence == "strong"


@pytest.mark.parametrize(
    ("evidence", "missing", "said"),
    [
        ("strong", (), None),
        ("strong", ("keel",), "'keel' occurs nowhere; the answers have the other words."),
        ("weak", ("keel", "mast"), "'keel' and 'mast' occur nowhere. Weak evidence: "),
        ("weak", (), "Weak evidence: no passage has the words of the question together"),
        ("none", ("a", "b", "c"), "Nothing matches: 'a', 'b' and 'c' occur nowhere."),
        ("none", (), None),
        ("none", tuple(map(str, range(14))), "Nothing matches: '0', '1', '2', "),
    ],
)
def test_every_door_says_the_same_of_what_is_missing(
    evidence: Evidence, missing: tuple[str, ...], said: str | None
) -> None:
    note = SearchReport(SearchQuery("keel", NOW), [], 0, 0, evidence, missing).evidence_note
    assert note is None if said is None else note is not None and note.startswith(said)


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_a_word_that_filters_leave_out_is_not_said_to_occur_nowhere(garage: Home, mode: str) -> None:
    nowhere = "Nothing matches: 'varnish' occurs nowhere within these limits."
    assert ask(garage, "varnish", mode=mode, filters=Filters(project=("ada/pumps",))).evidence_note == nowhere
    assert ask(garage, "varnish in january 2020", mode=mode).evidence_note == nowhere
    assert ask(garage, "zeppelin", mode=mode).evidence_note == "Nothing matches: 'zeppelin' occurs nowhere."


def test_of_a_pasted_question_the_first_missing_words_are_named() -> None:
    note = SearchReport(SearchQuery("keel", NOW), [], 0, 0, "none", tuple(map(str, range(14)))).evidence_note
    assert str(note).endswith("'11' and 2 more occur nowhere.")


def test_a_day_without_anything_is_no_evidence(garage: Home) -> None:
    assert ask(garage, "2026-03-01").evidence == "strong"
    assert ask(garage, "2019-03-01").evidence == "none"


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A repository in which Python 3 was set up, a request was linked, and numbers stand beside other things."""
    user = Home(tmp_path_factory.mktemp("numbered"))
    pumps = user.repository("pumps", "git@x.org:ada/pumps.git")
    image = "Drop the old base image and support python:3.13 in step 2 of the build"
    user.claude(ClaudeLog(session(1), pumps).prompt(image, 0).answer("Done.", 5))
    linked = "Look into https://example.org/ada/pumps/issues/10868, the valve sticks"
    user.claude(ClaudeLog(session(2), pumps).prompt(linked, 10).answer("The valve was rusty.", 15))
    keep(user)
    return user


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_the_same_words_with_another_number_are_weak_evidence(numbered: Home, mode: str) -> None:
    report = ask(numbered, "when did we drop python 2 support", mode=mode)
    assert report.evidence == "weak"
    assert {hit.tier for hit in report.hits} == {"partial"}
    assert "no answer that has the other words has 'python 2'" in report.notes


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_the_number_that_was_asked_for_is_strong_evidence(numbered: Home, mode: str) -> None:
    assert ask(numbered, "why do we support python 3", mode=mode).evidence == "strong"


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_a_request_is_known_by_its_address(numbered: Home, mode: str) -> None:
    assert ask(numbered, "the sticking valve in #10868", mode=mode).evidence == "strong"


def test_words_of_asking_are_not_missing(numbered: Home) -> None:
    report = ask(numbered, "which session dealt with the rusty valve")
    assert (report.evidence, report.missing_words) == ("strong", ())
