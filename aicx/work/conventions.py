"""Which command tests a repository, by what lies in its root."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import orjson

from aicx.values import dataclass

TestSource = Literal["previous_successful_command", "makefile", "project_convention", "none"]

# A file of a project's root is read as far as this: a Makefile's rules and a package's scripts come early.
_MAX_BYTES = 256 * 1024
_TEST_RULE = re.compile(r"^(test|tests|check)\s*::?(?!=)", re.MULTILINE)
_CI = (".github/workflows/*.y*ml", ".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile")
_MAX_CI = 50  # workflows
_RULE = re.compile(r"^([A-Za-z0-9_.%/ -]+?)\s*::?(?!=)", re.MULTILINE)
# Only where a command begins: prose says "make" too. A call with -C or -f is of another Makefile.
_MAKE = re.compile(
    r"""(?:^[ \t]*(?:-[ \t]+)?(?:(?:run|script|command):[ \t]*)?(?:sh[ \t(]+)?["']?|&&[ \t]*|\|\|[ \t]*|;[ \t]*)make"""
    r"""((?:[ \t]+[A-Za-z0-9_][\w.-]*(?:=\S*)?)+)(?=[ \t]*(?:$|[;&|"'`)#\\]))""",
    re.MULTILINE,
)
_TARGET = re.compile(r"(?<!\S)[A-Za-z0-9_][\w.-]*(?!\S)")
_NPM_DEFAULT = "no test specified"  # what `npm init` writes, which always fails
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun run"), ("bun.lock", "bun run"))
_BY_FILE = (
    ("Cargo.toml", "cargo test"),
    ("go.mod", "go test ./..."),
    ("pom.xml", "mvn test"),
    ("gradlew", "./gradlew test"),
    ("build.gradle", "gradle test"),
    ("build.gradle.kts", "gradle test"),
    ("mix.exs", "mix test"),
    ("composer.json", "vendor/bin/phpunit"),
    (".rspec", "bundle exec rspec"),
    ("Rakefile", "bundle exec rake test"),
    ("pytest.ini", "pytest"),
    ("tox.ini", "pytest"),
    ("conftest.py", "pytest"),
)
_MARK = "[REDACTED:"
_DOTNET = ("*.sln", "*.slnx", "*.csproj", "*.fsproj")


@dataclass(frozen=True, slots=True)
class ProofCommand:
    """The command that proves the work."""

    command: Annotated[str | None, "null where nothing says how the project is tested"]
    source: Annotated[
        TestSource,
        "`previous_successful_command` (it passed in an earlier session), `makefile`, `project_convention`, `none`",
        str,
    ]


UNKNOWN_PROOF = ProofCommand(None, "none")


def choose_test_command(root: Path | None, passed: Sequence[str] = ()) -> ProofCommand:
    """The first of ``passed``, commands that were seen to pass here, else what the files below ``root`` suggest.

    One from which a secret was taken cannot be run again, and is left out.
    """
    if whole := next((command for command in passed if _MARK not in command), None):
        return ProofCommand(whole, "previous_successful_command")
    if root is None:
        return ProofCommand(None, "none")
    if rule := _TEST_RULE.search(_read(root / "Makefile")):
        return ProofCommand(f"make {rule[1]}", "makefile")
    rules: Sequence[Callable[[Path], str | None]] = (_npm, _by_file, _python, _dotnet)
    command = next((found for rule in rules if (found := rule(root))), None)
    return ProofCommand(command, "project_convention" if command else "none")


def missing_in_makefile(root: Path) -> tuple[list[str], list[str]]:
    """The files with which CI is set up, and the rules that they call with `make` and the Makefile does not have."""
    files = [path for pattern in _CI for path in sorted(root.glob(pattern))[:_MAX_CI]]
    makefile = next((text for name in ("GNUmakefile", "makefile", "Makefile") if (text := _read(root / name))), "")
    rules = {name for found in _RULE.finditer(makefile) for name in found[1].split()}
    # A rule may be in a file that is included, or be made of a pattern.
    is_open = "%" in "".join(rules) or re.search(r"^-?include\b", makefile, re.MULTILINE) is not None
    called = {name for path in files for line in _MAKE.findall(_read(path)) for name in _TARGET.findall(line)}
    return [path.relative_to(root).as_posix() for path in files], [] if is_open else sorted(called - rules)


def _npm(root: Path) -> str | None:
    try:
        script = orjson.loads(_read(root / "package.json"))["scripts"]["test"]
    except (ValueError, LookupError, TypeError):
        return None
    if not isinstance(script, str) or not script.strip() or _NPM_DEFAULT in script:
        return None
    return f"{next((runner for lock, runner in _LOCKS if (root / lock).is_file()), 'npm')} test"


def _by_file(root: Path) -> str | None:
    return next((command for name, command in _BY_FILE if (root / name).is_file()), None)


def _python(root: Path) -> str | None:
    try:
        project = tomllib.loads(_read(root / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        project = {}
    if "pytest" in project.get("tool", {}) or any((root / "tests").glob("test_*.py")):
        return "pytest"
    is_python = project or (root / "setup.py").is_file()
    return "pytest" if is_python and (root / "tests").is_dir() else None


def _dotnet(root: Path) -> str | None:
    return "dotnet test" if any(next(root.glob(pattern), None) for pattern in _DOTNET) else None


def _read(path: Path) -> str:
    """The beginning of a file; nothing of one that is not there or may not be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return stream.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
