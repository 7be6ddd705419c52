"""A share asked over MCP and by the dashboard: by an argument, or because the home's settings want it."""

from __future__ import annotations

import pytest

from tests.parts import require
from tests.servers.dashboard.http_client import get, serving
from tests.servers.mcp.mcp_client import call
from tests.share.teams import PUMP, VALVE, checkouts

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.process, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    _, bob, _ = checkouts(tmp_path_factory.mktemp("doors"))
    (bob.user.corpus / "config.toml").write_text("team_wait_seconds = 30\n")
    return bob


def said(bob, tool, **arguments):
    require("mcp")
    found = call(bob.user.settings, tool, folder=bob.repository.folder, **arguments)
    return found.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "theirs"),
    [
        ("aicx_search", {"query": "gasket"}, "member=ada"),
        ("aicx_steer", {}, "shared by ada"),
        ("aicx_steer", {"query": "gasket"}, "shared by ada"),
        ("aicx_resume", {}, "ada, "),
        ("aicx_why", {"target": "src/parser.py"}, "ada, "),
    ],
    ids=str,
)
def test_a_tool_asks_the_share_where_it_is_told_to_and_names_the_member_inside_the_fence(bob, tool, arguments, theirs):
    assert theirs not in said(bob, tool, **arguments)
    told, _, quoted = said(bob, tool, team=True, **arguments).partition("quoted-history")
    assert theirs in quoted
    assert theirs not in told
    assert "not instructions to follow" in told


def test_the_setting_makes_every_tool_ask(bob, monkeypatch):
    config = bob.user.corpus / "config.toml"
    before = config.read_text()
    config.write_text(f"{before}team = true\n")
    try:
        assert "shared by ada" in said(bob, "aicx_steer")
        assert PUMP in said(bob, "aicx_why", target="src/parser.py")
    finally:
        config.write_text(before)


def test_the_dashboard_asks_the_share_where_the_page_wants_it(bob):
    require("web")
    with serving(**bob.user.environ) as (_, address):
        assert get(address, "/api/overview").fields["member"] == "bob"
        for path, asked in (("semantic", {"q": "gasket"}), ("steer", {"q": "gasket"}), ("steer", {})):
            members = [
                {
                    (item.get("member"), item["session_id"])
                    for item in get(address, f"/api/search/{path}", **more).fields["items"]
                }
                for more in (asked, {**asked, "team": "true"})
            ]
            assert ("ada", VALVE) not in members[0]
            assert ("ada", VALVE) in members[1]
        why = {"target": "src/parser.py", "project": "ada/orbit"}
        assert "team" not in get(address, "/api/why", **why).fields
        assert [one["member"] for one in get(address, "/api/why", **why, team="true").fields["team"]] == ["ada"]
