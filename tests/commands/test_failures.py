"""`aicx failures list` and `show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home

ERROR = 'src/cart.py:{line}: error: Name "price" is not defined  [name-defined]'


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Two sessions that met the same mistake in one repository; the first mended it."""
    user = Home(tmp_path)
    repository = user.repository("orbit", "git@example.org:ada/orbit.git")
    mended = ClaudeLog(SESSION, repository).prompt("Check the types of the cart", 0)
    mended.call("Bash", 1, "t1", command="mypy src").result(ERROR.format(line=4), 2, "t1", failed=True)
    mended.call("Edit", 3, "t2", file_path=f"{repository}/src/cart.py", new_string="x", old_string="y").result(
        "", 4, "t2"
    )
    mended.call("Bash", 5, "t3", command="mypy src").result("Success: no issues found", 6, "t3")
    user.claude(mended.answer("The types hold.", 7))
    again = ClaudeLog(OTHER, repository).prompt("Add a discount to the cart", 100)
    again.call("Edit", 100.5, "t8", file_path=f"{repository}/src/cart.py", new_string="x", old_string="y")
    again.result("", 100.6, "t8").call("Bash", 101, "t9", command="mypy src").result(
        ERROR.format(line=9), 102, "t9", failed=True
    )
    user.claude(again.answer("The name is missing again.", 103))
    user.store()
    monkeypatch.setenv("AICX_HOME", str(user.corpus))
    monkeypatch.chdir(repository)
    return user


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert run(["failures", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_mistake_of_two_sessions_is_one(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    [item] = answer(capsys, "list")["items"]
    assert (item["status"], item["occurrences"], len(item["sessions"])) == ("open", 2, 2)
    assert (item["family"], item["code"], item["file"], item["line"]) == (
        "python_types",
        "name-defined",
        "src/cart.py",
        9,
    )
    assert item["resolutions"][0]["by"]["files"] == ["src/cart.py"]


def test_only_those_of_the_repository_are_listed(
    user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert answer(capsys, "list")["matched"] == 0
    assert answer(capsys, "list", "--everywhere")["matched"] == 1


def test_a_test_that_failed_is_named_in_the_list(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    log = ClaudeLog("5e551001-0000-4000-8000-000000000001", str(Path.cwd())).prompt("Test the cart", 200)
    printed = "--- FAIL: TestCart (0.00s)\n    cart_test.go:9: the total is wrong\nFAIL\nFAIL\tshop/cart\t0.1s\nFAIL"
    log.call("Bash", 201, "t5", command="go test ./...").result(printed, 202, "t5", failed=True)
    user.claude(log)
    user.store()
    capsys.readouterr()
    assert run(["failures", "list", "--limit", "1"]) == 0
    assert "TestCart: " in capsys.readouterr().out


def test_a_status_limits_the_list(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "list", "--status", "resolved")["items"] == []


def test_one_is_shown_by_the_beginning_of_its_id(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    [item] = answer(capsys, "list")["items"]
    assert answer(capsys, "show", item["id"][:14])["failure"] == item
    assert run(["failures", "show", item["fingerprint"][:6]]) == 0
    assert "edited src/cart.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wanted", "code", "hint"),
    [("failure:ffffffff", 3, "aicx failures list"), ("f", 2, "at least 4 of its digits")],
)
def test_an_id_that_fits_none_is_refused(
    user: Home, capsys: pytest.CaptureFixture[str], wanted: str, code: int, hint: str
) -> None:
    assert run(["failures", "show", wanted]) == code
    assert hint in capsys.readouterr().err


def test_a_repository_without_failures_says_so(
    user: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["failures"]) == 0
    assert "--everywhere" in capsys.readouterr().err


def test_a_brief_says_what_helped_before(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store"]) == 0
    capsys.readouterr()
    assert run(["resume", "--json"]) == 0
    [known] = json.loads(capsys.readouterr().out)["known_fixes"]
    assert (known["files"], known["command"]) == (["src/cart.py"], "mypy src")
    assert run(["resume"]) == 0
    assert "seen before: Name" in (said := capsys.readouterr().out)
    assert "it passed after editing `src/cart.py`" in said
