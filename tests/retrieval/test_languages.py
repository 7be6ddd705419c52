"""Which language a text is taken for, and that words of one language meet in all their forms."""

from __future__ import annotations

import pytest

from retrieval.analysis import analyze, analyze_runs
from retrieval.languages import language_of, languages_of

GERMAN = "Die Datenbanken wurden nicht gesichert, weil der Speicher voll war und wir das erst spät gemerkt haben."
FRENCH = "Les migrations ont échoué parce que le serveur n'avait pas assez de mémoire pour les nouvelles tables."
SPANISH = "Las migraciones fallaron porque el servidor no tenía memoria para las tablas que se añadieron ayer."
ENGLISH = "The migrations failed because the server did not have enough memory for the tables that were added."


@pytest.mark.parametrize(
    ("text", "language"), [(GERMAN, "german"), (FRENCH, "french"), (SPANISH, "spanish"), (ENGLISH, "")]
)
def test_a_text_is_told_by_its_commonest_words(text: str, language: str) -> None:
    assert language_of(text.split()) == language


@pytest.mark.parametrize(
    "text",
    [
        "del x; import os; la = 1",
        "I'm sure it's done, I'll merge d, s, t, l and m",
        "the die is cast and les paul plays",
        "para.css der.pem",
        "",
    ],
)
def test_code_and_english_with_such_words_are_english(text: str) -> None:
    assert language_of(text.split()) == ""


def test_a_question_needs_one_telling_word() -> None:
    assert languages_of(["Warum", "Migration"]) == ("german",)
    assert languages_of(["why", "did", "the", "worker", "die"]) == ()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (GERMAN, "Warum wurde die Datenbank nicht gesichert?"),
        (FRENCH, "Pourquoi la migration a échoué sur le serveur ?"),
        (SPANISH, "¿Por qué falló la migración en los servidores?"),
        ("データベースの移行に失敗しました。メモリが足りません。", "データベースの移行はなぜ失敗した"),
        ("데이터베이스 마이그레이션이 메모리 부족으로 실패했습니다.", "데이터베이스 마이그레이션은 왜 실패했나요?"),
    ],
)
def test_a_question_meets_text_of_its_language(text: str, question: str) -> None:
    asked = {word for run in analyze_runs(question) for word in run.words}
    assert len(asked.intersection(analyze(text).words)) >= 2


def test_function_words_of_a_language_are_not_indexed() -> None:
    assert "nicht" not in analyze(GERMAN).words
    assert [run.words for run in analyze_runs("Warum ist der Speicher voll?")] == [["speich"], ["voll"]]


def test_a_name_in_a_foreign_text_stays_whole() -> None:
    assert "spawndetached" in analyze(f"{GERMAN} Es war spawnDetached() in src/run.py.").names


def test_a_word_in_another_language_is_looked_for_in_english_too() -> None:
    (migration,) = [run for run in analyze_runs("Warum ist die Migration weg?") if run.typed == "Migration"]
    assert {*migration.words, *migration.others} == {"migration", "migrat"}


def test_latin_and_japanese_letters_in_one_run_are_two() -> None:
    assert [run.typed for run in analyze_runs("TypeScriptの型")] == ["TypeScript", "の型"]
