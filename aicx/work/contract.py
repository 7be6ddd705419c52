"""The execution contract of a session: where to begin, what to edit, and which command proves it.

It is advice that can be checked afterwards (`aicx.work.compliance`); nothing enforces it. The signals and the limits
of its strength are those of AICTX 6.3. Which command tests a repository is told by the files in its root.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

import orjson

from aicx.fields import INTERNAL
from aicx.storage.typed import SPARSE
from aicx.text import shorten
from aicx.values import dataclass, regex

TestSource = Literal["previous_successful_command", "makefile", "project_convention", "none"]
Strength = Literal["strict", "soft", "exploratory"]
Binding = Literal["must_open_first", "must_inspect_listed_entry_points_only"]
Signal = Literal[
    "active_task",
    "paused_task",
    "continuation",  # the task asks to go on, or none is named
    "task_terms",  # words of the task stand in the first file's path
    "one_task_term",
    "from_task",  # the first file is one of the task's active files
    "from_session",  # the first file was edited in the session that is gone on from
    "in_map",
    "map_candidate",  # the repository map names another of the first files
    "known_path",  # a similar task succeeded from here
    "test_file",  # the task is about tests, and a test file is among the first
    "session_is_done",  # the session that is gone on from ended its work, and says nothing of this task
    "missing_paths",  # files of the task are gone
]

WORTH: Mapping[Signal, int] = {
    "active_task": 6,
    "paused_task": 4,
    "continuation": 2,
    "task_terms": 4,
    "one_task_term": 2,
    "from_task": 3,
    "from_session": 2,
    "in_map": 2,
    "map_candidate": 1,
    "known_path": 3,
    "test_file": 2,
    "session_is_done": -4,
    "missing_paths": -2,
}
STRICT, SOFT = 7, 3
MAX_FIRST, MAX_PRIMARY, MAX_SECONDARY, MAX_AVOID = 3, 3, 4, 8

_WORD = regex(r"[^\W_]{3,}")
_TESTS = regex(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", re.IGNORECASE)
_CAMEL = regex(r"(?<=[a-z\d])(?=[A-Z])")
_GOAL = 120  # characters of the goal in a command that is meant to be copied


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


@dataclass(frozen=True, slots=True)
class Ground:
    """The grounds that a contract is drawn up from. Paths are relative to the repository's root, best first.

    ``files`` are those to look at first, ``edited`` those that the session gone on from changed, ``mapped`` those that
    the repository map names for the task, ``known`` those where a similar task began that succeeded.
    """

    goal: str
    is_continuation: bool
    files: Sequence[str] = ()
    edited: Collection[str] = ()
    mapped: Sequence[str] = ()
    known: Collection[str] = ()
    session_is_done: bool = False
    task_status: Literal["active", "paused"] | None = None
    task_files: Sequence[str] = ()
    missing: Sequence[str] = ()
    discarded: Sequence[str] = ()
    test_command: ProofCommand = UNKNOWN_PROOF
    sources: Sequence[str] = ()  # references of what all this is known from


@dataclass(frozen=True, slots=True)
class FirstAction:
    """The first thing to do."""

    type: Annotated[
        Literal["open_file", "inspect_entry_points"],
        "`open_file`, or `inspect_entry_points`: look at `expected_first_files` before anything else",
        str,
    ]
    path: Annotated[str | None, "the file to open"]
    binding: Annotated[Binding, "`must_open_first` or `must_inspect_listed_entry_points_only`", str]
    reason: Annotated[str, "what speaks for it"]


@dataclass(frozen=True, slots=True)
class EditScope:
    """The files that the work is expected to change, from the repository's root."""

    primary: Annotated[tuple[str, ...], "those it is about, at most 3"] = ()
    secondary: Annotated[tuple[str, ...], "those it may need, at most 4"] = ()
    avoid: Annotated[tuple[str, ...], "those that were looked at and discarded"] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """[What a session is asked to keep to](work.md#contracts): checked afterwards, never enforced."""

    task_goal: Annotated[str, "the task"]
    contract_strength: Annotated[Strength, "`strict`, `soft`, or `exploratory`, which asks for no file", str]
    first_action: Annotated[FirstAction | None, "null where the contract is exploratory"]
    edit_scope: Annotated[EditScope, "the files that the work is expected to change"]
    test_command: Annotated[ProofCommand, "the command that proves it"]
    finalize_command: Annotated[str, "what reports the end of the session"]
    expected_first_files: Annotated[tuple[str, ...], "the files to look at first, at most 3"]
    signals: Annotated[tuple[Signal, ...], "what its strength comes from", tuple[str, ...]] = ()
    # References of the sessions and tasks that it was drawn up from.
    sources: tuple[str, ...] = field(default=(), metadata={**SPARSE, **INTERNAL})


@dataclass(frozen=True, slots=True)
class ContractResult:
    """How an earlier session kept to its contract."""

    ref: Annotated[str, "reference of the attempt"]
    status: Annotated[str, "`followed`, `partial` or `violated`"]
    score: Annotated[float, "0 to 1"]
    main_issue: Annotated[str | None, "the code of the first violation or warning, or null"]
    compact_summary: Annotated[str, "one line of at most 120 characters"]
    at: Annotated[str, "when it was written last"]


def draw_up(ground: Ground) -> Contract:
    """The contract for a task. Where little ties the files to it, it asks for nothing but the test."""
    ordered = tuple(dict.fromkeys((*ground.task_files, *ground.files, *ground.mapped)))
    ordered = tuple(path for path in ordered if path not in ground.discarded)
    first = ordered[:MAX_FIRST]
    signals = tuple(_signals(ground, first))
    score = sum(WORTH[signal] for signal in signals)
    strength: Strength = "strict" if score >= STRICT else "soft" if score >= SOFT else "exploratory"
    if not first:
        strength = "exploratory"
    binds = strength != "exploratory"
    primary = ordered[:MAX_PRIMARY]
    secondary = ordered[MAX_PRIMARY : MAX_PRIMARY + MAX_SECONDARY]
    avoid = tuple(ground.discarded[:MAX_AVOID])
    return Contract(
        task_goal=ground.goal,
        contract_strength=strength,
        first_action=_first_action(strength, first, signals) if binds else None,
        edit_scope=EditScope(primary, secondary, avoid) if binds else EditScope(avoid=avoid),
        test_command=ground.test_command,
        finalize_command=_finalize_command(ground.goal),
        expected_first_files=first,
        signals=signals,
        sources=tuple(dict.fromkeys(ground.sources)),
    )


def is_test(path: str) -> bool:
    """Whether a path is that of a test, by its name or a folder's."""
    return _TESTS.search(_CAMEL.sub("_", path)) is not None


def _signals(ground: Ground, first: Sequence[str]) -> list[Signal]:
    head = first[0] if first else None
    terms = _terms(ground.goal)
    shared = len(terms & _terms(head)) if head else 0
    tells: Sequence[tuple[Signal, bool]] = (
        ("active_task", ground.task_status == "active"),
        ("paused_task", ground.task_status == "paused"),
        ("continuation", ground.is_continuation),
        ("task_terms", shared > 1),
        ("one_task_term", shared == 1),
        ("from_task", head in ground.task_files),
        ("from_session", head in ground.edited),
        ("in_map", head in ground.mapped),
        ("map_candidate", head not in ground.mapped and not set(first).isdisjoint(ground.mapped)),
        ("known_path", head in ground.known),
        ("test_file", bool(terms & {"test", "tests", "testing"}) and any(map(is_test, first))),
        ("session_is_done", ground.session_is_done and not shared and ground.task_status is None),
        ("missing_paths", bool(ground.missing)),
    )
    return [signal for signal, holds in tells if holds]


def _terms(text: str | None) -> set[str]:
    return {word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text or ""))}


def _first_action(strength: Strength, first: Sequence[str], signals: Sequence[Signal]) -> FirstAction:
    reason = ", ".join(signal.replace("_", " ") for signal in signals if WORTH[signal] > 0)
    if strength == "strict":
        return FirstAction("open_file", first[0], "must_open_first", reason)
    return FirstAction("inspect_entry_points", None, "must_inspect_listed_entry_points_only", reason)


def _finalize_command(goal: str) -> str:
    named = f" --task {shlex.quote(shorten(goal, _GOAL))}" if goal.strip() else ""
    return f'aicx finalize --status success|failure --summary "…"{named}'


# A file of a project's root is read as far as this: a Makefile's rules and a package's scripts come early.
_MAX_BYTES = 256 * 1024
_TEST_RULE = regex(r"^(test|tests|check)\s*::?(?!=)", re.MULTILINE)
_CI = (".github/workflows/*.y*ml", ".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile")
_MAX_CI = 50  # workflows
_RULE = regex(r"^([A-Za-z0-9_.%/ -]+?)\s*::?(?!=)", re.MULTILINE)
# Only where a command begins: prose says "make" too. A call with -C or -f is of another Makefile.
_MAKE = regex(
    r"""(?:^[ \t]*(?:-[ \t]+)?(?:(?:run|script|command):[ \t]*)?(?:sh[ \t(]+)?["']?|&&[ \t]*|\|\|[ \t]*|;[ \t]*)make"""
    r"""((?:[ \t]+[A-Za-z0-9_][\w.-]*(?:=\S*)?)+)(?=[ \t]*(?:$|[;&|"'`)#\\]))""",
    re.MULTILINE,
)
_TARGET = regex(r"(?<!\S)[A-Za-z0-9_][\w.-]*(?!\S)")
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
