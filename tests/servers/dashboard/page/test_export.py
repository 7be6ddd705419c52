"""The page as a file, before any browser: what is in it, what is left out, how it is written."""

from __future__ import annotations

import os
import re
import stat
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from aicx.demo import FAKE_TOKEN
from aicx.errors import NotFound, StoreUnwritable
from aicx.pages import bundle
from tests.corpus.builders import SESSION, THIRD, ClaudeLog, Home
from tests.servers.dashboard.page.browsers import HOSTILE, LEXER, LONG
from tests.servers.dashboard.page.exports import data_of, export


def sessions_in(path: Path) -> list[str]:
    return [f"{entry['session']['agent']}:{entry['session']['session_id']}" for entry in data_of(path)["sessions"]]


def test_all_sessions_are_in_it_newest_first(exported: Path) -> None:
    assert sessions_in(exported) == [LONG, HOSTILE, LEXER]


def test_only_its_owner_can_read_it(exported: Path) -> None:
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600


def test_the_embedded_data_holds_no_character_that_could_end_it(exported: Path) -> None:
    text = exported.read_text("utf-8")
    data = text.partition('<script id="data" type="application/json">')[2].partition("</script>")[0]
    assert data.endswith("}")
    assert "<" not in data


def test_the_policy_lets_in_its_own_script_and_style_and_nothing_else(exported: Path) -> None:
    text = exported.read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    script = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy
    assert script
    assert style
    allowed = [f"'sha256-{b64encode(sha256(part[1].encode()).digest()).decode()}'" for part in (script, style)]
    assert policy[1].split("; ")[:3] == [
        "default-src 'none'",
        f"script-src {allowed[0]}",
        f"style-src {allowed[1]}",
    ]


def test_nothing_in_it_is_fetched_from_elsewhere(exported: Path) -> None:
    page = re.sub(r'<script id="data".*?</script>', "", exported.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page) == []


def test_a_secret_is_not_in_it(exported: Path) -> None:
    text = exported.read_text("utf-8")
    assert FAKE_TOKEN not in text
    assert "[REDACTED:github-token]" in text


def test_what_has_no_room_is_left_out_from_the_oldest_on_and_counted(sessions: Home, tmp_path: Path) -> None:
    _, _, whole, _ = export(sessions, tmp_path / "whole.html")
    _, _, part, left_out = export(sessions, tmp_path / "part.html", cap=20_000)
    data = data_of(tmp_path / "part.html")
    (only,) = data["sessions"]
    assert sessions_in(tmp_path / "part.html") == [LONG]
    assert part + left_out == whole
    assert only["chunks"][-1]["id"] == data_of(tmp_path / "whole.html")["sessions"][0]["chunks"][-1]["id"]
    assert only["left_out"] > 0
    assert f"the newest {part} of {whole} parts" in data["about"]


def test_filters_decide_what_is_in_it(sessions: Home, tmp_path: Path) -> None:
    export(sessions, tmp_path / "page.html", project="ada/apiary")
    assert sessions_in(tmp_path / "page.html") == [LONG]
    assert [item["project"] for item in data_of(tmp_path / "page.html")["overview"]["projects"]] == ["ada/apiary"]


def test_a_choice_of_sessions_tells_nothing_of_the_rest(sessions: Home, tmp_path: Path) -> None:
    export(sessions, tmp_path / "page.html", project="ada/apiary")
    status = data_of(tmp_path / "page.html")["status"]
    assert (status["stats"]["sessions"], status["stats"]["projects"], status["redactions"]["total"]) == (1, 1, 0)
    assert status["index"] is None
    assert "ada/orbit" not in (tmp_path / "page.html").read_text("utf-8")


class TestFork:
    """A session in one project, and one that was taken up from it in another."""

    @pytest.fixture
    def forked(self, tmp_path: Path) -> Home:
        user = Home(tmp_path)
        first = ClaudeLog(SESSION, user.repository("orbit", "git@x.org:ada/orbit.git"))
        first.prompt("Fix the lexer", 0).answer("Done.", 1)
        second = ClaudeLog(THIRD, user.repository("apiary", "git@x.org:ada/apiary.git"))
        user.claude(first)
        user.claude(second.copied_from(first).prompt("And the honey report", 100))
        user.store()
        return user

    def test_a_whole_file_says_what_led_to_what(self, forked: Home, tmp_path: Path) -> None:
        export(forked, tmp_path / "page.html")
        second, first = [entry["session"] for entry in data_of(tmp_path / "page.html")["sessions"]]
        assert (first["children"], second["parent_session"]) == ([THIRD], SESSION)

    @pytest.mark.parametrize(
        ("project", "left_out"), [("ada/orbit", THIRD), ("ada/apiary", SESSION)], ids=["the fork", "what it is from"]
    )
    def test_a_choice_does_not_name_the_session_it_leaves_out(
        self, forked: Home, tmp_path: Path, project: str, left_out: str
    ) -> None:
        export(forked, tmp_path / "page.html", project=project)
        assert left_out not in (tmp_path / "page.html").read_text("utf-8")


def test_a_choice_does_not_name_the_other_projects_of_its_sessions(tmp_path: Path) -> None:
    user = Home(tmp_path)
    orbit, apiary = (user.repository(name, f"git@x.org:ada/{name}.git") for name in ("orbit", "apiary"))
    log = ClaudeLog(SESSION, orbit).prompt("Fix the lexer", 0).answer("Done.", 1)
    user.claude(log.prompt("And the honey report", 100, cwd=apiary).answer("Done.", 101, cwd=apiary))
    user.store()
    export(user, tmp_path / "page.html", project="ada/orbit")
    [entry] = data_of(tmp_path / "page.html")["sessions"]
    assert entry["session"]["projects"] == ["ada/orbit"]


def test_filters_that_let_nothing_through_are_an_error_and_leave_no_file(sessions: Home, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no stored chunk"):
        export(sessions, tmp_path / "page.html", agent="gemini")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole_or_not_at_all(
    sessions: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    path.write_text("the one before")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnwritable, match="No space left"):
        export(sessions, path)
    assert path.read_text() == "the one before"
    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]


def test_a_module_written_in_a_way_the_bundle_does_not_know_is_noticed() -> None:
    with pytest.raises(AssertionError, match=r"odd\.js"):
        bundle({"odd.js": 'import everything from "./other.js";\n'}, "odd.js")


def test_a_module_is_in_the_bundle_once_and_before_those_that_need_it() -> None:
    files = {
        "main.js": 'import { one } from "./one.js";\nimport { two } from "./two.js";\none(two);\n',
        "one.js": 'import { two } from "./two.js";\nexport function one() {}\n',
        "two.js": "export const two = 2;\n",
    }
    script = bundle(files, "main.js")
    assert re.findall(r"const \$(\w+) = ", script) == ["two", "one", "main"]
