"""What the wording of a line is taken for, in several languages."""

from __future__ import annotations

import pytest

from retrieval.languages import asks, wording_of


@pytest.mark.parametrize(
    "line",
    [
        "Let me check the lexer first.",
        "I\u2019ll look at the failing job, because the log is short.",
        "I'm going to read the file",
        "The user is asking why the lamp does not burn.",
        "Now I need to run the tests",
        "- I am checking the wick",
        "Ich prüfe zuerst die Datei",
        "Je vais vérifier le fichier",
        "Voy a revisar el archivo",
        "ファイルを確認します",
        "파일을 확인하겠습니다",
        "让我看看这个文件",
    ],
)
def test_an_announcement_is_no_outcome(line: str) -> None:
    assert wording_of(line) == "narration"


@pytest.mark.parametrize(
    "line",
    [
        "The release failed because the tag was missing.",
        "Root cause: the role may not alter tables",
        "It turns out that the cache is never read",
        "We decided to keep SQLite",
        "**The fix** was to trim the wick",
        "Yes, it works on Windows as well.",
        "Der Test scheitert, weil die Datei fehlt",
        "Le test échoue à cause du cache",
        "Falla porque falta el archivo",
        "キャッシュが原因でした",
        "캐시 때문에 실패했습니다",
        "原因是缓存",
    ],
)
def test_a_cause_a_decision_and_a_result_are_outcomes(line: str) -> None:
    assert wording_of(line) == "outcome"


@pytest.mark.parametrize("line", ["", "the lamp is on the table", "src/lamp.py", "wick = 3"])
def test_most_lines_are_neither(line: str) -> None:
    assert wording_of(line) == "plain"


@pytest.mark.parametrize(
    "line", ["why is it dark", "It is dark?", "- What now", "warum ist es dunkel", "暗いのはなぜ\uff1f"]
)
def test_a_question_is_known(line: str) -> None:
    assert asks(line)


def test_a_statement_is_no_question() -> None:
    assert not asks("The lamp is dark.")
