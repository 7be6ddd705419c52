"""A home knows its format: a newer one is refused before anything is read, an older one is taken over once, noted."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.storage import home_format
from aicx.storage.home_format import FORMAT, JOURNAL, NAME, claim_format

HOMES = Path(__file__).parent.parent / "fixtures" / "homes"
NAMES = sorted(path.name.removesuffix(".tar.xz") for path in HOMES.glob("*.tar.xz"))
SESSION = "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "user").mkdir()
    (tmp_path / "user/.claude").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def _unpack(name: str, home: Path) -> None:
    with tarfile.open(HOMES / f"{name}.tar.xz") as packed:
        packed.extractall(home, filter="data")


def _files(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def _journal(home: Path) -> list[tuple[int, int]]:
    lines = map(json.loads, (home / JOURNAL).read_text().splitlines())
    return [(line["from"], line["to"]) for line in lines]


@pytest.mark.parametrize(
    "words",
    [
        *(
            "store",
            "search export",
            "steer",
            "state",
            "doctor",
            "doctor --fix",
            "memory list",
            "memory put Words",
            "next",
        ),
        *("forget --session x --yes", "resume", "why x", "cas put README", "index"),
    ],
)
def test_a_home_of_a_newer_release_is_refused_and_left_as_it_is(
    home: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    _unpack("unstamped", home)
    (home / "config.toml").write_text("a_setting_of_tomorrow = 1\n")
    (home / NAME).write_text(f'{{"format": {FORMAT + 1}, "release": "9.9"}}')
    before = _files(home)
    assert run(words.split()) == 10
    assert f"was written by a newer aicx (by aicx 9.9): it has format {FORMAT + 1}" in capsys.readouterr().err
    assert _files(home) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_home_of_each_earlier_format_is_taken_over_once_and_keeps_what_it_held(
    home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    _unpack(name, home)
    chunks = {path: body for path, body in _files(home).items() if path.endswith(("_001.md", "events.jsonl"))}
    assert run(["store"]) == 0
    assert f"now has format {FORMAT}" in capsys.readouterr().err
    assert (json.loads((home / NAME).read_text())["format"], _journal(home)) == (FORMAT, [(1, FORMAT)])
    assert run(["store"]) == 0
    assert "now has format" not in capsys.readouterr().err
    assert _journal(home) == [(1, FORMAT)]
    assert chunks.items() <= _files(home).items()
    assert run(["search", "export", "--json"]) == 0
    assert SESSION in capsys.readouterr().out
    assert run(["doctor"]) in (0, 1)
    if (home / "memory").is_dir():
        assert run(["memory", "list", "--everywhere", "--json"]) == 0
        assert "Exports check who asks" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_a_reading_command_changes_no_home_of_an_earlier_format(home: Path, name: str) -> None:
    _unpack(name, home)
    assert run(["search", "export"]) == 0
    assert not (home / NAME).exists()


def test_a_new_home_has_a_number_and_no_upgrade(home: Path) -> None:
    assert run(["store"]) == 0
    assert json.loads((home / NAME).read_text())["format"] == FORMAT
    assert not (home / JOURNAL).exists()


def test_a_number_that_cannot_be_read_is_not_taken_for_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    for body in ("", "[]", "{}", '{"format": "2"}'):
        (home / NAME).write_text(body)
        assert run(["state"]) == 7
        assert "does not say which format the home has" in capsys.readouterr().err


def test_a_release_that_took_turns_with_a_newer_one_writes_nothing_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newer one comes between the settings and the lock."""
    assert run(["store"]) == 0
    monkeypatch.setattr("aicx.config.check_format", lambda home: FORMAT)
    (home / NAME).write_text(json.dumps({"format": FORMAT + 1}))
    before = {path: body for path, body in _files(home).items() if not path.startswith("locks/")}
    assert run(["store"]) == 10
    assert {path: body for path, body in _files(home).items() if not path.startswith("locks/")} == before


def test_the_next_store_removes_what_killed_processes_left_half_written_and_nothing_else(home: Path) -> None:
    assert run(["store"]) == 0
    gone = 2**22 + 1  # beyond the ids that processes have
    names = [f"{folder}.state.json.{gone}.aicx-part" for folder in ("", "index/", "agents/folders/", "work/acme/")]
    kept = [f"index/.manifest.json.{os.getppid()}.aicx-part", f"index/.manifest.json.{gone}.part"]
    for name in (*names, *kept):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"{")
    assert run(["store"]) == 0
    assert [name for name in (*names, *kept) if (home / name).exists()] == kept


def test_an_upgrade_killed_at_any_step_is_noted_once(home: Path) -> None:
    """In a child process, which ends at each replacement of a file in turn."""
    for step in range(3):
        folder = home.with_name(f"home{step}")
        (folder / "locks").mkdir(parents=True)
        (folder / "index.json").write_text("{}")
        child = os.fork()
        if child == 0:
            done = 0

            def replace(path: Path, body: bytes, whole=home_format.replace_file, last=step) -> None:
                nonlocal done
                if done == last:
                    os._exit(9)
                done += 1
                whole(path, body)

            home_format.replace_file = replace
            claim_format(folder, lambda line: None)
            os._exit(0)
        os.waitpid(child, 0)
        claim_format(folder, lambda line: None)
        assert _journal(folder) == [(1, FORMAT)]


def test_why_reads_every_chunk_where_the_index_is_of_another_release(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _unpack("unstamped", home)
    assert run(["store"]) == 0
    manifest = home / "index" / "manifest.json"
    fields = json.loads(manifest.read_text())
    fields["lexical"]["version"] = "0"
    del fields["sha256"]
    manifest.write_text(json.dumps(fields))
    capsys.readouterr()
    assert run(["why", "Make the export of widgets check who asks", "--json"]) == 0
    assert "made by another version of aicx: every chunk was read" in capsys.readouterr().out
