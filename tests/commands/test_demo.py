"""`aicx demo`, run for real: the commands it shows are processes of their own, in a home of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.demo import FAKE_TOKEN, REPOSITORY, STEPS, Demo, DemoCheck, DemoOutput
from aicx.installation import install_command

pytestmark = pytest.mark.process


@dataclass(frozen=True)
class Ran:
    """One call of `aicx demo`: what it printed, its exit code, and the folder it was given or that was the home."""

    code: int
    printed: str
    folder: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """`aicx demo` as everybody runs it; ``folder`` is the user's home."""
    home = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setenv("HOME", str(home))
        patch.setenv("AICX_HOME", str(home / ".aicx"))
        return Ran(run(["demo", "--no-meaning"]), printed.getvalue(), home)


@pytest.fixture(scope="module")
def ran_as_json(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """`aicx demo --keep DIR --json`; ``folder`` is DIR."""
    folder = tmp_path_factory.mktemp("parent") / "new"
    arguments = [sys.executable, "-m", "aicx", "demo", "--no-meaning", "--keep", str(folder), "--json"]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, timeout=60)
    return Ran(done.returncode, done.stdout, folder)


@pytest.fixture(scope="module")
def kept(ran_as_json: Ran) -> tuple[Demo, list[DemoOutput]]:
    """That demo with its home still there, and what its commands printed."""
    demo = Demo(ran_as_json.folder)
    demo.set_up()  # the same logs and repository once more
    steps = json.loads(ran_as_json.printed)["steps"]
    demo.shown = [
        DemoOutput(step, said["output"], said["exit_code"]) for step, said in zip(demo.plan, steps, strict=True)
    ]
    return demo, demo.shown


def sidecars(demo: Demo) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted((demo.home / ".aicx").rglob("*.meta.json"))]


def messages(demo: Demo, agent: str) -> list[dict[str, Any]]:
    return [message for fields in sidecars(demo) if fields["agent"] == agent for message in fields["messages"]]


def text(demo: Demo, pattern: str) -> str:
    [path] = (demo.home / ".aicx").rglob(pattern)
    return path.read_text("utf-8")


# The story ----------------------------------------------------------------------------------------------------------


@pytest.mark.needs("git")
def test_demo_holds_what_it_claims(ran: Ran) -> None:
    assert ran.code == 0
    assert "  NO  " not in ran.printed
    assert ran.printed.count("\n  yes  ") == 8


def test_demo_shows_the_mark_and_not_the_key(ran: Ran) -> None:
    assert "[REDACTED:github-token]" in ran.printed
    assert FAKE_TOKEN not in ran.printed


@pytest.mark.needs("git")
def test_demo_shows_the_answer_to_its_question(ran: Ran) -> None:
    step = ran.printed.partition("$ aicx search 'why did pier_reader break the deploy'")[2].partition("\n\n4/")[0]
    assert "Root cause: the release step runs with DB_ROLE=pier_reader" in step


@pytest.mark.needs("git")
def test_demo_resumes_and_asks_why_in_a_repository_of_its_own(ran: Ran) -> None:
    resumed, asked = (ran.printed.partition(f"$ aicx {name}")[2].partition("\n\n")[0] for name in ("resume", "why"))
    assert "wanted: The deploy of pier-api failed twice" in resumed
    assert "Name the database role of the" in asked
    assert "(high confidence)" in asked


def test_without_git_the_demo_leaves_two_steps_out_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("aicx.demo.which", lambda name: None)
    monkeypatch.setattr(Demo, "steps", lambda demo: iter(()))
    monkeypatch.setattr(Demo, "checks", lambda demo: [])
    assert run(["demo", "--no-meaning"]) == 0
    assert "Left out: `aicx resume` and `aicx why`: they ask git, which is not installed." in capsys.readouterr().out
    demo = Demo(tmp_path / "home")
    demo.set_up()
    assert [step.arguments[0] for step in demo.plan if step.in_repository] == []
    assert not (demo.home / REPOSITORY).exists()


def test_search_needs_no_optional_part(kept: tuple[Demo, list[DemoOutput]]) -> None:
    [searched] = [shown for shown in kept[1] if shown.step.arguments[0] == "search"]
    assert "ranked by lexical." in searched.output
    assert "warning" not in searched.output


def test_no_line_is_too_wide_to_read(ran: Ran) -> None:
    # A command to install what is missing is in one piece, and as long as the folder it names.
    lines = [line for line in ran.printed.splitlines() if install_command("semantic") not in line]
    assert [line for line in lines if len(line) > 80] == []


def test_demo_ends_with_what_to_run_on_ones_own_logs(ran: Ran) -> None:
    end = ran.printed.partition("On your own logs")[2]
    # Without the parts for meaning, how to get them follows.
    assert re.findall(r"aicx \w+", end)[:4] == ["aicx store", "aicx search", "aicx steer", "aicx doctor"]


def test_demo_leaves_the_users_home_alone(ran: Ran) -> None:
    assert list(ran.folder.iterdir()) == []


def test_commands_print_the_same_in_every_home(kept: tuple[Demo, list[DemoOutput]], ran: Ran) -> None:
    printed = " ".join(ran.printed.replace("│", " ").split())
    for shown in kept[1]:
        for line in shown.excerpt:
            assert " ".join(line.split()) in printed or len(line) > 76  # paths are cut there


@pytest.mark.needs("git")
def test_answers_in_the_readme_are_what_the_demo_prints(kept: tuple[Demo, list[DemoOutput]]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    fence = readme.split("```")[1].partition("\n")[2]
    printed = " ".join(word for shown in kept[1] for word in shown.output.split())
    said = [line for line in fence.splitlines() if line and not line.startswith("$")]
    assert len(said) == 8
    for line in said:
        assert " ".join(line.rstrip(" …").split()) in printed


@pytest.mark.needs("git")
def test_json_is_one_object_with_every_step(ran_as_json: Ran) -> None:
    answer = json.loads(ran_as_json.printed)
    assert answer["schema"] == "aicx.demo/1"
    assert answer["ok"] is True
    assert [step["exit_code"] for step in answer["steps"]] == [0] * len(STEPS)


@pytest.mark.needs("git")
def test_keep_leaves_logs_and_corpus_there(ran_as_json: Ran) -> None:
    assert json.loads(ran_as_json.printed)["kept_in"] == str(ran_as_json.folder)
    assert sorted(path.name for path in ran_as_json.folder.iterdir()) == [
        ".aicx",
        ".claude",
        ".codex",
        ".gemini",
        REPOSITORY,
    ]


def test_keep_refuses_a_folder_with_something_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert run(["demo", "--keep", str(tmp_path)]) == 2
    assert "not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


# A demo that does not hold says so ----------------------------------------------------------------------------------


def claims_that_fail(demo: Demo) -> set[str]:
    return {check.claim.split(",")[0] for check in demo.checks() if not check.holds}


def test_every_check_holds(kept: tuple[Demo, list[DemoOutput]]) -> None:
    assert claims_that_fail(kept[0]) == set()


def test_a_key_in_the_corpus_is_found(kept: tuple[Demo, list[DemoOutput]]) -> None:
    leak = kept[0].home / ".aicx" / "leak"
    leak.write_text(f"x{FAKE_TOKEN[4:]}x")
    failed = claims_that_fail(kept[0])
    leak.unlink()
    assert len(failed) == 1
    assert failed.pop().startswith("the key is in the logs and in none")


def test_a_changed_log_is_found(kept: tuple[Demo, list[DemoOutput]]) -> None:
    log = kept[0].home / ".claude" / "history.jsonl"
    before = log.read_bytes()
    log.write_bytes(before + b"\n")
    failed = claims_that_fail(kept[0])
    log.write_bytes(before)
    assert failed == {"no log was changed"}


def test_an_answer_that_misses_the_cause_is_found(kept: tuple[Demo, list[DemoOutput]]) -> None:
    demo = Demo(kept[0].home)
    demo.shown = [
        replace(shown, output="Nothing matches.") if "search" in shown.step.arguments else shown for shown in kept[1]
    ]
    assert "the search found the cause of the failed deploy" in claims_that_fail(demo)


def test_a_failing_claim_makes_the_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Demo, "steps", lambda demo: iter(()))
    monkeypatch.setattr(Demo, "checks", lambda demo: [DemoCheck("water is wet", True), DemoCheck("fire is wet", False)])
    assert run(["demo", "--no-meaning"]) == 1
    assert "  NO   fire is wet" in capsys.readouterr().out


# What the logs exercise ---------------------------------------------------------------------------------------------


def test_three_projects_appear(kept: tuple[Demo, list[DemoOutput]]) -> None:
    found = {(fields["project"], fields["repo_source"]) for fields in sidecars(kept[0])}
    assert {project for project, _ in found} == {
        "quietfields/seedbank",
        "tidewater/ferry-times",
        "tidewater/pier-api",
    }
    assert {source for _, source in found} == {"learned", "log-remote"}


def test_a_session_that_changes_folder_is_filed_in_both(kept: tuple[Demo, list[DemoOutput]]) -> None:
    session = "5b0f6d1e-8c2a-4e0b-9d37-2f6a41c7e958"
    projects = [fields["project"] for fields in sidecars(kept[0]) if fields["session_id"] == session]
    assert sorted(projects) == ["tidewater/ferry-times"] * 3 + ["tidewater/pier-api"]


def test_pieces_of_one_message_are_joined(kept: tuple[Demo, list[DemoOutput]]) -> None:
    markdown = text(kept[0], "*_claude_5b0f6d1e*_001.md")
    assert "between 23:08 and 23:57 UTC.\n\nThat is no coincidence" in markdown


def test_compaction_is_marked_as_such(kept: tuple[Demo, list[DemoOutput]]) -> None:
    assert [message["role"] for message in messages(kept[0], "claude") if message["origin"] == "compaction"] == [
        "system"
    ]


def test_injected_text_is_left_out(kept: tuple[Demo, list[DemoOutput]]) -> None:
    whole = "".join(path.read_text("utf-8") for path in (kept[0].home / ".aicx").rglob("*.md"))
    assert "make lint" not in whole  # a system reminder inside a prompt
    assert "make check" not in whole  # Codex's dump of AGENTS.md
    assert "update available" not in whole


def test_code_that_names_the_key_is_left_intact(kept: tuple[Demo, list[DemoOutput]]) -> None:
    assert 'os.getenv("GITHUB_TOKEN")' in text(kept[0], "*_claude_5b0f6d1e*_001.md")


def test_subagent_knows_its_parent(kept: tuple[Demo, list[DemoOutput]]) -> None:
    [subagent] = [fields for fields in sidecars(kept[0]) if fields["lane"] == "subagent"]
    assert subagent["parent_session"] == "5b0f6d1e-8c2a-4e0b-9d37-2f6a41c7e958"


def test_prompts_of_a_deleted_session_are_kept(kept: tuple[Demo, list[DemoOutput]]) -> None:
    [history] = [fields for fields in sidecars(kept[0]) if fields.get("stream") == "history"]
    assert history["session_id"] == "c91d27aa-40be-4b6c-a1f5-77d08e3b92c4"
    assert [message["role"] for message in history["messages"]] == ["user", "user"]


def test_both_vintages_of_codex_are_read(kept: tuple[Demo, list[DemoOutput]]) -> None:
    commands = [fields["commands"] for fields in sidecars(kept[0]) if fields["agent"] == "codex"]
    assert len(commands) == 2
    assert all(commands)
