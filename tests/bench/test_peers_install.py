"""Installing peers and listing them, with an npm that is a few lines of shell."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aicx.cli import run
from benchmarks.peers import PEERS
from benchmarks.peers.environment import Environment, environment_of
from benchmarks.peers.install import NotInstalled, _steps, install

PEER = PEERS["loctree-aicx"]
GOOD = """
mkdir -p "$3"
echo '{"packages": {"": {}, "node_modules/fake": {"version": "0.1"}}}' > "$3/package-lock.json"
"""
BAD = """
echo "npm warn old lockfile"
echo "npm error code E404"
echo "npm error 404 no such package"
exit 7
"""


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return environment_of(PEER, tmp_path / "home")


def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Puts an npm that does ``body`` in front of the PATH."""
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{body}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["bench", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_installed_peer_is_noted_with_its_version_and_packages(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path, monkeypatch, GOOD)
    install(environment, "torch", lambda _: None)
    assert environment.state() == "installed"
    assert environment.facts()["version"] == PEER.version
    assert environment.facts()["packages"] == {"fake": "0.1"}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("AICX_HTTP_AUTH_TOKEN", False),
        ("ANTHROPIC_API_KEY", False),
        ("GITHUB_TOKEN", False),
        ("MY_SECRET", False),
        ("HTTPS_PROXY", True),
    ],
)
def test_package_manager_is_told_no_secret(
    name: str, known: bool, environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "shown")
    npm(tmp_path, monkeypatch, f'echo "{name}=${{{name}:-hidden}}"\n{GOOD}')
    install(environment, "torch", lambda _: None)
    assert (f"{name}=shown" in (environment.folder / "install.log").read_text()) is known


def test_steps_are_told_while_they_are_taken(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path, monkeypatch, GOOD)
    told: list[str] = []
    install(environment, "torch", told.append)
    assert told[0].startswith("loctree-aicx: 1 of 1: npm install ")
    assert f"{PEER.package}@{PEER.version}" in told[0]


def test_failed_installation_says_what_the_package_manager_said(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path, monkeypatch, BAD)
    with pytest.raises(
        NotInstalled, match="ended with 7: npm error code E404 / npm error 404 no such package"
    ) as error:
        install(environment, "torch", lambda _: None)
    assert "old lockfile" in Path(str(error.value.hint).removeprefix("the whole of it: ")).read_text()


def test_broken_off_installation_is_absent(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.note.parent.mkdir(parents=True)
    environment.note.write_text(json.dumps({"version": PEER.version}))
    npm(tmp_path, monkeypatch, BAD)
    with pytest.raises(NotInstalled):
        install(environment, "torch", lambda _: None)
    assert environment.state() == "absent"


def test_missing_npm_is_named(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotInstalled, match="there is no npm here"):
        install(environment, "torch", lambda _: None)


def test_torch_comes_before_what_needs_it_and_as_pip_was_told(tmp_path: Path) -> None:
    steps = list(_steps(environment_of(PEERS["txtai"], tmp_path), "torch==2.13.0 --index-url URL"))
    assert list(steps[1].command)[-3:] == ["torch==2.13.0", "--index-url", "URL"]
    assert "txtai==9.14.0" in steps[2].command


@pytest.mark.parametrize("note", ["", "{", '{"version": "0.1"}'])
def test_damaged_or_other_note_is_not_an_installation(note: str, environment: Environment) -> None:
    environment.note.parent.mkdir(parents=True)
    environment.note.write_text(note)
    assert environment.state() in ("absent", "outdated")


def test_list_shows_every_peer_and_how_to_install_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = bench(capsys, "list")
    assert code == 0
    assert all(f"aicx bench peers install {name}" in out for name, peer in PEERS.items() if not peer.unfit)


def test_peers_are_listed_as_json_with_their_state(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = bench(capsys, "peers", "--json")
    found = json.loads(out)
    assert (code, found["schema"]) == (0, "aicx.bench-peers/1")
    assert {peer["state"] for peer in found["peers"].values()} == {"absent", "unfit"}
    assert "peer:txtai/dense" in found["peers"]["txtai"]["rankers"]


def test_install_from_the_command_line_goes_into_the_home(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    npm(tmp_path, monkeypatch, GOOD)
    code, _, err = bench(capsys, "peers", "install", "loctree-aicx")
    assert code == 0
    assert "loctree-aicx 0.14.0 is installed" in err
    assert (home / ".aicx" / "bench" / "peers" / "loctree-aicx" / "installed.json").exists()


def test_one_that_cannot_be_installed_does_not_keep_others_from_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path, monkeypatch, f'case "$*" in *qmd*|*node-linux*) {BAD} ;; esac\n{GOOD}')
    code, _, err = bench(capsys, "peers", "install", "qmd", "loctree-aicx")
    assert code == 1
    assert "loctree-aicx 0.14.0 is installed" in err
    assert "not installed: qmd" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["install"], "which peer?"),
        (["install", "nosuch"], "there is no peer 'nosuch'"),
        (["install", "aictx"], "no search over texts"),
        (["instal", "qmd"], "does not know 'instal'"),
        (["--all"], "what to install"),
    ],
)
def test_words_that_do_not_fit_are_a_usage_error(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = bench(capsys, "peers", *words)
    assert code == 2
    assert said in err.replace("\n", " ")


@pytest.mark.needs("bench")
@pytest.mark.slow
def test_run_names_a_peer_that_is_absent_and_measures_the_rest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = bench(capsys, "run", "-r", "grep", "-r", "peer:qmd", "-o", str(tmp_path / "out"), "--json")
    assert code == 0
    failures = {row["ranker"]: row["failure"] for row in json.loads(out)["rankers"]}
    assert failures == {"grep": None, "peer:qmd": "qmd is not installed (next: aicx bench peers install qmd)"}
