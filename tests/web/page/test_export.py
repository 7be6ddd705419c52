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
from aicx.web.bundle import bundle
from tests.corpus.building import Home
from tests.web.page.browsing import HOSTILE, LEXER, LONG
from tests.web.page.exporting import data_of, export


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
    whole = export(sessions, tmp_path / "whole.html")
    part = export(sessions, tmp_path / "part.html", cap=20_000)
    data = data_of(tmp_path / "part.html")
    (only,) = data["sessions"]
    assert sessions_in(tmp_path / "part.html") == [LONG]
    assert part.chunks + part.chunks_left_out == whole.chunks
    assert only["chunks"][-1]["id"] == data_of(tmp_path / "whole.html")["sessions"][0]["chunks"][-1]["id"]
    assert only["left_out"] > 0
    assert f"the newest {part.chunks} of {whole.chunks} parts" in data["about"]


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
