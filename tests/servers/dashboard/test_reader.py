"""Reading a session and a chunk, and that nothing beside the store can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aicx.errors import NotFound, UnsafePath, UsageError
from aicx.fields import to_fields
from aicx.paths import Layout
from aicx.servers.dashboard import reader
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home

LEXER = f"claude:{SESSION}:001"


def detail(layout: Layout, session: str, **asked: Any) -> dict[str, Any]:
    return to_fields(reader.detail(layout, session, **asked))


def context(layout: Layout, chunk: str, around: int) -> dict[str, Any]:
    return to_fields(reader.context(layout, chunk, around))


def whole_chunk(layout: Layout, **asked: Any) -> dict[str, Any]:
    return to_fields(reader.whole_chunk(layout, **asked))


@pytest.fixture
def layout(stored: Home) -> Layout:
    return stored.settings.layout


def ids(layout: Layout) -> list[str]:
    return [chunk["id"] for chunk in detail(layout, THIRD, limit=50)["chunks"]]


def test_a_session_has_its_facts_and_its_turns(layout: Layout) -> None:
    found = detail(layout, SESSION)
    assert (found["session"]["agent"], found["session"]["session_id"], found["total"]) == ("claude", SESSION, 1)
    assert "chunks" not in found["session"]
    assert [turn["role"] for turn in found["chunks"][0]["turns"]] == ["user", "tool", "tool", "assistant"]


def test_the_beginning_of_an_id_is_enough(layout: Layout) -> None:
    assert detail(layout, OTHER[:6])["session"]["session_id"] == OTHER


def test_a_window_begins_where_it_is_told(layout: Layout) -> None:
    whole = ids(layout)
    assert len(whole) > 3
    found = detail(layout, THIRD, offset=1, limit=2)
    assert [chunk["id"] for chunk in found["chunks"]] == whole[1:3]
    assert (found["offset"], found["total"]) == (1, len(whole))


def test_a_chunk_is_in_the_window_it_asks_for(layout: Layout) -> None:
    for wanted in ids(layout):
        found = detail(layout, THIRD, chunk=wanted, offset=0, limit=2)
        assert wanted in [chunk["id"] for chunk in found["chunks"]]
        assert found["offset"] % 2 == 0


def test_a_window_beyond_the_end_is_empty(layout: Layout) -> None:
    assert detail(layout, THIRD, offset=1_000_000)["chunks"] == []


def test_chunks_know_their_neighbours(layout: Layout) -> None:
    whole = ids(layout)
    chunks = detail(layout, THIRD, limit=50)["chunks"]
    assert [chunk["next"] for chunk in chunks] == [*whole[1:], None]
    assert [chunk["previous"] for chunk in chunks] == [None, *whole[:-1]]


def test_a_chunk_of_another_session_is_not_in_this_one(layout: Layout) -> None:
    with pytest.raises(NotFound, match="has no chunk"):
        detail(layout, THIRD, chunk=LEXER)


@pytest.mark.parametrize("session", ["nobody", "\0", "a\nb", "../../etc/passwd", "claude:nobody"])
def test_a_session_that_is_not_stored_is_not_found(layout: Layout, session: str) -> None:
    with pytest.raises(NotFound):
        detail(layout, session)


def test_an_agent_that_there_is_not_is_said(layout: Layout) -> None:
    with pytest.raises(UsageError, match="there is no agent 'hal'"):
        detail(layout, SESSION, agent="hal")


def test_two_agents_with_one_id_are_told_apart(layout: Layout) -> None:
    assert detail(layout, THIRD, agent="codex")["session"]["agent"] == "codex"
    with pytest.raises(NotFound):
        detail(layout, THIRD, agent="claude")


def test_a_context_is_a_chunk_between_its_neighbours(layout: Layout) -> None:
    whole = ids(layout)
    assert [chunk["id"] for chunk in context(layout, whole[1], 1)["chunks"]] == whole[0:3]
    assert [chunk["id"] for chunk in context(layout, whole[0], 1)["chunks"]] == whole[0:2]
    assert [chunk["id"] for chunk in context(layout, whole[2], 0)["chunks"]] == whole[2:3]


def test_a_chunk_is_found_by_its_id_and_by_both_forms_of_its_path(layout: Layout) -> None:
    by_id = whole_chunk(layout, id=LEXER, path=None)
    relative = str(Path(by_id["path"]).relative_to(layout.home))
    assert whole_chunk(layout, id=None, path=by_id["path"]) == by_id
    assert whole_chunk(layout, id=None, path=relative) == by_id
    assert "The lexer drops the last token" in by_id["markdown"]
    assert not {"messages", "folders"} & by_id["sidecar"].keys()


@pytest.mark.parametrize("given", [{"id": None, "path": None}, {"id": LEXER, "path": "store/x.md"}])
def test_neither_and_both_are_a_mistake(layout: Layout, given: dict[str, str | None]) -> None:
    with pytest.raises(UsageError, match="which chunk"):
        whole_chunk(layout, **given)


@pytest.mark.parametrize("id", [SESSION, "nobody", "file:lexer", "commit:abcdef0", "store/x.md", "\x1b", f"{LEXER}9"])
def test_an_id_that_is_no_stored_chunks_is_not_found(layout: Layout, id: str) -> None:
    with pytest.raises(NotFound):
        whole_chunk(layout, id=id, path=None)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../auth-token",
        "~/.ssh/id_rsa",
        "store/../auth-token.md",
        "store/../../etc/passwd",
        "store/a\0b.md",
        "store\\..\\x.md",
        "~nobody-here/x.md",
    ],
)
def test_a_path_that_leaves_the_store_is_unsafe(layout: Layout, path: str) -> None:
    with pytest.raises(UnsafePath):
        whole_chunk(layout, id=None, path=path)


@pytest.mark.parametrize(
    "path", ["store/x.md", "file:x", "name", "store/2026_0301_claude_nobody_001.md", f"store/{'x' * 900}.md"]
)
def test_a_path_in_the_store_that_holds_no_chunk_is_not_found(layout: Layout, path: str) -> None:
    with pytest.raises(NotFound):
        whole_chunk(layout, id=None, path=path)


class TestDamage:
    @pytest.fixture
    def user(self, tmp_path: Path) -> Home:
        user = Home(tmp_path)
        user.claude(ClaudeLog(SESSION).prompt("Why?", 0).answer("Because.", 1))
        user.store()
        return user

    def path(self, user: Home) -> Path:
        [path] = user.chunks()
        return user.corpus / path

    def test_an_edited_chunk_is_shown_as_it_is(self, user: Home) -> None:
        self.path(user).write_text("somebody's own words")
        [chunk] = detail(user.settings.layout, SESSION)["chunks"]
        assert "altered on disk" in chunk["problem"]
        assert [turn["text"] for turn in chunk["turns"]] == ["somebody's own words"]

    def test_a_chunk_that_is_gone_costs_itself(self, user: Home) -> None:
        self.path(user).unlink()
        [chunk] = detail(user.settings.layout, SESSION)["chunks"]
        assert "does not exist" in chunk["problem"]
        assert chunk["turns"] == []

    def test_a_chunk_behind_a_symbolic_link_is_not_read(self, user: Home, tmp_path: Path) -> None:
        secret = tmp_path / "secret.md"
        secret.write_text("a secret of somebody's")
        path = self.path(user)
        path.unlink()
        path.symlink_to(secret)
        [chunk] = detail(user.settings.layout, SESSION)["chunks"]
        assert "symbolic link" in chunk["problem"]
        assert "a secret" not in str(chunk)
        with pytest.raises(UnsafePath):
            whole_chunk(user.settings.layout, id=None, path=str(path))
        with pytest.raises(NotFound):
            whole_chunk(user.settings.layout, id=LEXER, path=None)
