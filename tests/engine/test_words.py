"""Words as people type them: names, slips, times, and other languages than English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.corpus.builders import ClaudeLog, Home
from tests.engine.search_helpers import ask, keep

DAY = 86_400.0


def session(number: int) -> str:
    return f"{number:08x}-4e63-4b9f-8b4d-6a1b2c3d4e5f"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A session a remark, one on each day from 1 March 2026."""
    user = Home(tmp_path_factory.mktemp("mixed"))
    for number, remark in enumerate(REMARKS):
        user.claude(ClaudeLog(session(number)).prompt(remark, number * DAY + 43_200))
    keep(user)
    return user


REMARKS = (
    "We use MongoDB for the sessions of the shop",
    "use the mongo shell, then use the db of the tests, mongo mongo db db db use",
    "The patch was applied to the lexer on both branches",
    "Die Datenbanken wurden nicht gesichert, weil der Speicher der Sicherung voll war",
    "Les migrations ont échoué parce que le serveur n'avait pas assez de mémoire",
    "Las copias fallaron porque el disco de las imágenes no tenía espacio",
    "ビルドのキャッシュが壊れたので、夜間テストが失敗しました",
    "로그인 화면의 번역이 빠져서 배포를 취소했습니다",
    "The release notes of 0.5 are being written",
    "git tag v0.5.0 && git push --tags",
    "Users complain about the search of 0.5.0",
    "We draw corn on the whiteboard in the log",
)


def numbers(report) -> list[int]:
    return [int(hit.sidecar.session_id[:8], 16) for hit in report.hits]


def test_a_camel_case_name_is_found_whole_before_its_parts(mixed: Home) -> None:
    assert numbers(ask(mixed, "why do we use MongoDB"))[0] == 0
    assert numbers(ask(mixed, "why do we use mongodb"))[0] == 0


def test_a_name_that_occurs_nowhere_is_looked_for_by_its_parts(mixed: Home) -> None:
    assert 1 in numbers(ask(mixed, "did we try MongoShell"))


def test_a_slip_is_corrected_in_ranking_and_said(mixed: Home) -> None:
    report = ask(mixed, "was the patch aplied")
    assert (numbers(report), report.missing_words) == ([2], ())
    assert report.notes == ["searched for 'applied' instead of 'aplied', which occurs nowhere; in quotes it is kept"]
    assert any("applied" in line.text for line in report.hits[0].lines)


def test_a_correction_is_written_as_the_answers_write_it(mixed: Home) -> None:
    [note] = ask(mixed, "imágnees").notes
    assert note.startswith("searched for 'imágenes' instead of 'imágnees'")


def test_quotes_undo_a_correction(mixed: Home) -> None:
    report = ask(mixed, 'patch "aplied"')
    assert (report.hits, report.notes) == ([], [])


def test_a_word_made_of_a_known_one_is_not_corrected(mixed: Home) -> None:
    report = ask(mixed, "unapplied patch")
    assert (report.missing_words, report.notes) == (("unapplied",), [])


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Warum wurde die Datenbank nicht gesichert?", 3),
        ("pourquoi la migration a échoué sur les serveurs", 4),
        ("¿por qué falló la copia de la imagen?", 5),
        ("夜間テストはなぜ失敗した", 6),
        ("배포를 왜 취소했나요", 7),
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_a_question_meets_text_in_its_own_language(mixed: Home, question: str, number: int, mode: str) -> None:
    report = ask(mixed, question, mode=mode)
    assert numbers(report)[0] == number
    assert report.hits[0].lines[0].marks


@pytest.mark.parametrize(
    ("word", "number"), [("Sicherung", 3), ("Datenbanken", 3), ("migrations", 4), ("serveur", 4), ("imágenes", 5)]
)
@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_a_word_alone_meets_text_in_its_language(mixed: Home, word: str, number: int, mode: str) -> None:
    report = ask(mixed, word, mode=mode)
    assert (numbers(report), report.evidence, report.missing_words) == ([number], "strong", ())
    assert report.notes == []


@pytest.mark.parametrize("word", ["corner", "logo", "whiteboardish"])
def test_a_word_in_english_is_not_taken_for_another_language(mixed: Home, word: str) -> None:
    assert ask(mixed, word).missing_words == (word,)


def test_a_relative_time_limits_as_a_date_does(mixed: Home) -> None:
    now = datetime(2026, 3, 11, 12, tzinfo=UTC)  # a Wednesday
    report = ask(mixed, "the patch last week", now=now)
    assert numbers(report) == [2]
    assert report.notes[0] == "only what is from 2026-03-02 to 2026-03-08, as the question says"
    assert numbers(ask(mixed, "what did users say yesterday", now=datetime(2026, 3, 12, 12, tzinfo=UTC))) == [10]


def test_the_day_of_a_release_is_that_of_its_tag(mixed: Home) -> None:
    assert set(numbers(ask(mixed, "release notes of search before the release of 0.5"))) <= set(range(10))
    assert numbers(ask(mixed, "users search since v0.5.0 was released")) == [10]
    assert "2026-03-10" in ask(mixed, "search after the release of 0.5").notes[0]


def test_a_release_that_nothing_tells_of_limits_nothing(mixed: Home) -> None:
    report = ask(mixed, "patch before the release of 9.9")
    assert 2 in numbers(report)
    assert "no release of 9.9 is known, so that it limits nothing" in report.notes
