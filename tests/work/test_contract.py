"""What a contract is drawn up from, and which command tests a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aicx.work.contract import (
    Contract,
    Ground,
    ProofCommand,
    Strength,
    choose_test_command,
    draw_up,
    is_test,
    missing_in_makefile,
)

FILES = ("src/login.py", "src/session.py", "tests/test_login.py", "src/a.py", "src/b.py", "src/c.py", "src/d.py", "e")


def contract(goal: str = "", **known: Any) -> Contract:
    return draw_up(Ground(goal, known.pop("is_continuation", False), **{"files": FILES, **known}))


@pytest.mark.parametrize(
    ("goal", "known", "strength"),
    [
        ("Fix the login", {"task_status": "active"}, "strict"),  # 6 + 2
        ("Fix the parser", {"task_status": "active"}, "soft"),  # 6
        ("Fix the parser", {"task_status": "active", "task_files": ("src/parser.py",)}, "strict"),
        ("Fix the parser", {"task_status": "paused"}, "soft"),
        ("", {"is_continuation": True, "edited": ("src/login.py",)}, "soft"),
        ("", {"is_continuation": True}, "exploratory"),
        ("Fix src/login.py", {}, "soft"),
        ("Write tests for the login", {"edited": ("src/login.py",)}, "soft"),  # 2 + 2 + 2
        ("Fix the parser", {"session_is_done": True, "edited": ("src/login.py",)}, "exploratory"),
        ("Fix the parser", {"task_status": "paused", "missing": ("gone.py",)}, "exploratory"),
        ("Fix the parser", {"task_status": "active", "files": ()}, "exploratory"),  # nothing to begin with
    ],
)
def test_what_is_known_makes_its_strength(goal: str, known: dict[str, Any], strength: Strength) -> None:
    assert contract(goal, **known).contract_strength == strength


def test_a_strict_one_names_the_file_to_open() -> None:
    found = contract("Fix the login", task_status="active").first_action
    assert found is not None
    assert (found.type, found.path, found.binding) == ("open_file", "src/login.py", "must_open_first")
    assert found.reason == "active task, one task term"


def test_a_soft_one_names_the_files_to_inspect() -> None:
    found = contract("Fix the parser", task_status="active")
    assert found.first_action is not None
    assert (found.first_action.type, found.first_action.path) == ("inspect_entry_points", None)
    assert found.expected_first_files == FILES[:3]


def test_an_exploratory_one_asks_for_no_file() -> None:
    found = contract("Fix the parser", discarded=("src/c.py",))
    assert (found.first_action, found.edit_scope.primary, found.edit_scope.secondary) == (None, (), ())
    assert found.edit_scope.avoid == ("src/c.py",)


def test_the_scope_has_three_files_and_four_that_may_be_needed() -> None:
    scope = contract("Fix the login", task_status="active").edit_scope
    assert (scope.primary, scope.secondary) == (FILES[:3], FILES[3:7])


def test_files_of_the_task_come_first_and_discarded_ones_not_at_all() -> None:
    found = contract("x", task_status="active", task_files=("src/b.py",), discarded=("src/login.py",))
    assert found.expected_first_files == ("src/b.py", "src/session.py", "tests/test_login.py")
    assert found.edit_scope.avoid == ("src/login.py",)


def test_the_command_at_the_end_quotes_the_goal_for_a_shell() -> None:
    assert contract("don't $(rm)").finalize_command.endswith("--task 'don'\"'\"'t $(rm)'")
    assert "--task" not in contract("").finalize_command


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a_test.go", "src/a.spec.ts", "src/__tests__/a.js", "src/LoginTest.java"]
)
def test_a_test_is_known_by_its_path(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["src/latest.py", "contest/a.py", "inspect.py"])
def test_a_word_that_only_ends_like_a_test_is_none(path: str) -> None:
    assert not is_test(path)


PACKAGE = '{"scripts": {"test": "vitest run"}}'


@pytest.mark.parametrize(
    ("files", "command", "source"),
    [
        ({"Makefile": "build:\n\tcc\ntest: build\n\t./run\n"}, "make test", "makefile"),
        ({"Makefile": "check:\n\t./run\n", "Cargo.toml": ""}, "make check", "makefile"),
        ({"package.json": PACKAGE}, "npm test", "project_convention"),
        ({"package.json": PACKAGE, "pnpm-lock.yaml": ""}, "pnpm test", "project_convention"),
        ({"package.json": PACKAGE, "yarn.lock": ""}, "yarn test", "project_convention"),
        ({"Cargo.toml": "[package]"}, "cargo test", "project_convention"),
        ({"go.mod": "module m"}, "go test ./...", "project_convention"),
        ({"pom.xml": "<project/>"}, "mvn test", "project_convention"),
        ({"app.sln": ""}, "dotnet test", "project_convention"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest", "project_convention"),
        ({"tests/test_app.py": ""}, "pytest", "project_convention"),
        ({"setup.py": "", "tests/app.py": ""}, "pytest", "project_convention"),
    ],
)
def test_a_project_says_how_it_is_tested(tmp_path: Path, files: dict[str, str], command: str, source: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert choose_test_command(tmp_path) == ProofCommand(command, source)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "test := 1\nlint:\n\truff check\n"),
        ("Makefile", "latest:\n\ttrue\n"),
        ("package.json", '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'),
        ("package.json", "{broken"),
        ("package.json", '{"scripts": []}'),
        ("pyproject.toml", "= broken"),
        ("README.md", "test: by hand"),
    ],
)
def test_what_names_no_test_gives_none(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert choose_test_command(tmp_path) == ProofCommand(None, "none")


def test_a_command_that_passed_here_comes_before_every_convention(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n")
    found = choose_test_command(tmp_path, ["uv run pytest -q", "pytest"])
    assert found == ProofCommand("uv run pytest -q", "previous_successful_command")


def test_a_command_from_which_a_secret_was_taken_is_no_proof(tmp_path: Path) -> None:
    passed = ["KEY=[REDACTED:secret] pytest -q", "pytest -q tests"]
    assert choose_test_command(tmp_path, passed).command == "pytest -q tests"
    assert choose_test_command(tmp_path, passed[:1]).command is None


def test_a_folder_that_is_called_like_a_file_names_no_test(tmp_path: Path) -> None:
    (tmp_path / "Makefile").mkdir()
    assert choose_test_command(tmp_path).command is None


@pytest.mark.parametrize(
    ("makefile", "workflow", "missing"),
    [
        ("test lint:\n\ttrue\n", "    - run: make test\n", []),
        ("test:\n\ttrue\n", "    - run: make test lint\n", ["lint"]),
        ("test:\n\ttrue\n", "    - run: |\n        cd src && make PY=3 docs || true\n", ["docs"]),
        ("include more.mk\n", "    - run: make docs\n", []),
        ("%.out:\n\ttrue\n", "    - run: make a.out\n", []),
        ("test:\n\ttrue\n", "    - name: make wheels\n      run: make -C docs html  # make sure\n", []),
    ],
)
def test_rules_that_ci_calls_and_the_makefile_lacks_are_named(
    tmp_path: Path, makefile: str, workflow: str, missing: list[str]
) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/ci.yml").write_text(workflow)
    (tmp_path / "Makefile").write_text(makefile)
    assert missing_in_makefile(tmp_path) == ([".github/workflows/ci.yml"], missing)
