"""Which sessions become questions, and how answers to them are scored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from aicx.corpus.catalog import Catalog
from benchmarks.resume_evaluation import Answer, Question, changed_by, latest_session, questions, score
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when

DAY = 86_400.0
Method = Callable[[Question], Answer]


@pytest.fixture
def user(tmp_path: Path) -> Home:
    found = Home(tmp_path)
    found.repository("orbit", "git@example.org:ada/orbit.git")
    return found


def works(user: Home, session: str, day: float, *paths: str, prompt: str = "Look into it", lasts: float = 30) -> None:
    """A session that edits some files, one after the other."""
    folder = str(user.work / "orbit")
    log = ClaudeLog(session, folder).prompt(prompt, day * DAY)
    for number, path in enumerate(paths, 1):
        # Of its own: a session with the calls of another one is taken for its copy.
        call, at = f"{session}-{number}", day * DAY + 2 * number
        log.call("Edit", at, call, file_path=f"{folder}/{path}", old_string="x", new_string="y")
        log.result("updated", at + 1, call)
    user.claude(log.answer("Done.", day * DAY + lasts))


def catalog_of(user: Home) -> Catalog:
    user.store()
    found = Catalog.open_for_reading(user.settings.layout.catalog)
    assert found is not None
    return found


def asked_of(user: Home, **options: float) -> list[Question]:
    with closing(catalog_of(user)) as catalog:
        return questions(user.settings.layout, catalog, when(100 * DAY), **options)


def ref(session: str) -> str:
    return f"session:claude:{session}"


def question(*, predecessors: set[str], files: set[str], earlier: tuple[str, ...] = ()) -> Question:
    return Question(
        "session:claude:x", "Go", when(0), "ada/orbit", "", None, frozenset(files), frozenset(predecessors), earlier
    )


def test_session_that_changes_what_an_earlier_one_changed_is_a_question(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "a.py", "b.py", prompt="Make it faster")
    [asked] = asked_of(user)
    assert (asked.session, asked.task, asked.now) == (ref(OTHER), "Make it faster", when(DAY))
    assert (asked.files, asked.predecessors) == ({"a.py", "b.py"}, {ref(SESSION)})


def test_session_with_files_of_its_own_is_no_question(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "b.py")
    assert asked_of(user) == []


def test_session_that_shares_too_little_is_no_question(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "a.py", "b.py", "c.py", "d.py")
    assert asked_of(user) == []
    assert len(asked_of(user, least_share=0.25)) == 1


def test_session_that_went_on_meanwhile_is_no_predecessor(user: Home) -> None:
    works(user, SESSION, 0, "a.py", lasts=2 * DAY)
    works(user, OTHER, 1, "a.py")
    assert asked_of(user) == []


def test_session_without_a_prompt_that_says_anything_is_no_question(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "a.py", prompt="continue")
    assert asked_of(user) == []


def test_session_of_another_repository_is_no_predecessor(user: Home) -> None:
    other = user.repository("comet", "git@example.org:ada/comet.git")
    log = ClaudeLog(SESSION, other).prompt("Look into it", 0)
    user.claude(log.call("Edit", 1, file_path=f"{other}/a.py", old_string="x", new_string="y").result("updated", 2))
    works(user, OTHER, 1, "a.py")
    assert asked_of(user) == []


def test_file_that_every_session_changes_decides_little(user: Home) -> None:
    works(user, SESSION, 0, "changelog.md", "rare.py")
    works(user, OTHER, 1, "changelog.md", "index.md")
    works(user, THIRD, 2, "changelog.md", "rare.py")
    asked = next(found for found in asked_of(user) if found.session == ref(THIRD))
    assert asked.predecessors == {ref(SESSION)}
    assert asked.earlier == (ref(OTHER), ref(SESSION))


def test_perfect_answer_scores_one() -> None:
    asked = question(predecessors={"s1"}, files={"a.py", "b.py"})
    found = score([asked], lambda _: Answer(["s1"], ["b.py", "a.py"]))
    assert (found.predecessor_at_1, found.predecessor_at_3, found.files_at_10) == (1, 1, 1)


def test_predecessor_in_third_place_counts_at_three_only() -> None:
    asked = question(predecessors={"s1"}, files={"a.py"})
    found = score([asked], lambda _: Answer(["s2", "s3", "s1"], []))
    assert (found.predecessor_at_1, found.predecessor_at_3, found.files_at_10) == (0, 1, 0)


def test_eleventh_file_does_not_count() -> None:
    asked = question(predecessors={"s1"}, files={"a.py", "b.py"})
    found = score([asked], lambda _: Answer([], ["a.py", *(f"{number}.py" for number in range(9)), "b.py"]))
    assert found.files_at_10 == 0.5


def test_scores_are_means_over_the_questions() -> None:
    asked = [question(predecessors={name}, files={"a.py"}) for name in ("s1", "s2")]
    found = score(asked, lambda _: Answer(["s1"], []))
    assert (found.questions, found.predecessor_at_1) == (2, 0.5)


def test_latest_session_answers_with_what_it_changed(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "b.py", "c.py")
    works(user, THIRD, 2, "a.py")
    [asked] = asked_of(user)
    with closing(catalog_of(user)) as catalog:
        found = latest_session(user.settings.layout, catalog)(asked)
    assert (found.sessions, found.files) == ((ref(OTHER), ref(SESSION)), ("c.py", "b.py"))


def test_files_changed_after_the_question_are_not_seen(user: Home) -> None:
    works(user, SESSION, 0, "a.py")
    works(user, OTHER, 1, "a.py")
    [asked] = asked_of(user)
    with closing(catalog_of(user)) as catalog:
        assert changed_by(user.settings.layout, catalog, asked, ref(OTHER)) == ()
