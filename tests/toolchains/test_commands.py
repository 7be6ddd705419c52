"""Which commands a command line runs."""

from __future__ import annotations

import shlex

import pytest

from aicx.shell import invocations


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cd app && FOO=1 npx -y tsc --noEmit", ["cd app", "tsc --noEmit"]),
        ("docker compose -f dev.yml exec -T web sh -c 'cd /app && python -m pytest -q'", ["cd /app", "pytest -q"]),
        ("docker run --rm -v $PWD:/w -w /w python:3 python -m mypy src", ["mypy src"]),
        ("uv run --with x ruff check .", ["ruff check ."]),
        ("poetry run python -m flake8", ["flake8"]),
        ("sudo -u ada env A=1 timeout -k 5 60 bundle exec rspec", ["rspec"]),
        ("./.venv/bin/python3.12 -m unittest discover", ["unittest discover"]),
        ("npm --prefix web run build", ["npm run build"]),
        ("pnpm --filter web exec vitest run", ["vitest run"]),
        ("yarn workspace web jest", ["yarn jest"]),
        ('ssh host "make test"', ["make test"]),
        ("cat > a.py <<'EOF'\nimport pytest\nEOF\npython3 a.py", ["cat", "python3 a.py"]),
        ("if ! mypy x 2>&1; then echo bad; fi", ["mypy x", "echo bad", "fi"]),
        ("# check\ngo vet ./...", ["go vet ./..."]),
        ("echo 'never closed", ["echo 'never closed"]),
        ("", []),
    ],
)
def test_starters_of_a_command_are_left_out(line: str, words: list[str]) -> None:
    assert [" ".join(call.words) for call in invocations(line)] == words


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("pytest -q", False),
        ("pytest -q && echo fine", False),
        ("pytest -q | tail -20", True),
        ("pytest -q || true", True),
        ("pytest -q; echo $?", True),
        ("set -o pipefail && pytest -q | tee log", False),
        ("set -e; pytest -q; echo fine", False),
        ("bash -c 'pytest -q | tail -3'", True),
    ],
)
def test_an_exit_code_of_something_later_masks(line: str, masked: bool) -> None:
    assert next(call.masked for call in invocations(line) if call.words[0] == "pytest") is masked


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("make check", True),
        ("npm test", True),
        ("npm ci", False),
        ("yarn build", True),
        ("yarn install", False),
        ("./ci.sh", True),
        ("bash ci.sh", True),
        ("pytest", False),
    ],
)
def test_scripts_run_what_is_written_elsewhere(line: str, script: bool) -> None:
    assert invocations(line)[0].script is script


def test_shells_in_shells_are_followed_only_so_deep() -> None:
    line = "pytest"
    for _ in range(3):
        line = shlex.join(["sh", "-c", line])
    assert [call.words for call in invocations(line)] == [("pytest",)]
    for _ in range(6):
        line = shlex.join(["sh", "-c", line])
    assert all(call.words != ("pytest",) for call in invocations(line))
