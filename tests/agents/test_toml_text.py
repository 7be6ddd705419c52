"""One table of a TOML text changes; everything else stays, comments and layout included."""

from __future__ import annotations

import pytest

from aicx.managed.toml_text import assigned, dropped, loaded

pytestmark = pytest.mark.needs("mcp")

ENTRY = {"command": "/opt/aicx", "args": ["serve"], "env": {"AICX_HOME": "/data/aicx"}}
TEXTS = {
    "nothing": "",
    "a key": 'model = "x" # fast\n',
    "no table of servers": '[projects."/srv"]\ntrust_level = "trusted"\n',
    "another server": '# mine\n\n[mcp_servers.other]\ncommand = "npx"   # spaced\n\n# about x\n[x]\ny = 1\n',
    "a server with its own table": '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.a.env]\nA = "b"\n\n[x]\ny = 1\n',
    "a heading alone": "[mcp_servers]\n\n[x]\ny = 1\n",
    "keys with points": 'mcp_servers.other.command = "npx"\n[x]\ny = 1\n',
    "servers apart from each other": '[mcp_servers.a]\nc = "1"\n[x]\ny = 1\n[mcp_servers.b]\nc = "2"\n',
    "lines of Windows": 'model = "x"\r\n\r\n[x]\r\ny = 1\r\n',
    "a list of tables": "[[x]]\na = 1\n[[x]]\na = 2\n",
    "a date": "d = 2026-03-01\n",
}
# Where our table is no table of its own, and where none is looked for.
INSIDE_A_LINE = 'mcp_servers = { other = { command = "npx" } } # one line\n[x]\ny = 1\n'
LOOKS_LIKE_OURS = 'x = """\n[mcp_servers.aicx]\n"""\n'


def add(text: str) -> str:
    return assigned(text, ["mcp_servers", "aicx"], ENTRY)


@pytest.mark.parametrize("text", [*TEXTS.values(), INSIDE_A_LINE, LOOKS_LIKE_OURS])
def test_what_is_put_there_is_all_that_changes(text: str) -> None:
    before, after = loaded(text), loaded(add(text))
    assert after.pop("mcp_servers") == before.pop("mcp_servers", {}) | {"aicx": ENTRY}
    assert after == before


@pytest.mark.parametrize("text", [*TEXTS.values(), INSIDE_A_LINE, LOOKS_LIKE_OURS])
def test_putting_and_dropping_leaves_all_but_blank_lines(text: str) -> None:
    def lines(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.strip()]

    back = dropped(add(text), ["mcp_servers", "aicx"])
    assert lines(back) == [line for line in lines(text) if line != "[mcp_servers]"]


def test_lines_of_windows_stay_such() -> None:
    assert add(TEXTS["lines of Windows"]).count("\n") == add(TEXTS["lines of Windows"]).count("\r\n")


def test_an_entry_that_changes_keeps_its_comments() -> None:
    text = '[mcp_servers.aicx]\ncommand = "/old/aicx" # mine\nargs = ["serve"]\nstartup_timeout_sec = 20\n'
    changed = assigned(text, ["mcp_servers", "aicx"], {**loaded(text)["mcp_servers"]["aicx"], "command": "/opt/aicx"})
    assert changed == text.replace("/old/aicx", "/opt/aicx")


@pytest.mark.parametrize("text", ["[", "a = ", "a = 1\na = 2\n", "\x00"])
def test_what_is_no_toml_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|column|end of document"):
        loaded(text)
