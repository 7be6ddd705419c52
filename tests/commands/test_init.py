"""`aicx init` and its `--undo`, also `--everywhere`, through the real command line, on trees as people have them."""

from __future__ import annotations

import io
import json
import os
import shlex
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from aicx.agents import change, table
from aicx.agents.table import AGENTS
from aicx.cli import run
from aicx.managed.blocks import START
from aicx.storage import create_private
from tests import sampling
from tests.evidence.stories import Repository
from tests.sampling import sample

pytestmark = pytest.mark.slow

ALL = "claude,codex,gemini,copilot"
FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"]
RULE = ".cursor/rules/aicx.mdc"
SETTINGS = {"claude": ".claude/settings.local.json", "gemini": ".gemini/settings.json"}
# Settings as people and clients write them.
ODD_JSON = {
    "none": None,
    "nothing": b"",
    "blanks": b"\n \n",
    "an empty object": b"{}",
    "an empty object over lines": b"{\n}\n",
    "no hooks yet": b'{\n  "hooks": {}\n}\n',
    "an event without hooks": b'{"hooks": {"SessionStart": []}}',
    "permissions": b'{\n  "permissions": {\n    "allow": ["Bash(ls)"],\n    "deny": []\n  }\n}',
    "hooks of others": b'{\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{"matcher": "startup", "hooks": '
    b'[{"type": "command", "command": "say hi"}]}\n\t\t]\n\t},\n\t"z": 1,\n\t"a": 2\n}\n',
    "comments": b'// mine\n{\n  // dark, [always]\n  "theme": "dark", /* or light? */\n'
    b'  "hooks": {\n    // none yet\n  },\n}\n',
    "Windows and a byte order mark": b'\xef\xbb\xbf{\r\n    "model": "opus",\r\n    "env": {"A": "\\u00e4"}\r\n}\r\n',
    "one line": b'{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
}
ODD_MARKDOWN = {
    "none": None,
    "nothing": b"",
    "no final newline": b"# Rules\n\nBe brief.",
    "Windows and a byte order mark": b"\xef\xbb\xbf# Rules\r\n\r\nBe brief.\r\n",
    "many final newlines": b"# Rules\n\n\n\n",
    "both ends of lines": b"one\r\ntwo\nthree\r",
    "a block of another tool": b"<!-- other:start -->\nx\n<!-- other:end -->\n",
}
ODD_TOML = {
    "none": None,
    "comments": b"# mine\nmodel = 'x' # fast\n\n[mcp_servers.other]\ncommand = \"npx\"\n# the end",
    "somebody is notified": b'notify = ["say"]\n\n[[hooks.Stop]]\nhooks = [{ type = "command", command = "y" }]\n',
    "Windows": b'model = "x"\r\n[a]\r\nb = 1\r\n',
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def tree(*folders: Path) -> dict[str, tuple[int, bytes | str]]:
    """Every file, folder and link below, with its mode and its content; the corpus and git's own left out."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if {".aicx", ".git"} & set(path.relative_to(folder).parts):
                continue
            held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
            found[str(path)] = (path.lstat().st_mode, held)
    return found


def write(path: Path, body: bytes | None) -> Path:
    if body is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return path


def init(repo: Path, *more: str, agents: str = ALL) -> int:
    return run(["init", "--repo", str(repo), "--agents", agents, "--yes", *more])


def clean(repo: Path, *more: str) -> int:
    return run(["clean", "--repo", str(repo), "--yes", *more])


def hooks_of(file: Path) -> dict[str, list[str]]:
    """The commands of each event, of whichever format."""
    text = file.read_text()
    held: Any = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    return {
        event: [handler["command"] for group in groups for handler in group["hooks"]]
        for event, groups in held["hooks"].items()
    }


def test_each_agent_has_its_instructions_and_hooks(repo: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(repo) == 0
    for name in FILES:
        assert (repo / name).read_text().startswith(f"{START}\n")
    for agent, file in {
        **{name: repo / path for name, path in SETTINGS.items()},
        "codex": home / ".codex/config.toml",
    }.items():
        commands = hooks_of(file)
        assert list(commands) == list(AGENTS[agent].events)
        for event, called in AGENTS[agent].events.items():
            [command] = commands[event]
            assert f"hook {called} --agent {agent} " in command
            assert command.endswith("2>/dev/null || true")
    assert tomllib.loads((home / ".codex/config.toml").read_text())["notify"][-4:] == [
        "hook",
        "notify",
        "--agent",
        "codex",
    ]
    assert "+++ " + str(repo / "CLAUDE.md") in capsys.readouterr().out


@pytest.mark.parametrize(("markdown", "settings"), sample([*product(ODD_MARKDOWN, ODD_JSON)], 10))
def test_a_second_run_changes_nothing_and_clean_gives_every_byte_back(
    repo: Path, home: Path, markdown: str, settings: str
) -> None:
    for number, name in enumerate(FILES):
        write(repo / name, [*ODD_MARKDOWN.values()][(list(ODD_MARKDOWN).index(markdown) + number) % len(ODD_MARKDOWN)])
    for path in SETTINGS.values():
        write(repo / path, ODD_JSON[settings])
    toml = [*ODD_TOML.values()][list(ODD_JSON).index(settings) % len(ODD_TOML)]
    write(home / ".codex/config.toml", toml)
    before = tree(repo, home)
    assert init(repo) == 0
    once = tree(repo, home)
    assert init(repo) == 0
    assert tree(repo, home) == once
    assert clean(repo) == 0
    assert tree(repo, home) == before


@given(
    bodies=some.lists(
        some.one_of(some.none(), some.binary(max_size=40), some.sampled_from([*ODD_MARKDOWN.values()])),
        min_size=4,
        max_size=4,
    ),
    odd=some.sampled_from(list(ODD_JSON.values())),
    runs=some.lists(some.sampled_from(["claude", "codex", "gemini,copilot", ALL]), min_size=1, max_size=3),
)
@settings(max_examples=50 if sampling.ALL else 10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_init_then_clean_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, home: Path, bodies: list[bytes | None], odd: bytes | None, runs: list[str]
) -> None:
    repo = tmp_path_factory.mktemp("repo")
    (repo / ".git").mkdir()
    for name, body in zip(FILES, bodies, strict=True):
        write(repo / name, body)
    for path in SETTINGS.values():
        write(repo / path, odd)
    before = tree(repo, home)
    ended = [init(repo, agents=agents) for agents in runs]
    assert set(ended) <= {0, 7}  # a file that is not UTF-8 is refused, and nothing is changed by that run
    assert clean(repo) == 0
    assert tree(repo, home) == before


def test_clean_finds_ours_without_a_record(repo: Path, home: Path) -> None:
    write(repo / "CLAUDE.md", b"# Mine\n")
    write(repo / SETTINGS["claude"], ODD_JSON["permissions"])
    before = tree(repo)
    assert init(repo, agents="claude,gemini") == 0
    for record in (home / ".aicx" / "agents" / "folders").iterdir():
        record.unlink()
    assert clean(repo) == 0
    after = tree(repo)
    assert json.loads((repo / SETTINGS["claude"]).read_bytes()) == json.loads(ODD_JSON["permissions"] or b"")
    assert {path for path, (mode, _) in after.items() if stat.S_ISREG(mode)} == {
        path for path, (mode, _) in before.items() if stat.S_ISREG(mode)
    }
    assert (repo / "CLAUDE.md").read_bytes() == b"# Mine\n"


def test_what_was_added_since_stays(repo: Path, home: Path) -> None:
    write(repo / "AGENTS.md", b"# Mine\n")
    write(repo / SETTINGS["claude"], ODD_JSON["hooks of others"])
    assert init(repo) == 0
    with (repo / "AGENTS.md").open("a") as stream:
        stream.write("More of mine.\n")
    file = repo / SETTINGS["claude"]
    whole = json.loads(file.read_text())
    whole["permissions"] = {"allow": ["Bash(make:*)"]}
    whole["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    file.write_text(json.dumps(whole, indent=2))  # as the client does it when something is allowed
    (repo / "GEMINI.md").write_text("Mine.\n\n" + (repo / "GEMINI.md").read_text())
    (repo / ".github" / "workflows").mkdir()
    assert clean(repo) == 0
    assert (repo / "AGENTS.md").read_text() == "# Mine\nMore of mine.\n"
    assert (repo / "GEMINI.md").read_text().strip() == "Mine."
    assert json.loads(file.read_text()) == {
        **json.loads(ODD_JSON["hooks of others"] or b""),
        "permissions": {"allow": ["Bash(make:*)"]},
        "hooks": {
            "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "say hi"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        },
    }
    assert list((repo / ".github").iterdir()) == [repo / ".github" / "workflows"]


def test_hooks_of_an_aicx_that_moved_are_replaced(repo: Path) -> None:
    assert init(repo, agents="claude") == 0
    file = repo / SETTINGS["claude"]
    text = file.read_text()
    file.write_text(text.replace("/aicx hook", "/old/aicx hook"))
    assert init(repo, agents="claude") == 0
    assert file.read_text() == text


@pytest.mark.parametrize("program", [["/opt/my venv's/aicx"], ["/opt/py thon", "-m", "aicx"], ["/opt/ä\\b/aicx"]])
def test_ours_is_found_again_wherever_aicx_is_installed(
    repo: Path, home: Path, program: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "program", lambda: program)
    monkeypatch.setenv("AICX_HOME", str(home / "my corpus"))
    write(home / ".codex/config.toml", ODD_TOML["comments"])
    before = tree(repo, home / ".codex")
    assert init(repo) == 0
    once = tree(repo, home / ".codex")
    assert init(repo) == 0
    assert tree(repo, home / ".codex") == once
    (home / "my corpus" / "agents" / "folders" / "shared.json").unlink()  # so that only the marks of ours tell
    assert clean(repo) == 0
    assert tree(repo, home / ".codex") == before


def test_a_dry_run_shows_the_change_and_makes_none(repo: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repo / "AGENTS.md", b"# Mine\n")
    before = tree(repo, home)
    assert run(["init", "--repo", str(repo), "--agents", "codex", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert f"--- {repo / 'AGENTS.md'}\n+++ {repo / 'AGENTS.md'}\n@@ " in shown
    assert f"\n+{START}\n" in shown
    assert tree(repo, home) == before
    assert not (home / ".aicx").exists()


def test_without_a_terminal_a_confirmation_is_needed(repo: Path, home: Path) -> None:
    before = tree(repo, home)
    assert run(["init", "--repo", str(repo), "--agents", "codex"]) == 2
    assert tree(repo, home) == before


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 130), ("", 130)])
def test_at_a_terminal_it_asks(repo: Path, home: Path, answer: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(repo, home)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert run(["init", "--repo", str(repo), "--agents", "claude"]) == code
    assert (tree(repo, home) == before) == bool(code)


def test_secrets_of_the_files_are_not_shown(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(repo / SETTINGS["claude"], f'{{\n  "env": {{\n    "TOKEN": "{secret}"\n  }}\n}}\n'.encode())
    assert init(repo, "--json", agents="claude") == 0
    assert secret not in capsys.readouterr().out
    assert secret in (repo / SETTINGS["claude"]).read_text()


def test_the_agents_are_those_that_left_traces(repo: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--repo", str(repo), "--yes"]) == 2
    (home / ".codex").mkdir()
    (home / ".copilot").mkdir()
    assert run(["init", "--repo", str(repo), "--yes", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["agents"] == ["codex", "copilot"]
    assert {Path(file["file"]).name: file["action"] for file in answer["files"]} == {
        "AGENTS.md": "created",
        "config.toml": "created",
        "copilot-instructions.md": "created",
        "exclude": "created",
    }


def test_instructions_that_are_a_link_to_another_file_hold_one_block(repo: Path, home: Path) -> None:
    write(repo / "AGENTS.md", b"# Mine\n")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    before = tree(repo)
    assert init(repo, agents="claude,codex") == 0
    assert (repo / "CLAUDE.md").is_symlink()
    assert (repo / "AGENTS.md").read_text().count(START) == 1
    assert clean(repo) == 0
    assert tree(repo) == before


@pytest.mark.parametrize("target", ["../outside.md", "gone.md", "CLAUDE.md"])
def test_a_link_that_leads_elsewhere_is_refused(
    repo: Path, home: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo.parent / "outside.md").write_text("theirs\n")
    (repo / "CLAUDE.md").symlink_to(target)
    before = tree(repo.parent, home)
    assert init(repo) == 2
    assert tree(repo.parent, home) == before
    assert "CLAUDE.md" in capsys.readouterr().err


def test_a_read_only_file_is_refused_with_the_next_step(
    repo: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repo / "GEMINI.md", b"# Mine\n").chmod(0o444)
    before = tree(repo, home)
    assert init(repo) == 6
    assert tree(repo, home) == before
    said = capsys.readouterr().err
    assert f"{repo / 'GEMINI.md'} is read-only" in said
    assert "chmod u+w" in said


@pytest.mark.parametrize(
    ("name", "body", "line"),
    [
        (".claude/settings.local.json", b'{\n  "a": 1,\n  oops\n}', 3),
        (".gemini/settings.json", b'// x\n{"hooks": 7}', 2),
        (".gemini/settings.json", b"{}\n\xff", 2),
        ("AGENTS.md", b"# Mine\n<!-- aicx:start -->\nhalf\n", 2),
        ("CLAUDE.md", b"one\n\nhalf\n<!-- aicx:end -->\n", 4),
    ],
)
def test_a_file_that_is_not_whole_is_refused_with_its_line_and_nothing_is_changed(
    repo: Path, home: Path, name: str, body: bytes, line: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repo / name, body)
    before = tree(repo, home)
    assert init(repo) == 7
    said = " ".join(capsys.readouterr().err.split())
    assert f"{repo / name}: line {line}:" in said
    assert tree(repo, home) == before


def test_codex_settings_that_are_no_toml_are_refused(
    repo: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home / ".codex/config.toml", b"model = \n")
    before = tree(repo, home)
    assert init(repo) == 7
    assert "at line 1" in " ".join(capsys.readouterr().err.split())
    assert tree(repo, home) == before


def test_hooks_of_codex_go_where_its_others_are(repo: Path, home: Path) -> None:
    write(home / ".codex/hooks.json", b'{"hooks": {"Stop": []}}')
    before = tree(home)
    assert init(repo, agents="codex") == 0
    assert len(hooks_of(home / ".codex/hooks.json")["Stop"]) == 1
    assert not (home / ".codex/config.toml").exists()
    assert clean(repo) == 0
    assert tree(home) == before


def test_hooks_of_codex_move_to_the_file_that_is_in_use_by_now(repo: Path, home: Path) -> None:
    assert init(repo, agents="codex") == 0
    write(home / ".codex/hooks.json", b'{"hooks": {"Stop": []}}')
    assert init(repo, agents="codex") == 0
    assert len(hooks_of(home / ".codex/hooks.json")["Stop"]) == 1
    assert not (home / ".codex/config.toml").exists()
    once = tree(repo, home)
    assert init(repo, agents="claude,codex") == 0
    assert clean(repo) == 0
    assert tree(home).keys() < once.keys()
    assert (home / ".codex/hooks.json").read_bytes() == b'{"hooks": {"Stop": []}}'


def test_agents_that_are_not_named_again_stay_set_up(repo: Path, home: Path) -> None:
    (repo / "docs").mkdir()
    (repo / "docs" / "rules.md").write_text("# Mine\n")
    (repo / "CLAUDE.md").symlink_to("docs/rules.md")
    before = tree(repo, home)
    assert init(repo, agents="claude") == 0
    assert init(repo, agents="gemini") == 0
    assert START in (repo / "docs" / "rules.md").read_text()
    assert clean(repo) == 0
    assert tree(repo, home) == before


def test_a_write_that_fails_leaves_every_file_as_it_was(
    repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo / "CLAUDE.md", b"# Mine\n")
    before = tree(repo, home)
    written = iter([True, True, True, False])

    def failing(path: Path) -> Any:
        if not next(written, True):
            raise OSError(28, "No space left on device")
        return create_private(path)

    monkeypatch.setattr(change, "create_private", failing)
    assert init(repo) == 6
    assert tree(repo, home) == before
    assert not list((home / ".aicx" / "agents" / "folders").glob("*.json"))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(("command", "writes"), sample([*product((init, clean), range(8))], 8, "kill"))
def test_clean_restores_what_a_kill_left_at_any_step(
    repo: Path, home: Path, command: Callable[[Path], int], writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo / "CLAUDE.md", b"# Mine\n")
    write(repo / SETTINGS["gemini"], ODD_JSON["no hooks yet"])
    before = tree(repo, home)
    if command is clean:
        assert init(repo) == 0
    child = os.fork()
    if child == 0:
        left = iter(range(writes))
        made = change._write
        monkeypatch.setattr(
            change, "_write", lambda *words: made(*words) if next(left, None) is not None else os._exit(9)
        )
        command(repo)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == (9 << 8 if writes < 8 else 0)
    assert clean(repo) == 0
    assert tree(repo, home) == before


def test_settings_of_all_repositories_go_with_the_last_one(repo: Path, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    before = tree(repo, other, home)
    for folder in (repo, other):
        assert init(folder, agents="codex") == 0
    assert clean(repo) == 0
    assert "SessionStart" in hooks_of(home / ".codex/config.toml")
    assert not (repo / "AGENTS.md").exists()
    assert clean(other) == 0
    assert tree(repo, other, home) == before


def test_clean_in_a_repository_that_was_never_set_up_leaves_shared_settings(
    repo: Path, home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert init(repo, agents="codex") == 0
    before = tree(repo, home)
    assert clean(other) == 0
    assert tree(repo, home) == before


@pytest.mark.needs("mcp")
def test_uninstall_leaves_nothing_of_ours_anywhere(repo: Path, home: Path, tmp_path: Path) -> None:
    other, gone = tmp_path / "other", tmp_path / "gone"
    for folder in (other, gone):
        (folder / ".git").mkdir(parents=True)
    write(repo / "AGENTS.md", b"# Mine")
    write(home / ".claude.json", b'{"mcpServers": {"other": {"command": "npx"}}}')
    before = tree(repo, other, home)
    assert run(["install", "claude", "--yes"]) == 0
    for folder in (repo, other, gone):
        assert init(folder) == 0
    gone.rename(tmp_path / "away")
    (home / ".claude.json").chmod(0o644)
    assert run(["uninstall", "--yes"]) == 0
    after = tree(repo, other, home)
    backups = {path for path in after if path.endswith(".bak")}
    assert {path: held for path, held in after.items() if path not in backups} == before
    assert not (home / ".aicx" / "agents").exists()


@pytest.mark.needs("mcp")
def test_uninstall_takes_hooks_and_the_server_out_of_one_file(repo: Path, home: Path) -> None:
    write(home / ".codex" / "config.toml", b"# Mine\n")
    assert init(repo) == 0
    assert run(["install", "codex", "--yes"]) == 0
    assert run(["uninstall", "--yes"]) == 0
    assert "aicx" not in (home / ".codex" / "config.toml").read_text()


def test_uninstall_goes_on_where_one_repository_cannot_be_changed(
    repo: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    for folder in (repo, other):
        assert init(folder) == 0
    (other / "CLAUDE.md").write_text(f"{START}\nhalf\n")
    capsys.readouterr()
    assert run(["uninstall", "--yes", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["folders"] == [str(repo)]
    assert len(answer["failed"]) == 1
    assert "line 1" in answer["failed"][0]
    assert not (repo / "CLAUDE.md").exists()


@pytest.mark.parametrize("folder", ["", ".."])
def test_the_home_folder_is_not_set_up(home: Path, folder: str) -> None:
    assert run(["init", "--repo", str(home / folder), "--agents", "claude", "--yes"]) == 2


def test_new_files_are_as_open_to_others_as_their_folder(repo: Path) -> None:
    repo.chmod(0o755)
    before = os.umask(0o077)  # as the command sets it for everything else it writes
    try:
        assert init(repo, agents="claude,copilot") == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((repo / "CLAUDE.md").stat().st_mode) == 0o644
    assert stat.S_IMODE((repo / ".github").stat().st_mode) == 0o755


def test_a_repository_is_found_from_a_folder_in_it(repo: Path, home: Path) -> None:
    (repo / "src" / "deep").mkdir(parents=True)
    assert init(repo / "src" / "deep", agents="claude") == 0
    assert (repo / "CLAUDE.md").exists()


@pytest.fixture
def real(tmp_path: Path) -> Repository:
    """A repository that git itself knows, with a file of the team's."""
    made = Repository(tmp_path / "real")
    made.commit("CLAUDE.md", "# Rules\n")
    return made


def offered(repository: Repository) -> set[str]:
    """What git would take: changed and untracked files."""
    changed = repository.git("diff", "--name-only", "HEAD").splitlines()
    return {*changed, *repository.git("ls-files", "--others", "--exclude-standard").splitlines()}


def excluded(repository: Repository) -> list[str]:
    """The patterns in git's list of this machine."""
    path = repository.folder / ".git/info/exclude"
    return [line for line in path.read_text().splitlines() if line.startswith("/")] if path.exists() else []


def test_git_is_offered_nothing_that_is_of_one_machine(real: Repository, home: Path) -> None:
    before = (real.folder / ".git/info").exists() and tree(real.folder / ".git/info")
    assert init(real.folder, agents=f"{ALL},cursor,generic") == 0
    # Nothing but the block in the file that the team has, which names nothing of this machine.
    assert offered(real) == {"CLAUDE.md"}
    assert str(home) not in (real.folder / "CLAUDE.md").read_text()
    assert START in (real.folder / RULE).read_text()
    assert clean(real.folder) == 0
    assert not offered(real)
    assert not (real.folder / ".cursor").exists()
    assert ((real.folder / ".git/info").exists() and tree(real.folder / ".git/info")) == before


@pytest.mark.parametrize("ignored", [False, True])
def test_hooks_in_a_file_that_git_has_or_would_take_name_nothing_of_this_machine(
    real: Repository, ignored: bool
) -> None:
    write(real.folder / SETTINGS["gemini"], b"{}\n")
    if ignored:
        write(real.folder / ".git/info/exclude", b".gemini/\n")
    assert init(real.folder, agents="gemini") == 0
    [command] = hooks_of(real.folder / SETTINGS["gemini"])["SessionStart"]
    assert command.startswith(shlex.quote(table.program()[0]) if ignored else "case $(command -v aicx) in ")


def test_files_that_were_committed_meanwhile_name_nothing_of_this_machine(real: Repository) -> None:
    assert init(real.folder, agents="claude") == 0
    real.git("add", "--force", SETTINGS["claude"])
    assert init(real.folder, agents="claude") == 0
    [command] = hooks_of(real.folder / SETTINGS["claude"])["SessionStart"]
    assert "/bin/" not in command
    assert not excluded(real)


def test_shared_files_are_offered_to_git_and_say_what_to_do_without_aicx(real: Repository, home: Path) -> None:
    assert init(real.folder) == 0
    assert init(real.folder, "--shared") == 0
    shared = {".claude/settings.json", SETTINGS["gemini"], "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"}
    assert shared <= offered(real)
    assert not (real.folder / SETTINGS["claude"]).exists()
    assert not excluded(real)
    for name in shared:
        text = (real.folder / name).read_text()
        assert str(home) not in text
        assert table.program()[0] not in text
        assert "command -v aicx" in text or "not installed" in text
    assert init(real.folder, "--not-shared") == 0
    assert not (real.folder / ".claude/settings.json").exists()
    assert clean(real.folder) == 0
    assert not offered(real)


def test_a_clone_goes_on_with_the_shared_hooks_that_it_came_with(real: Repository, home: Path) -> None:
    assert init(real.folder, "--shared", agents="claude,gemini") == 0
    real.git("add", "--all")
    real.git("commit", "--quiet", "--message", "Agents")
    other = Repository(real.folder.parent / "clone")
    other.git("pull", "--quiet", str(real.folder), "main")
    assert init(other.folder, agents="claude,gemini") == 0
    assert not offered(other)
    assert not (other.folder / SETTINGS["claude"]).exists()


def test_worktrees_share_what_git_leaves_aside_until_the_last_is_clean(real: Repository, tmp_path: Path) -> None:
    exclude = write(real.folder / ".git/info/exclude", b"*.log")
    real.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    assert init(real.folder, agents="codex") == 0
    assert init(tmp_path / "second", agents="codex,gemini") == 0
    assert "/GEMINI.md" in exclude.read_text()
    assert clean(tmp_path / "second") == 0
    assert "/GEMINI.md" not in exclude.read_text()
    assert not offered(real)
    assert clean(real.folder) == 0
    assert exclude.read_bytes() == b"*.log"


def test_what_somebody_added_to_a_file_of_ours_is_offered_to_git_with_the_next_run(real: Repository) -> None:
    assert init(real.folder, agents="codex") == 0
    write(real.folder / "AGENTS.md", (real.folder / "AGENTS.md").read_bytes() + b"Mine.\n")
    assert init(real.folder, agents="codex") == 0
    assert "AGENTS.md" in offered(real)


@pytest.mark.process
@pytest.mark.parametrize(
    ("path", "runs"),
    [("{other}", True), ("", False), (".", False), ("{here}/bin", False), ("/nowhere", False), (":{other}", False)],
)
def test_shared_hooks_run_an_aicx_of_the_path_and_never_one_of_the_folder(
    real: Repository, tmp_path: Path, path: str, runs: bool
) -> None:
    assert init(real.folder, "--shared", agents="claude") == 0
    [command] = hooks_of(real.folder / ".claude/settings.json")["SessionStart"]
    places = [(tmp_path / "other", "other"), (real.folder, "clone"), (real.folder / "bin", "clone")]
    for folder, said in places:
        write(folder / "aicx", f'#!/bin/sh\necho "{said} $*"\n'.encode()).chmod(0o755)
    environ = {"PATH": path.format(other=tmp_path / "other", here=real.folder)}
    done = subprocess.run(["/bin/sh", "-c", command], cwd=real.folder, env=environ, capture_output=True, text=True)
    said = "other hook session-start --agent claude\n" if runs else ""
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/settings.local.json"])
def test_a_pipe_in_place_of_a_file_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "repository" / name
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    assert run(["init", "--repo", str(tmp_path / "repository"), "--agents", "claude", "--yes"]) == 7
    assert "is not a regular file" in capsys.readouterr().err


def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".claude").mkdir(parents=True)
    own, other = (
        repository / ".claude" / f".settings.local.json.aicx-{number}" for number in (99_999_999, os.getppid())
    )
    for left in (own, other):
        left.write_text("{")
    assert run(["init", "--repo", str(repository), "--agents", "claude", "--yes"]) == 0
    assert not own.exists()
    assert other.exists()  # of a process that is at work
