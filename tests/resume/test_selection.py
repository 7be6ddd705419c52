"""Which sessions, files and passages come first, and why the others are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from aicx.evidence.calls import FileEdit
from aicx.evidence.sessions import (
    RepositoryScope,
    SessionRow,
    known_folders,
    list_sessions,
    load_sessions,
    other_folders,
    related_projects,
    short_ids,
)
from aicx.git import Roots
from aicx.paths import NON_REPOSITORY
from aicx.resume.files import entry_files
from aicx.resume.ranking import Ask, Mentions, Scored, confidence, files_of, rank_sessions
from aicx.resume.recall import TermWeights, choose, informative_sentences, shares
from aicx.resume.report import Considered, EntryFile, Passage, Reason
from tests.corpus.builders import OTHER, SESSION, THIRD, catalog_of, fields_of
from tests.evidence.stories import T0, Story

ROOT = "/srv/ada/orbit"
ROOTS = Roots.of([ROOT])
NOW = T0 + timedelta(days=10)


def session(name: str, days_ago: float = 1, **fields: Any) -> SessionRow:
    ended = NOW - timedelta(days=days_ago)
    found: dict[str, Any] = {
        "agent": "claude",
        "session_id": name,
        "project": "ada/orbit",
        "title": name,
        "cwd": ROOT,
        "branch": "main",
        "lane": "primary",
        "parent": None,
        "started_at": ended - timedelta(hours=1),
        "completed_at": ended,
    }
    return SessionRow(**{**found, **fields})


def ranked(ask: Ask, *sessions: SessionRow, **recall: float) -> list[Scored]:
    shares_of = {("claude", name): share for name, share in recall.items()}
    return rank_sessions(sessions, ask, shares_of, mentions(ask, *sessions), ROOTS)


def mentions(ask: Ask, *sessions: SessionRow) -> Mentions:
    return Mentions.of(ask, (path for item in sessions for path in files_of(item, ROOTS)))


def names(ask: Ask, *sessions: SessionRow, **recall: float) -> list[str]:
    return [item.session.session_id for item in ranked(ask, *sessions, **recall)]


# Sessions -----------------------------------------------------------------------------------------------------------


def test_without_a_task_the_latest_session_comes_first() -> None:
    assert names(Ask("", NOW), session("old", 5), session("new", 1)) == ["new", "old"]


def test_session_that_answers_the_task_beats_a_later_one() -> None:
    assert names(Ask("fix tokens", NOW), session("old", 5), session("new", 1), old=1.0) == ["old", "new"]


def test_session_of_the_same_branch_beats_a_later_one_of_another() -> None:
    ask = Ask("review the changes", NOW, branch="fix/login")
    assert names(ask, session("login", 5, branch="fix/login"), session("new", 1)) == ["login", "new"]


def test_main_branch_which_all_share_says_little() -> None:
    ask = Ask("fix tokens", NOW, branch="main")
    assert names(ask, session("main", 5), session("other", 4, branch="x"), other=1.0) == ["other", "main"]


def test_session_that_touched_the_file_named_in_the_task_comes_first() -> None:
    ask = Ask("fix the crash in src/login.py", NOW)
    assert (
        names(ask, session("login", 5, files=("src/login.py",)), session("new", 1, files=("src/cache.py",)))[0]
        == "login"
    )


def test_session_that_touched_what_is_changed_now_comes_first() -> None:
    ask = Ask("", NOW, changed=("src/login.py",))
    assert names(ask, session("login", 2, files=(f"{ROOT}/src/login.py",)), session("new", 1))[0] == "login"


def test_order_of_the_sessions_given_does_not_matter() -> None:
    sessions = [session(name, 2) for name in "abc"]
    ask = Ask("", NOW)
    assert names(ask, *sessions) == names(ask, *reversed(sessions))


def test_confidence_needs_more_than_being_the_latest() -> None:
    ask = Ask("fix the tokens of the login", NOW, branch="fix/login")
    latest, same = ranked(ask, session("latest"), session("same", 3, branch="fix/login"))[::-1]
    nothing = Mentions({}, 0.0)
    assert confidence(latest, ask, 0.1, nothing) == "low"
    assert confidence(latest, ask, 0.9, nothing) == "high"
    assert confidence(same, ask, 0.1, nothing) == "medium"
    assert confidence(same, ask, 0.7, nothing) == "high"


def test_words_in_the_paths_of_files_alone_make_no_session_the_one_that_is_gone_on_from() -> None:
    ask = Ask("fix the eval of the login provider", NOW)
    (found,) = ranked(ask, session("a", files=("src/eval/provider.py", "src/login.py")))
    mentions = Mentions.of(ask, found.files)
    assert confidence(found, ask, 0.1, mentions) == "low"
    assert confidence(found, ask, 0.6, mentions) == "medium"


def test_session_of_a_file_that_the_task_names_is_likely_the_one() -> None:
    ask = Ask("fix the lifetime in src/login.py", NOW)
    (found,) = ranked(ask, session("a", files=("src/login.py",)))
    assert confidence(found, ask, 0.0, Mentions.of(ask, found.files)) == "medium"


def test_files_changed_now_say_which_session_is_gone_on_from_whatever_the_task() -> None:
    ask = Ask("fix the tokens", NOW, changed=("src/login.py",))
    (found,) = ranked(ask, session("a", files=("src/login.py",)))
    assert confidence(found, ask, 0.0, Mentions.of(ask, found.files)) == "medium"


# Files --------------------------------------------------------------------------------------------------------------


def first_files(
    ask: Ask,
    *sessions: SessionRow,
    is_there: Callable[[str], bool] | None = None,
    succeeded: Sequence[tuple[float, Sequence[str]]] = (),
    **edits: str,
) -> tuple[list[EntryFile], list[Considered]]:
    changed = {
        f"session:claude:{name}": [FileEdit(path, 1, T0, "claude:x:001") for path in paths.split()]
        for name, paths in edits.items()
    }
    meant = mentions(ask, *sessions)
    return entry_files(ranked(ask, *sessions), changed, [], succeeded, ask, meant, ROOTS, 10, is_there)


def test_files_of_a_session_that_succeeded_at_something_similar_come_after_those_gone_on_from() -> None:
    ask = Ask("fix the tokens", NOW)
    files, _ = first_files(ask, session("a", files=("src/a.py",)), succeeded=[(2.0, ["src/b.py"])], a="src/a.py")
    assert [file.path for file in files] == ["src/a.py", "src/b.py"]


def test_edited_file_comes_before_one_that_was_read() -> None:
    found, _ = first_files(Ask("", NOW), session("a", files=("read.py", "edited.py")), a="edited.py")
    assert [(file.path, file.reasons[0]) for file in found] == [
        ("edited.py", Reason.EDITED_BEFORE),
        ("read.py", Reason.READ_BEFORE),
    ]


def test_of_two_edited_files_the_one_changed_last_comes_first() -> None:
    found, _ = first_files(Ask("", NOW), session("a", files=("a.py", "b.py")), a="b.py a.py")
    assert [file.path for file in found] == ["b.py", "a.py"]


def test_file_named_in_the_task_comes_first() -> None:
    found, _ = first_files(Ask("fix parser.py", NOW), session("a", files=("src/parser.py", "b.py")), a="b.py")
    assert found[0].path == "src/parser.py"


def test_changed_file_that_no_session_knows_has_no_reference() -> None:
    found, _ = first_files(Ask("", NOW, changed=("new.py",)), session("a"))
    assert [(file.path, file.refs) for file in found] == [("new.py", ())]


def test_folder_missing_file_and_file_outside_are_left_out_with_their_reasons() -> None:
    sessions = session("a", files=("src", "src/a.py", "src/gone.py", "/etc/hosts"))
    found, considered = first_files(Ask("", NOW), sessions, is_there=lambda path: path == "src/a.py")
    assert [file.path for file in found] == ["src/a.py"]
    assert {item.ref: item.left_out for item in considered} == {
        "file:src": Reason.FOLDER,
        "file:src/a.py": None,
        "file:src/gone.py": Reason.NOT_THERE,
        "file:/etc/hosts": Reason.OUTSIDE_REPOSITORY,
    }


# Passages -----------------------------------------------------------------------------------------------------------


def passage(number: int, name: str = "a", score: float = 1.0, **fields: Any) -> Passage:
    found: dict[str, Any] = {
        "chunk": f"claude:{name}:{number:03d}",
        "path": "store/x.md",
        "agent": "claude",
        "session_id": name,
        "project": "ada/orbit",
        "cwd": ROOT,
        "parent": None,
        "lane": "primary",
        "started_at": T0,
        "completed_at": T0,
        "score": score,
        "tier": "partial",
        "title": None,
        "lines": ("a line",),
        "coverage": 0.5,
        "files": (),
    }
    return Passage(**{**found, **fields})


def left_out(*passages: Passage, limit: int = 6, now: datetime = NOW) -> dict[str, Reason | None]:
    _, considered = choose(passages, now, "mine", limit, 1)
    return {item.ref.removeprefix("chunk:claude:"): item.left_out for item in considered}


def test_session_has_two_passages_at_most() -> None:
    assert left_out(passage(1), passage(2), passage(3), passage(1, "b")) == {
        "a:001": None,
        "a:002": None,
        "a:003": Reason.ENOUGH_OF_SESSION,
        "b:001": None,
    }


def test_own_passages_come_before_related_ones_whatever_their_scores() -> None:
    others = [passage(1, name, 9.0, relation="same_owner") for name in "xy"]
    chosen, considered = choose([*others, passage(1)], NOW, (), 6, 1)
    assert [(item.session_id, item.relation) for item in chosen] == [("a", None), ("x", "same_owner")]
    assert {item.ref: item.left_out for item in considered}["chunk:claude:y:001"] == Reason.OVER_LIMIT


def test_passage_of_the_future_of_the_asking_session_and_weak_ones_are_left_out() -> None:
    found = left_out(
        passage(1, "good", 1.0),
        passage(1, "later", 0.9, completed_at=NOW + timedelta(hours=1)),
        passage(1, "mine", 0.9),
        passage(1, "weak", 0.1),
        passage(1, "none", 0.9, tier="nearest"),
        passage(1, "common", 0.9, coverage=0.3),
        passage(1, "meant", 0.9, coverage=0.0, tier="meaning"),
    )
    assert found == {
        "good:001": None,
        "later:001": Reason.AFTER_NOW,
        "mine:001": Reason.EXCLUDED_BY_USER,
        "weak:001": Reason.WEAK_MATCH,
        "none:001": Reason.WEAK_MATCH,
        "common:001": Reason.WEAK_MATCH,
        "meant:001": None,
    }


def test_subagent_speaks_for_the_session_that_started_it() -> None:
    found = shares([passage(1, "a", 1.0), passage(1, "helper", 2.0, lane="subagent", parent="b")])
    assert found == {("claude", "a"): 0.5, ("claude", "b"): 1.0}


def test_quoted_are_the_sentences_that_answer_and_no_announcements() -> None:
    story = (
        Story()
        .asks("The login token expires early.")
        .says("I'll check the login token now. The token lives five minutes because of the cache. The token is old.")
    )
    story.gets("Bash", "token token token")
    assert informative_sentences(story.steps, TermWeights.of("why does the login token expire", []), 2) == (
        "The login token expires early.",
        "The token lives five minutes because of the cache.",
    )


def quoted(story: Story, task: str) -> tuple[str, ...]:
    return informative_sentences(story.steps, TermWeights.of(task, ["the build of the release"] * 30), 1)


def test_sentence_that_names_the_cause_is_preferred() -> None:
    story = Story().asks("Did the PGO build of macOS fail in the release?")
    story.says("The PGO build of macOS failed due to two versions of the toolchain.")
    assert quoted(story, "fix the macOS PGO release build") == (
        "The PGO build of macOS failed due to two versions of the toolchain.",
    )


def test_sentence_with_the_rare_word_is_preferred() -> None:
    story = Story().says("The release build of the release is a build. A profile broke it on macOS.")
    assert quoted(story, "macOS release build") == ("A profile broke it on macOS.",)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/ada/orbit/pull/12?login=token",
        "use login::token::assert_eq;",
        "import login.token",
        "To https://example.org/ada/login-token.git",
        "1a2b3c4..2b3c4d5 login -> token",
        "PR URL: https://example.org/login/token",
        "Running the tests of the login token again.",
        "I\u2019m pushing the login token now.",
        "Let me look at the login token first.",
        '{"comments":[{"id":"the login token"}]}',
    ],
)
def test_link_code_push_and_announcement_are_not_quoted(text: str) -> None:
    assert quoted(Story().says(text), "expire the login token") == ()


def test_person_who_tells_what_happens_announces_nothing() -> None:
    story = Story().asks("I'm getting an expired token after the login.")
    assert quoted(story, "expired login token") == ("I'm getting an expired token after the login.",)


def test_prompt_that_leans_on_what_came_before_is_not_quoted() -> None:
    assert quoted(Story().asks("make a pr and fix this"), "fix the pr") == ()


def test_sentence_that_shares_only_what_is_to_be_done_is_not_quoted() -> None:
    story = Story().asks("ok what do we need to do to fix this? make a pr")
    assert quoted(story, "fix the login of the pr") == ()


# The catalogue ------------------------------------------------------------------------------------------------------


def test_sessions_of_a_project_and_of_its_folder_are_listed_latest_first() -> None:
    catalog = catalog_of(
        fields_of(session_id=SESSION, started_at="2026-03-01T10:00:00.000Z"),
        fields_of(session_id=OTHER, project=NON_REPOSITORY, cwd=f"{ROOT}/web", started_at="2026-03-02T10:00:00.000Z"),
        fields_of(
            session_id=THIRD, project=NON_REPOSITORY, cwd="/srv/ada/orbit2", started_at="2026-03-03T10:00:00.000Z"
        ),
    )
    found = list_sessions(catalog, RepositoryScope("ada/orbit", (ROOT,)), NOW)
    assert [item.session_id for item in found] == [OTHER, SESSION]


def test_home_folder_does_not_stand_for_everything_below_it() -> None:
    catalog = catalog_of(
        fields_of(session_id=SESSION, project=NON_REPOSITORY, cwd="/home/ada"),
        fields_of(session_id=OTHER, project=NON_REPOSITORY, cwd="/home/ada/notes"),
    )
    found = list_sessions(catalog, RepositoryScope(None, ("/home/ada",), below=False), NOW)
    assert [item.session_id for item in found] == [SESSION]


def test_session_that_begins_later_is_not_seen() -> None:
    catalog = catalog_of(fields_of(started_at="2026-03-05T10:00:00.000Z"))
    assert list_sessions(catalog, RepositoryScope("ada/orbit"), T0) == []
    assert load_sessions(catalog, [("claude", SESSION)], T0) == []


def test_folders_of_a_repository_are_known_from_its_sessions() -> None:
    there = {"/srv/ada/orbit-tree": {"project": "ada/orbit", "repo_source": "git-remote"}, "/srv/ada/notes": None}
    assert known_folders(catalog_of(fields_of(folders=there)), RepositoryScope("ada/orbit")) == ["/srv/ada/orbit-tree"]


def test_repositories_are_related_by_session_name_or_owner() -> None:
    both = {
        ROOT: {"project": "ada/orbit", "repo_source": "git-remote"},
        "/x": {"project": "bob/lib", "repo_source": "layout"},
    }
    catalog = catalog_of(
        fields_of(folders=both),
        fields_of(session_id=OTHER, project="eve/orbit"),
        fields_of(session_id=THIRD, project="ada/notes"),
        fields_of(session_id="x", project="eve/other"),
    )
    assert related_projects(catalog, "ada/orbit") == {
        "bob/lib": "same_session",
        "eve/orbit": "same_name",
        "ada/notes": "same_owner",
    }


def test_short_id_is_the_beginning_that_no_other_session_has() -> None:
    one, two = "019f1fd6-f9a0-7e13-8a8f-cbf5a3fd10d1", "019f1fd6-0000-7e13-8a8f-cbf5a3fd10d1"
    catalog = catalog_of(fields_of(session_id=one), fields_of(session_id=two), fields_of(session_id=SESSION))
    assert short_ids(catalog, [one, SESSION, "not-a-uuid"]) == {one: "019f1fd6-f9a0", SESSION: SESSION[:8]}


def test_folders_of_other_repositories_are_known_too() -> None:
    there = {
        "/srv/ada/orbit-tree": {"project": "ada/orbit", "repo_source": "git-remote"},
        "/srv/bob/lib": {"project": "bob/lib", "repo_source": "git-remote"},
        "/srv/ada/notes": None,
    }
    assert other_folders(catalog_of(fields_of(folders=there)), RepositoryScope("ada/orbit")) == ["/srv/bob/lib"]
