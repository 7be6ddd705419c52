"""Tests say which parts they need by one marker, and a run can be held to a list of known skips."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import parts

TESTS = Path(__file__).parent
LIBRARIES = {library for libraries in parts.PARTS.values() for library in libraries} - {"hypothesis"}


def helpers() -> list[Path]:
    return [path for path in sorted(TESTS.rglob("*.py")) if not path.name.startswith("test_")]


def imported_at_once(module: Path) -> set[str]:
    """The packages that a module imports wherever it is imported itself."""
    found: set[str] = set()
    for node in ast.parse(module.read_bytes()).body:
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_no_helper_imports_an_optional_part_by_itself() -> None:
    found = {str(path.relative_to(TESTS)): imported_at_once(path) & LIBRARIES for path in helpers()}
    assert {name: libraries for name, libraries in found.items() if libraries} == {}


def test_only_the_marker_skips_for_want_of_a_part() -> None:
    asking = [path.name for path in sorted(TESTS.rglob("*.py")) if "importorskip" in path.read_text("utf-8")]
    assert asking == [Path(__file__).name]


def test_each_part_is_an_extra_of_the_package() -> None:
    extras = tomllib.loads(TESTS.with_name("pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(parts.PARTS) <= set(extras)


def test_a_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "is_missing", lambda part: part == "web")
    assert parts.reason(["mcp", "web"]) == "not installed: web"
    assert parts.reason(["mcp"]) is None


def test_an_unknown_part_is_an_error() -> None:
    with pytest.raises(KeyError):
        parts.reason(["wep"])


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("pytestmark = pytest.mark.needs('mcp', 'web')", ["mcp", "web"]),
        ("pytestmark = [pytest.mark.slow, pytest.mark.needs('mcp')]", ["mcp"]),
        ("pytestmark = pytest.mark.slow", []),
        ("import mcp", []),
    ],
)
def test_needs_of_a_module_are_read_without_importing_it(text: str, needed: list[str], tmp_path: Path) -> None:
    module = tmp_path / "test_it.py"
    module.write_text(text)
    assert parts.needed_by(module) == needed


@pytest.mark.process
def test_a_run_with_unknown_skips_fails(pytester_run: tuple[int, str]) -> None:
    code, printed = pytester_run
    assert (code, "skipped 1: no moon" in printed, "does not have: no moon" in printed) == (1, True, True)


@pytest.fixture
def pytester_run(tmp_path: Path) -> tuple[int, str]:
    """A run of one skipped test with these tests' own settings, told that nothing may be skipped."""
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_a():\n    pytest.skip('no moon')\n")
    (tmp_path / "known.txt").write_text("# none\n")
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.conftest",
        f"--rootdir={tmp_path}",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*line, f"--known-skips={tmp_path / 'known.txt'}", str(tmp_path / "test_it.py")],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr
