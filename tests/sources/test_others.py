"""Sources of other packages: found by their entry points, and unable to stop the others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

import aicx.sources as table
from aicx.cli import run
from aicx.errors import UsageError
from tests.corpus.builders import ClaudeLog, Home

# A source as its author would write it.
LANTERN = """
from datetime import datetime, UTC
from aicx.sources.items import LogIdentity, TimelineEntry
from aicx.sources.records import RawRecord, list_folder, read_jsonl, stat_log


class Lantern:
    agent = "lantern"

    def discover(self, homes):
        return (stat_log("lantern", "lantern-lines", path) for path in list_folder(homes.user / ".lantern"))

    def identify(self, log):
        return LogIdentity(log.path.stem, None)

    def read(self, log):
        for record in read_jsonl(log):
            if not isinstance(record, RawRecord):
                yield record
                continue
            at = datetime.fromtimestamp(record.value["at"], UTC)
            text, ref = record.value["text"], record.ref(str(log.path))
            yield TimelineEntry("lantern", log.path.stem, at, "user", text, ref, "typed")


SOURCE = Lantern()
"""
LOG = '{"at": 1772359200, "text": "Trim the wick with token ghp_0123456789abcdefghijABCDEFGHIJ012345"}\n{"at": 17723\n'

Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package with one source where Python finds it, as an installer leaves it."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))

    def put(agent: str, body: str) -> None:
        module = f"aicx_{agent.replace(' ', '_')}"
        sys.modules.pop(module, None)
        invalidate_caches()
        about = site / f"{module}-1.0.dist-info"
        about.mkdir(parents=True)
        (site / f"{module}.py").write_text(body)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: aicx-{agent}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[aicx.sources]\n{agent} = {module}\n")
        table._others.cache_clear()

    yield put
    table._others.cache_clear()


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = Home(tmp_path)
    for name, value in user.environ.items():
        monkeypatch.setenv(name, value)
    user.claude(ClaudeLog("cccccccc-1111-4111-8111-111111111111").prompt("Fix the parser", 0))
    (user.root / ".lantern").mkdir()
    (user.root / ".lantern/wick.jsonl").write_text(LOG)
    return user


def problems(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """Stores, and returns what could not be read."""
    capsys.readouterr()
    assert run(["store", "--json", *options]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["problems"]
    return found


def agents(capsys: pytest.CaptureFixture[str]) -> set[str]:
    capsys.readouterr()
    assert run(["sessions", "--json"]) == 0
    return {one["agent"] for one in json.loads(capsys.readouterr().out)["items"]}


def test_the_sessions_of_a_package_are_stored_redacted_and_found(
    user: Home, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("lantern", LANTERN)
    assert 2 in [problem["line"] for problem in problems(capsys) if problem["path"].endswith("wick.jsonl")]
    assert agents(capsys) == {"claude", "lantern"}
    assert run(["search", "trim the wick", "--json", "-a", "lantern"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["items"]
    assert "ghp_" not in json.dumps(found)
    assert run(["show", "lantern:wick", "--verify"]) == 0
    assert "unchanged" in "".join(capsys.readouterr())


def test_one_agent_of_a_package_can_be_stored_alone(
    user: Home, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("lantern", LANTERN)
    problems(capsys, "-a", "lantern")
    assert agents(capsys) == {"lantern"}


@pytest.mark.parametrize(
    ("agent", "body", "reason"),
    [
        ("lantern", "import there_is_no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("lantern", "raise SystemError('x')", "cannot be imported: SystemError: x"),
        ("lantern", "SOURCE = 3", "has no SOURCE with discover, identify, read"),
        ("lantern", "", "has no SOURCE with discover, identify, read"),
        ("lantern", LANTERN.replace("return (stat_log", "return 3 + (stat_log"), "failed to list its logs: TypeError"),
        ("lantern", LANTERN.replace('stat_log("lantern"', 'stat_log("claude"'), "lists what is not a log of its agent"),
        ("lantern", LANTERN.replace('value["at"]', 'value["when"]'), "failed to read it: KeyError: 'when'"),
        ("lantern", LANTERN.replace(', UTC)\n', ')\n'), "made of it what is not an item of the log"),
        ("Lan tern", LANTERN, "has a name that is not of small letters"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_broken_package_is_named_and_stops_nothing(
    agent: str, body: str, reason: str, user: Home, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(agent, body)
    assert any(reason in problem["reason"] for problem in problems(capsys))
    assert agents(capsys) == {"claude"}
    assert run(["doctor", "--json"]) in (0, 1)


def test_the_name_of_an_agent_of_ours_cannot_be_taken(
    user: Home, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("claude", "raise SystemError('x')")
    assert not any("entry point" in problem["path"] for problem in problems(capsys))
    assert agents(capsys) == {"claude"}


def test_the_error_about_an_unknown_agent_names_those_of_packages(install: Install) -> None:
    install("lantern", LANTERN)
    with pytest.raises(UsageError) as error:
        table.load_source("clippy")
    assert "lantern" in (error.value.hint or "")


@pytest.mark.process
def test_commands_that_read_no_logs_look_for_no_packages(user: Home) -> None:
    program = (
        "import sys\nimport aicx.sources\nfrom aicx.cli import run\n"
        "run(['store']); sys.modules.pop('importlib.metadata'); aicx.sources._others.cache_clear()\n"
        "run(['steer']); run(['sessions']); run(['resume'])\n"
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=user.root, check=False)
    assert done.returncode == 0, done.stderr.decode()
