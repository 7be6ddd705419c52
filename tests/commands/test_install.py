"""`aicx init --mcp` through the real command line: every client, every way back, and files that are damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aicx import options
from aicx.agents.table import SERVERS
from aicx.cli import run
from aicx.commands import install
from aicx.installation import install_command
from tests.sampling import sample

pytestmark = pytest.mark.needs("mcp")

FILES = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
}
# The files of the others have the same format.
CLIENTS = ["codex", *sample([client for client in FILES if client != "codex"], 1, "install", ends=False)]
FORMATS = {client: Path(name).suffix[1:] for client, name in FILES.items()}
SECRET = "ghp_" + "a1B2" * 9
# Somebody's file in each format, laid out by hand.
OTHERS = {
    "json": '{\n\t"numStartups": 7,\n\t"mcpServers": {\n\t\t"other": {"command": "npx",   "env": {"KEY": "A_SECRET"}}\n'
    '\t},\n\t"projects": {"/srv/x": {"history": ["ä", "\\u00e4"]}}\n}'.replace("A_SECRET", SECRET),
    "toml": f'# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "npx"   # spaced\nenv = {{ KEY = "{SECRET}" }}\n',
}
# Files that people and clients write, each with something that is easily lost.
ODD = {
    "json": {
        "nothing": "",
        "blanks": "\n  \n",
        "an empty object": "{}",
        "an empty object over lines": "{\n}\n",
        "an empty list of servers": '{"mcpServers": {}}\n',
        "one line": '{"theme":"dark","mcpServers":{"other":{"command":"npx"}}}',
        "no final newline": '{\n  "theme": "dark"\n}',
        "many final newlines": '{\n  "theme": "dark"\n}\n\n\n',
        "lines of Windows": '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n',
        "both ends of lines": '{\r\n  "theme": "dark",\n  "a": 1\r\n}',
        "odd indentation": '{ "a":1,\n     "mcpServers" :\n {\n"x":{"command":"npx"}\n   , "y": {} }\n\t}',
    },
    "toml": {
        "nothing": "",
        "blanks": "\n\n",
        "a comment alone": "# nothing yet",
        "no final newline": 'model = "x"',
        "many final newlines": 'model = "x"\n\n\n',
        "lines of Windows": 'model = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "npx"\r\n',
        "Windows without a final newline": 'model = "x"\r\n[a]\r\nb = 1',
        "odd indentation": '  model="x"\n\t[mcp_servers . other]\n\t\tcommand   = "npx"\n  # last',
        "a table inside a line": 'mcp_servers = { other = { command = "npx" } } # one line\n[x]\ny = 1',
        "a heading alone": "[mcp_servers] # none yet",
        "keys with points": 'mcp_servers.other.command = "npx"\n\n\n[x]\ny = 1 # end',
        "lists of tables": "[[x]]\na = 1\n\n[[x]]\na = 2",
    },
}
DAMAGED = {"json": '{"mcpServers": {"other": ', "toml": '[mcp_servers.other\ncommand = "npx"\n'}


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(client: str, home: Path) -> Path:
    """The client's configuration, not there yet."""
    path = home / FILES[client]
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.fixture
def filled(client: str, file: Path) -> Path:
    """The client's configuration as somebody wrote it."""
    file.write_text(OTHERS[FORMATS[client]])
    file.chmod(0o640)
    return file


def servers(client: str, path: Path) -> dict[str, Any]:
    read = {"json": json.loads, "toml": tomllib.loads}[FORMATS[client]]
    found: dict[str, Any] = read(path.read_text())[SERVERS[client].key]
    return found


def backups(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.name}.aicx-*.bak"))


class TestInstalling:
    @pytest.mark.parametrize("client", FILES)
    def test_starts_this_aicx(self, client: str, file: Path) -> None:
        assert run(["install", client, "--yes"]) == 0
        entry = servers(client, file)["aicx"]
        assert Path(entry["command"]).is_absolute()
        assert Path(entry["command"]).exists()
        assert entry["args"][-1] == "serve"

    def test_a_reader_that_leaves_does_not_stop_what_was_confirmed(self, client: str, file: Path) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            command = [sys.executable, "-m", "aicx", "install", client, "--yes"]
            done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
        finally:
            os.close(writing)
        assert (done.returncode, "can ask aicx now" in done.stderr) == (0, True)
        assert "aicx" in servers(client, file)

    def test_a_new_file_is_for_its_owner_alone(self, client: str, file: Path) -> None:
        run(["install", client, "--yes"])
        assert file.stat().st_mode & 0o777 == 0o600
        assert backups(file) == []

    def test_changes_nothing_else(self, client: str, filled: Path) -> None:
        before = servers(client, filled)
        assert run(["install", client, "--yes"]) == 0
        after = servers(client, filled)
        assert after.pop("aicx")
        assert after == before
        if FORMATS[client] == "toml":
            assert filled.read_text().startswith(OTHERS["toml"])
        else:
            was, now = json.loads(OTHERS["json"]), json.loads(filled.read_text())
            assert list(now) == list(was)
            assert now["projects"] == was["projects"]

    def test_keeps_the_mode_and_a_copy(self, client: str, filled: Path) -> None:
        run(["install", client, "--yes"])
        assert filled.stat().st_mode & 0o777 == 0o640
        [backup] = backups(filled)
        assert backup.read_text() == OTHERS[FORMATS[client]]
        assert backup.stat().st_mode & 0o777 == 0o640

    def test_nobody_can_read_a_private_files_copy_even_for_a_moment(
        self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        modes: list[int] = []
        copy: Callable[..., Any] = shutil.copystat

        def watched(source: Path, target: Path) -> None:
            modes.append(target.stat().st_mode & 0o777)
            copy(source, target)

        monkeypatch.setattr(shutil, "copystat", watched)
        run(["install", client, "--yes"])
        assert modes == [0o600]

    def test_a_second_copy_of_the_same_second_leaves_the_first(
        self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(options, "now", lambda: datetime(2026, 3, 5, 12, tzinfo=UTC))
        run(["install", client, "--yes"])
        first = filled.read_bytes()
        monkeypatch.setenv("AICX_HOME", "/data/aicx")
        run(["install", client, "--yes"])
        assert {backup.read_bytes() for backup in backups(filled)} == {
            OTHERS[FORMATS[client]].encode(),
            first,
        }

    def test_leaves_no_temporary_file(self, client: str, filled: Path) -> None:
        run(["install", client, "--yes"])
        assert not [path for path in filled.parent.iterdir() if path.name.startswith(f".{filled.name}")]

    def test_again_changes_nothing(self, client: str, filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
        run(["install", client, "--yes"])
        body = filled.read_bytes()
        assert run(["install", client, "--yes"]) == 0
        assert filled.read_bytes() == body
        assert len(backups(filled)) == 1
        assert "has aicx already" in capsys.readouterr().err

    def test_names_a_corpus_that_lies_elsewhere(
        self, client: str, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        run(["install", client, "--yes"])
        assert "env" not in servers(client, file)["aicx"]
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "corpus"))
        run(["install", client, "--yes"])
        assert servers(client, file)["aicx"]["env"] == {"AICX_HOME": str(tmp_path / "corpus")}

    def test_an_empty_file_is_filled(self, client: str, file: Path) -> None:
        file.write_text("\n")
        assert run(["install", client, "--yes"]) == 0
        assert "aicx" in servers(client, file)

    def test_a_link_stays_one(self, client: str, filled: Path, tmp_path: Path) -> None:
        real = tmp_path / "dotfiles"
        filled.rename(real)
        filled.symlink_to(real)
        assert run(["install", client, "--yes"]) == 0
        assert filled.is_symlink()
        assert "aicx" in servers(client, real)

    def test_what_somebody_added_to_ours_stays(self, client: str, file: Path) -> None:
        entries = {"command": "/old/aicx", "args": ["serve"], "timeout": 5, "env": {"LANG": "C"}}
        text = (
            json.dumps({"mcpServers": {"aicx": entries}})
            if FORMATS[client] == "json"
            else '[mcp_servers.aicx]\ncommand = "/old/aicx"\nargs = ["serve"]\ntimeout = 5\nenv = { LANG = "C" }\n'
        )
        file.write_text(text)
        assert run(["install", client, "--yes"]) == 0
        found = servers(client, file)["aicx"]
        assert (found["timeout"], found["env"]) == (5, {"LANG": "C"})
        assert found["command"] != "/old/aicx"


def odd_files() -> list[Any]:
    return [
        pytest.param(client, text, id=f"{client}, {name}")
        for client in CLIENTS
        for name, text in ODD[FORMATS[client]].items()
    ]


class TestRemoving:
    @pytest.mark.parametrize(("client", "text"), odd_files())
    def test_gives_back_every_byte(
        self, client: str, file: Path, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        file.write_bytes(text.encode())
        assert run(["install", client, "--yes"]) == 0
        [copy] = backups(file)
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "moved"))
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert file.read_bytes() == text.encode()
        assert backups(file) == [copy]
        for arguments in (["--yes"], ["--remove", "--yes"]):
            assert run(["install", client, *arguments]) == 0
        assert file.read_bytes() == text.encode()
        assert backups(file) == [copy]

    def test_gives_back_every_byte_after_an_update(
        self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        run(["install", client, "--yes"])
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "moved"))
        run(["install", client, "--yes"])
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert filled.read_text() == OTHERS[FORMATS[client]]
        assert len(backups(filled)) == 2

    def test_a_file_that_was_not_there_is_gone(self, client: str, file: Path) -> None:
        run(["install", client, "--yes"])
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert not file.exists()
        assert backups(file) == []

    def test_what_changed_since_stays(self, client: str, file: Path) -> None:
        before, after = {"json": ('{"a": 1}', '{"a": 2}'), "toml": ("a = 1\n", "a = 2\n")}[FORMATS[client]]
        file.write_text(before)
        run(["install", client, "--yes"])
        file.write_text(file.read_text().replace(before[:-1], after[:-1]))
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert file.read_text() == after
        assert len(backups(file)) == 1

    def test_a_damaged_copy_does_not_stop_it(self, client: str, filled: Path) -> None:
        run(["install", client, "--yes"])
        [copy] = backups(filled)
        for body in (b"\xff", DAMAGED[FORMATS[client]].encode()):
            copy.write_bytes(body)
            assert run(["install", client, "--remove", "--yes"]) == 0
            read = {"json": json.loads, "toml": tomllib.loads}[FORMATS[client]]
            assert read(filled.read_text()) == read(OTHERS[FORMATS[client]])
            run(["install", client, "--yes"])

    def test_a_dry_run_shows_that_a_file_will_be_gone(
        self, client: str, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run(["install", client, "--yes"])
        capsys.readouterr()
        assert run(["install", client, "--remove", "--dry-run"]) == 0
        assert "+++ /dev/null" in capsys.readouterr().out
        assert file.exists()

    def test_leaves_the_file_as_it_was(self, client: str, filled: Path) -> None:
        run(["install", client, "--yes"])
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert filled.read_text() == OTHERS[FORMATS[client]]

    def test_where_nothing_is_changes_nothing(
        self, client: str, filled: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert filled.read_text() == OTHERS[FORMATS[client]]
        assert "does not have aicx" in capsys.readouterr().err

    def test_where_no_file_is_makes_none(self, client: str, file: Path) -> None:
        assert run(["install", client, "--remove", "--yes"]) == 0
        assert not file.exists()

    def test_needs_no_server(self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run(["install", client, "--yes"])
        monkeypatch.setattr("aicx.commands.install.find_spec", lambda name: None)
        assert run(["install", client, "--remove", "--yes"]) == 0


class TestComments:
    TEXT = '// mine\n{\n  /* servers */ "mcpServers": {%s // none yet\n  }, // end\n  "a": [1,\n"//"], // last\n}\n//'
    CLIENT = "gemini"

    @pytest.fixture
    def file(self, home: Path) -> Path:
        path = home / FILES[self.CLIENT]
        path.parent.mkdir()
        path.write_text(self.TEXT % "")
        return path

    def test_they_stay_around_our_entry(self, file: Path) -> None:
        assert run(["install", self.CLIENT, "--yes"]) == 0
        before, after = (self.TEXT % "|").split("|")
        changed = file.read_text()
        assert changed.startswith(before)
        assert changed.endswith(after)
        assert set(json.loads(f"{{{changed[len(before) : -len(after)]}}}")) == {"aicx"}

    def test_they_stay_within_our_entry_when_it_is_updated(self, file: Path) -> None:
        file.write_text(self.TEXT % '"aicx": {"command": "/old/aicx", // mine\n "args": ["serve"] /* all */}')
        assert run(["install", self.CLIENT, "--yes"]) == 0
        changed = file.read_text()
        assert '"aicx": {"command": "' in changed
        assert "/old/aicx" not in changed
        assert all(comment in changed for comment in ("// mine\n ", "/* all */}", "// none yet"))

    def test_removing_gives_back_every_byte(self, file: Path) -> None:
        run(["install", self.CLIENT, "--yes"])
        assert run(["install", self.CLIENT, "--remove", "--yes"]) == 0
        assert file.read_text() == self.TEXT % ""

    def test_removing_keeps_them_where_the_file_changed_since(self, file: Path) -> None:
        run(["install", self.CLIENT, "--yes"])
        file.write_text(file.read_text().replace('"a": [1', '"a": [2'))
        assert run(["install", self.CLIENT, "--remove", "--yes"]) == 0
        assert "aicx" not in file.read_text()
        assert all(
            comment in file.read_text() for comment in ("// mine", "/* servers */", "// none yet", "// end", "//")
        )


class TestBeforeAnythingChanges:
    def test_a_damaged_file_is_named_and_left(
        self, client: str, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        damaged = DAMAGED[FORMATS[client]]
        file.write_text(damaged)
        for arguments in (["--yes"], ["--remove", "--yes"]):
            assert run(["install", client, *arguments]) == 7
            said = capsys.readouterr().err
            assert str(file) in said
            assert "nothing was changed" in said
        assert file.read_text() == damaged
        assert list(file.parent.glob(f"*{file.name}*")) == [file]

    @pytest.mark.parametrize(
        "body", [b"\xff\xfe", b"[1, 2]", b'{"mcpServers": 5}', b'{"mcpServers": {"aicx": 5}}', b"mcp_servers = 5"]
    )
    def test_a_file_that_is_something_else_is_left(self, client: str, file: Path, body: bytes) -> None:
        file.write_bytes(body)
        assert run(["install", client, "--yes"]) == 7
        assert file.read_bytes() == body

    def test_somebody_is_asked(self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = iter(["n", "y"])
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: next(answers))
        assert run(["install", client]) != 0
        assert filled.read_text() == OTHERS[FORMATS[client]]
        assert run(["install", client]) == 0
        assert "aicx" in servers(client, filled)

    def test_with_nobody_to_ask_nothing_changes(
        self, client: str, filled: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["install", client]) == 2
        assert "--yes" in capsys.readouterr().err
        assert filled.read_text() == OTHERS[FORMATS[client]]

    def test_the_change_is_shown_without_secrets(
        self, client: str, filled: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["install", client, "--dry-run"]) == 0
        shown = capsys.readouterr().out
        assert "+++ " in shown
        assert any(line.startswith("+") and "serve" in line for line in shown.splitlines())
        assert SECRET not in shown
        assert filled.read_text() == OTHERS[FORMATS[client]]

    def test_what_somebody_else_changed_meanwhile_is_left(
        self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        keep: Callable[..., Any] = install.keep_copy

        def busy(*arguments: Any) -> Path:
            backup: Path = keep(*arguments)
            filled.write_text("somebody else was here")
            return backup

        monkeypatch.setattr(install, "keep_copy", busy)
        assert run(["install", client, "--yes"]) == 1
        assert "changed by somebody else meanwhile" in capsys.readouterr().err
        assert filled.read_text() == "somebody else was here"

    def test_a_full_disk_is_said(
        self, client: str, filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        assert run(["install", client, "--yes"]) == 6
        assert "No space left on device" in capsys.readouterr().err
        assert filled.read_text() == OTHERS[FORMATS[client]]
        assert not list(filled.parent.glob(f".{filled.name}.*"))
        assert backups(filled) == []


def test_a_client_is_not_told_of_a_server_that_cannot_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("aicx.commands.install.find_spec", lambda name: None)
    assert run(["install", "cursor", "--yes"]) == 4
    assert install_command("mcp") in capsys.readouterr().err


def test_claude_in_another_folder_is_told_there(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    assert run(["install", "claude", "--yes"]) == 0
    assert "aicx" in servers("claude", tmp_path / ".claude.json")
    assert not (home / ".claude.json").exists()


@pytest.mark.parametrize(
    ("arguments", "action", "copied"),
    [(["--dry-run"], "added", False), (["--yes"], "added", True), (["--remove", "--yes"], "removed", False)],
)
def test_json_says_what_was_done(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], action: str, copied: bool
) -> None:
    path = home / ".claude.json"
    path.write_text("{}")
    if action == "removed":
        run(["install", "claude", "--yes"])
        capsys.readouterr()
    assert run(["install", "claude", *arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["client"], answer["file"]) == ("aicx.install/1", "claude", str(path))
    assert (answer["action"], answer["backup"] is not None) == (action, copied)
    assert answer["diff"]


@pytest.mark.parametrize("arguments", [[], ["emacs"], ["claude", "cursor"], ["claude", "--force"]])
def test_what_makes_no_sense_is_exit_two(arguments: list[str]) -> None:
    assert run(["install", *arguments]) == 2
