"""Which command tests a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.work.contract import ProofCommand, choose_test_command, missing_in_makefile

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
