"""A chunk that somebody changed on disk: every door that quotes it says so, and none passes it on as history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import walk_chunks
from aicx.corpus.views.show import show
from aicx.fields import to_fields
from aicx.servers.dashboard.export import write_page
from aicx.servers.dashboard.reader import detail, whole_chunk
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home, when
from tests.evidence.stories import Repository

pytestmark = pytest.mark.slow

CHUNK = f"claude:{SESSION}:001"
INSERTED = "the password rotation was approved by everyone"
ALTERED = "altered on disk since"


class Desk:
    """A repository with two sessions, the chunk of one of them altered."""

    def __init__(self, user: Home, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.user, self.folder, self._capsys = user, folder, capsys
        self.layout = user.settings.layout

    def chunk(self, session: str = SESSION) -> Path:
        return next(self.layout.home / path for path in walk_chunks(self.layout) if session in path)

    def alter(self) -> None:
        """Other words of the same length, so that every span still fits."""
        chunk = self.chunk()
        old = b"The refresh of tokens still needs to be written by us"
        body = chunk.read_bytes()
        assert old in body
        chunk.write_bytes(body.replace(old, INSERTED.encode().ljust(len(old))[: len(old)]))

    def notify(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = run(list(arguments))
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def json(self, *arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.notify(*arguments, "--json")[1])
        return found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    user = Home(tmp_path).used(monkeypatch)
    repository = Repository(user.work / "orbit")
    repository.git("remote", "add", "origin", "git@example.org:ada/orbit.git")
    repository.commit("src/login.py")
    folder = str(repository.folder)
    user.codex(CodexLog(OTHER, folder).prompt("Write the docs of the cache", -7200).answer("Wrote the docs.", -7100))
    log = ClaudeLog(SESSION, folder).prompt("Tokens of the login expire too early, see commit abcdef1234", 0)
    user.claude(log.answer("The lifetime is fixed. The refresh of tokens still needs to be written by us.", 5))
    monkeypatch.chdir(repository.folder)
    assert run(["store"]) == 0
    desk = Desk(user, repository.folder, capsys)
    desk.alter()
    return desk


def test_show_says_so_with_exit_7(desk: Desk) -> None:
    for arguments in (["show", CHUNK], ["show", SESSION, "--full"]):
        code, out, err = desk.notify(*arguments)
        assert (code, INSERTED in out, ALTERED in err) == (7, True, True)
    assert desk.json("show", CHUNK)["altered"] is True
    assert desk.json("show", SESSION, "--full")["chunks"][0]["altered"] is True


def test_show_of_an_intact_chunk_has_exit_0(desk: Desk) -> None:
    code, _, err = desk.notify("show", f"codex:{OTHER}:001")
    assert (code, ALTERED in err) == (0, False)
    assert desk.json("show", f"codex:{OTHER}:001")["altered"] is False


def test_a_list_marks_an_altered_chunk(desk: Desk) -> None:
    [item] = desk.json("show", "commit:abcdef1234")["items"]
    assert item["altered"] is True
    assert "altered on disk" in desk.notify("show", "commit:abcdef1234")[1]


@pytest.mark.parametrize("mode", ["lexical", "scan"])
def test_search_says_so_beside_the_lines(desk: Desk, mode: str) -> None:
    code, out, _ = desk.notify("search", "tokens lifetime login", "--mode", mode)
    assert (code, ALTERED in out) == (0, True)
    items = desk.json("search", "tokens lifetime login", "--mode", mode)["items"]
    assert {item["id"]: item["altered"] for item in items}[CHUNK] is True


def test_altered_words_never_reach_an_index(desk: Desk) -> None:
    import shutil

    shutil.rmtree(desk.layout.lexical_index)
    assert run(["store"]) == 0
    assert desk.json("search", "password rotation approved", "--mode", "lexical")["items"] == []


def test_rank_says_so(desk: Desk) -> None:
    ranked = desk.json("rank", "-p", "orbit", "-H", "0")["items"]
    assert {item["id"]: item["altered"] for item in ranked} == {CHUNK: True, f"codex:{OTHER}:001": False}
    assert ALTERED in desk.notify("rank", "-p", "orbit", "-H", "0")[1]


@pytest.mark.parametrize("task", [[], ["--task", "tokens of the login: lifetime and refresh"]])
def test_resume_quotes_nothing_of_it_and_says_so(desk: Desk, task: list[str]) -> None:
    _, out, _ = desk.notify("resume", *task)
    assert INSERTED not in out
    assert "1 chunk was altered on disk" in out
    found = desk.json("resume", *task)
    assert INSERTED not in json.dumps(found)
    assert found["altered"] == [f"chunk:{CHUNK}"]


def test_resume_explains_why_it_is_left_out(desk: Desk) -> None:
    found = desk.json("resume", "--task", "tokens of the login: lifetime and refresh", "--explain")
    reasons = {entry["ref"]: entry["left_out"] for entry in found["manifest"]["entries"]}
    assert reasons[f"chunk:{CHUNK}"] == "altered_on_disk"


@pytest.mark.needs("mcp")
def test_the_tools_say_so_beside_the_quotation(desk: Desk) -> None:
    from tests.servers.mcp.mcp_client import call

    calls: list[tuple[str, dict[str, Any]]] = [
        ("aicx_read", {"ref": CHUNK}),
        ("aicx_search", {"query": "tokens lifetime login"}),
        ("aicx_rank", {"project": "orbit", "hours": 0}),
        ("aicx_read", {"ref": "commit:abcdef1234"}),
        ("aicx_resume", {"repo": str(desk.folder)}),
    ]
    for tool, arguments in calls:
        [content] = call(desk.user.settings, tool, **arguments).content
        assert "altered on disk" in content.text, tool
    [read] = call(desk.user.settings, "aicx_read", ref=CHUNK).content
    before, _, quoted = read.text.partition("````")
    assert ALTERED in before
    assert "altered=yes" in quoted.splitlines()[0]


def test_the_page_says_so(desk: Desk) -> None:
    [chunk] = to_fields(detail(desk.layout, SESSION))["chunks"]
    assert chunk["altered"] is True
    assert ALTERED in chunk["problem"]
    assert whole_chunk(desk.layout, id=CHUNK, path=None).altered


def test_the_page_that_is_a_file_says_so(desk: Desk, tmp_path: Path) -> None:
    from aicx.filters import Filters

    target = tmp_path / "page.html"
    write_page(desk.user.settings, target, when(9000), Filters())
    assert f"this part was {ALTERED}" in target.read_text("utf-8")


def test_the_answers_of_the_page_say_so(desk: Desk) -> None:
    from aicx.engine.search import Searcher, SearchQuery
    from aicx.servers.dashboard.searches import fuzzy, semantic

    with Searcher(desk.user.settings) as searcher:
        query = SearchQuery("tokens lifetime login", when(9000))
        assert CHUNK in [item.id for item in semantic(searcher, desk.user.settings, query).items if item.altered]
        found = fuzzy(searcher, desk.layout, query, 5, 0, None).results
        assert CHUNK in [item.id for item in found if item.altered]


def test_a_chunk_as_stored_is_not_altered(desk: Desk) -> None:
    with open_catalog(desk.layout) as opened:
        ids = [row["id"] for row in opened.catalog.rows("SELECT id FROM chunks ORDER BY id")]
    altered = {one: to_fields(show(desk.layout, one, 1))["altered"] for one in ids}
    assert altered == {CHUNK: True, f"codex:{OTHER}:001": False}
