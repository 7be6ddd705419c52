"""The measurement of what search says of questions that a corpus cannot answer."""

from __future__ import annotations

from pathlib import Path

from benchmarks.abstention import ask, figures, question_id
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.engine.search_helpers import keep

ROWS = ({"question": "why does the gasket leak", "home": "pumps", "sessions": [SESSION]},)


def homes(root: Path) -> dict[str, Path]:
    for name in ("pumps", "boats"):
        (root / name).mkdir()
    pumps, boats = Home(root / "pumps"), Home(root / "boats")
    pumps.claude(ClaudeLog(SESSION).prompt("Why does the gasket leak?", 0))
    boats.claude(ClaudeLog(SESSION).prompt("Varnish the keel, it may leak", 0))
    for user in (pumps, boats):
        keep(user)
    return {"pumps": pumps.settings.layout.home, "boats": boats.settings.layout.home}


def test_a_question_is_answerable_in_its_own_home_only(tmp_path: Path) -> None:
    asked = list(ask(ROWS, homes(tmp_path), {}, 10))
    found = [(one.home, one.answerable, one.evidence, one.named, one.shown) for one in asked]
    assert found == [("pumps", True, "strong", False, True), ("boats", False, "weak", True, None)]
    assert figures("pumps", True, asked[:1]) == (
        "pumps, answerable: 1 asked, 1 strong, 0 weak, 0 none; words named as missing in 0; "
        "right session shown in 1 of 1, of these 0 labelled weak"
    )


def test_a_question_that_was_read_to_be_answerable_there_is_not_asked(tmp_path: Path) -> None:
    labels = {question_id(str(ROWS[0]["question"])): "there"}
    assert [one.home for one in ask(ROWS, homes(tmp_path), labels, 10)] == ["pumps"]
