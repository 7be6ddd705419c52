"""Questions mined from the commits of one's repositories, and what was never in them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aicx.bench.dataset import COUNTED
from aicx.bench.mining import MinedSession
from aicx.bench.mining.repositories import (
    AGENTS,
    BEGUN,
    VERBATIM,
    commits,
    mine_changes,
    mine_controls,
    mine_subjects,
    read_history,
)
from tests.corpus.builders import OTHER, SESSION, THIRD, when
from tests.evidence.stories import Repository

DAY = 86_400.0
SUBJECT = "Keep the readings of the gauge over midnight"
AGENT = "\n\nCo-authored-by: Claude <noreply@example.org>"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A commit of a file during a session, and one of another file at the same time."""
    found = Repository(tmp_path / "ada" / "orbit")
    found.commit("src/gauge.py", "def read_tide_gauge():\n", SUBJECT, when(1800))
    found.commit("src/lamp.py", "class BlinkingLampRate:\n", "Blink the lamp slowly", when(1800))
    return found


def session_at(folder: Path, *texts: str, key: str = SESSION, at: float = 0) -> MinedSession:
    files = {f"{folder}/src/gauge.py": {"2026-03-01"}}
    found = MinedSession(key, when(at), when(at + 3600), None, {str(folder / "deeper")}, files=files)
    found.texts.extend(texts)
    found.tool_texts.extend(texts)
    return found


def mined(*sessions: MinedSession) -> list[tuple[str, str, tuple[str, ...]]]:
    found = mine_subjects(read_history(sessions), sessions, 10, Random(0))
    return [(query.text, query.part, tuple(query.relevant)) for query in found]


def test_commit_of_a_file_that_a_session_was_on_is_asked_for(repository: Repository) -> None:
    assert mined(session_at(repository.folder)) == [(SUBJECT, COUNTED, (SESSION,))]


@pytest.mark.parametrize(
    "said", [f"git commit -m '{SUBJECT}'", SUBJECT.upper(), SUBJECT.replace(" gauge", "\n  gauge")]
)
def test_commit_whose_subject_the_session_says_is_put_apart(said: str, repository: Repository) -> None:
    assert mined(session_at(repository.folder, said)) == [(SUBJECT, VERBATIM, (SESSION,))]


def test_number_that_a_forge_adds_hides_no_subject_that_the_session_says(repository: Repository) -> None:
    repository.commit("src/gauge.py", "y\n", "Lift the gauge out of the water (#12)", when(1900))
    found = {text: part for text, part, _ in mined(session_at(repository.folder, "lift the gauge out of the water"))}
    assert found["Lift the gauge out of the water (#12)"] == VERBATIM


def test_subject_of_a_commit_that_names_an_agent_is_put_apart(repository: Repository) -> None:
    repository.commit("src/gauge.py", "y\n", f"Lift the gauge out of the water{AGENT}", when(1900))
    found = {text: part for text, part, _ in mined(session_at(repository.folder))}
    assert found == {SUBJECT: COUNTED, "Lift the gauge out of the water": AGENTS}


def test_session_in_which_git_printed_the_hash_made_the_commit(repository: Repository) -> None:
    """Not the one that was at work on the file at that time."""
    commit = next(one for one in commits(repository.folder) if one.subject == SUBJECT)
    printed = session_at(repository.folder, f"[main {commit.id[:9]}] Squashed", key=OTHER, at=9 * DAY)
    found = read_history([session_at(repository.folder), printed])
    (made,) = [made for made in found if made.id == commit.id]
    assert ([session.key for session in made.sessions], made.by_agent) == ([OTHER], True)


def test_subject_that_two_sessions_committed_tells_neither(repository: Repository) -> None:
    printed = [
        session_at(repository.folder, f"[main {number}abcdef] {SUBJECT}", key=key, at=9 * DAY)
        for number, key in enumerate((OTHER, THIRD), 1)
    ]
    made = next(made for made in read_history(printed) if made.subject == SUBJECT)
    assert made.sessions == ()


def test_commit_of_another_time_is_nobodys(repository: Repository) -> None:
    assert mined(session_at(repository.folder, at=-9 * DAY)) == []


def test_repository_that_lies_elsewhere_is_found_by_owner_and_name(repository: Repository) -> None:
    session = session_at(Path("/srv/gone/orbit"))
    session.folders = {"/srv/gone/orbit"}
    session.projects = {"ada/orbit"}
    assert not read_history([session])
    found = read_history([session], repository.folder.parent.parent)
    assert [made.subject for made in found if made.sessions] == [SUBJECT]


def test_repositories_are_left_out_when_git_has_no_time_left(repository: Repository) -> None:
    session = session_at(repository.folder)
    assert read_history([session], seconds=30)
    assert read_history([session], seconds=0) == []


def test_folder_that_git_cannot_read_has_no_commits(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert list(commits(tmp_path)) == []


def test_file_and_symbol_are_asked_for_where_other_sessions_hold_them_too(repository: Repository) -> None:
    text = "src/gauge.py: def read_tide_gauge"
    maker = session_at(repository.folder, text)
    alone = [maker, session_at(repository.folder, key=OTHER, at=9 * DAY)]
    assert mine_changes(read_history(alone), alone, 10, Random(0)) == []
    both = [maker, session_at(repository.folder, text, key=OTHER, at=9 * DAY)]
    found = mine_changes(read_history(both), both, 10, Random(0))
    assert {query.text: tuple(query.relevant) for query in found} == {
        "src/gauge.py": (SESSION,),
        "read_tide_gauge": (SESSION,),
    }
    assert {(query.type, query.part) for query in found} == {("identifier", BEGUN)}


def test_name_that_two_commits_define_is_not_asked_for(repository: Repository) -> None:
    repository.commit("src/other.py", "def read_tide_gauge():\n", "Copy it elsewhere too", when(1900))
    both = [
        session_at(repository.folder, "read_tide_gauge"),
        session_at(repository.folder, "read_tide_gauge", key=OTHER, at=9 * DAY),
    ]
    assert mine_changes(read_history(both), both, 10, Random(0)) == []


def test_a_name_that_never_was_is_made_of_the_repositorys_words(repository: Repository) -> None:
    session = session_at(repository.folder, "the gauge reads the tide")
    found = mine_controls(read_history([session]), [session], 9, Random(0))
    assert {query.type for query in found} == {"negative"}
    texts = {query.text for query in found}
    assert "Blink the lamp slowly" in texts  # no session had a part in it
    assert SUBJECT not in texts
    assert texts & {"readRate", "read_rate", "blinkingGauge", "blinking_gauge"}
    assert any(text.startswith("src/") for text in texts)


def test_control_that_a_session_holds_after_all_is_not_asked(repository: Repository) -> None:
    said = "readRate read_rate blinkingGauge blinking_gauge, and blink the lamp slowly"
    session = session_at(repository.folder, said)
    assert mine_controls(read_history([session]), [session], 9, Random(0)) == []
