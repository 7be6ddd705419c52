"""What the command line says to words that it does not know, and to bytes that are no words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shlex import quote

import pytest

from aicx.cli import run
from aicx.commands import COMMANDS, SECTIONS
from aicx.menu import CALLED_ELSEWHERE
from tests.corpus.builders import SESSION, ClaudeLog, Home


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serach", "search"),
        ("dashbord", "dashboard"),
        ("stats", "status"),
        ("Grep", "search"),
        ("task done", "task close"),
    ],
)
def test_unknown_command_names_the_one_that_was_meant(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*typed.split(), "words"]) == 2
    assert f"Did you mean '{meant}'?\n next: aicx {meant} --help" in capsys.readouterr().err


def test_unknown_command_like_no_other_leads_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["xyzzy", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert (said["error"], said["hint"]) == ("There is no command 'xyzzy'.", "aicx --help")


def test_words_of_other_tools_lead_to_commands_there_are() -> None:
    assert set(CALLED_ELSEWHERE.values()) <= set(COMMANDS)
    assert not set(CALLED_ELSEWHERE) & set(COMMANDS)


@pytest.mark.parametrize("command", [[], ["index"], ["bench"], ["map"]])
def test_help_of_a_group_cuts_no_summary(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run([*command, "--help"])
    printed = capsys.readouterr().out
    assert "..." not in printed.replace("[ARGS]...", "")
    assert max(map(len, printed.splitlines())) <= 80


def test_commands_are_in_sections_by_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    printed = capsys.readouterr().out
    headings = [line for line in printed.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [f"{section}:" for section in SECTIONS]


def test_the_help_of_everything_fits_forty_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["--help"]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 40


def test_help_of_a_command_has_its_filters_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "--help-all"]) == 0, capsys.readouterr().err
    own, _, filters = capsys.readouterr().out.partition("Which chunks:")
    assert "--decay" in own
    assert "--branch" in filters
    assert "--branch" not in own


def test_unknown_option_leads_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["steer", "--porject", "x"]) == 2
    said = capsys.readouterr().err
    assert "Did you mean '--project'?" in said
    assert said.endswith(" next: aicx steer --help\n")


# As Python hands over bytes that are not UTF-8.
NO_TEXT = os.fsdecode(b"\xff\xfe")


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One stored session of one repository."""
    user = Home(tmp_path).used(monkeypatch)
    user.claude(ClaudeLog(SESSION, user.repository("orbit", "git@x.org:ada/orbit.git")).prompt("the lexer", 0))
    assert run(["store"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", NO_TEXT],
        ["search", "lexer", "--branch", NO_TEXT],
        ["search", "lexer", "--session", NO_TEXT],
        ["steer", "--file", NO_TEXT],
        ["steer", f"--project={NO_TEXT}"],
        ["resume", "--task", NO_TEXT, "--project", "ada/orbit"],
    ],
)
@pytest.mark.usefixtures("stored")
def test_words_that_are_no_text_are_no_failure(arguments: list[str]) -> None:
    assert run(arguments) == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system takes UTF-8 only")
@pytest.mark.parametrize(
    ("command", "said"), [(["resume"], None), (["resume", "--json"], "agent@_ · session #1"), (["map", "status"], None)]
)
@pytest.mark.usefixtures("stored")
def test_folder_whose_name_is_no_text_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], said: str | None
) -> None:
    folder = tmp_path / NO_TEXT
    folder.mkdir()
    out = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(out, "utf-8"))
    assert run([*command, "--repo", str(folder)]) == 0
    sys.stdout.flush()
    assert (said or tmp_path.name).encode() in out.getvalue()


@pytest.mark.parametrize("command", ["state", "store", "steer"])
def test_corpus_whose_name_is_no_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setenv("AICX_HOME", str(tmp_path / NO_TEXT))
    assert run([command]) == 2
    assert "no UTF-8" in capsys.readouterr().err


def test_option_without_its_value_leads_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["steer", "--file"]) == 2
    assert "next: aicx steer --help\n" in capsys.readouterr().err


def test_values_to_choose_from_are_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["finalize"]) == 2
    assert "Choose from: success, failure\n" in capsys.readouterr().err


def test_an_exit_of_somebody_elses_keeps_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aicx.commands.state.command", lambda: sys.exit(3))
    with pytest.raises(SystemExit) as ended:
        run(["state"])
    assert ended.value.code == 3


@pytest.mark.parametrize("asked", ["--help", ""])
def test_a_reader_that_had_enough_is_no_failure(asked: str, home: Path) -> None:
    started = f"{quote(sys.executable)} -m aicx {asked}"
    done = subprocess.run(
        ["bash", "-c", f"{started} | true; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("more", ["", " --json"])
def test_a_full_disk_under_the_output_is_named(home: Path, more: str) -> None:
    started = f"{quote(sys.executable)} -m aicx bench report{more} --help > /dev/full"
    done = subprocess.run(started, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (6, "error: cannot write: No space left on device")


def test_closed_streams_are_no_failure(home: Path) -> None:
    started = f"{quote(sys.executable)} -m aicx --version"
    for closed in (">&-", "2>&-", ">&- 2>&- <&-"):
        done = subprocess.run(f"{started} {closed}", shell=True, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_what_a_command_used_is_not_searched_for_cycles_once_more_at_its_end() -> None:
    code = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count()));"
    code += "from aicx.__main__ import main; main()"
    ran = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert int(ran.stdout.splitlines()[-1]) > 0


def test_a_start_makes_no_classes_of_logs() -> None:
    code = "import sys, aicx.memory.recall.run, aicx.options; sys.exit('aicx.sources.items' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_settings_nested_a_thousand_deep_are_a_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".aicx").mkdir(exist_ok=True)
    (home / ".aicx" / "config.toml").write_text(f"workers = {'[' * 1000}{']' * 1000}\n")
    assert run(["list"]) == 2
    assert "cannot be read as TOML" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["config.toml", ".aicxignore", "index.json", "index/manifest.json", "locks/writer.lock"]
)
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_what_never_ends_in_the_place_of_a_file_of_ours_is_a_line(
    make: Callable[[Path], None], name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / ".aicx" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    make(file)
    assert (run(["list"]), run(["doctor"])) == (7, 7)
    assert f"{file} is not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["resume", "prepare", "next"])
def test_a_deleted_working_folder_is_a_line(
    command: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert run([command]) == 3
    assert "the current folder was deleted" in capsys.readouterr().err


def test_a_clock_that_python_cannot_read_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def beyond() -> float:
        raise OverflowError("timestamp too large to convert to C _PyTime_t")

    monkeypatch.setattr("time.time", beyond)
    assert run(["memory", "list"]) == 1
    assert "the clock is set beyond the year 2262" in capsys.readouterr().err
