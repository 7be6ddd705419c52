"""Keeps every test away from the home of whoever runs it: another HOME for each, and an alarm on the real one."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import tests.embedder  # noqa: F401  adds itself to the table of embedders
from aicx.console import Style
from aicx.text import Zone
from tests import laws, parts, sampling
from tests.browsers import SharedBrowser, started
from tests.kept import Kept
from tests.spread import is_of_part

_REAL_HOME = Path.home()
# What aicx reads and writes on a real machine, wherever the environment of the person running the tests puts it.
GUARDED = tuple(
    str(Path(folder).expanduser())
    for folder in (
        _REAL_HOME / ".aicx",
        _REAL_HOME / ".claude",
        _REAL_HOME / ".codex",
        _REAL_HOME / ".gemini",
        *filter(None, map(os.environ.get, ("AICX_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"))),
    )
)
_FILE_EVENTS = frozenset(
    {
        "open",
        "os.listdir",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.scandir",
        "os.truncate",
        "sqlite3.connect",
    }
)

# Times are printed in local time; with one zone for all, tests can say what they expect.
os.environ["TZ"] = "UTC"
time.tzset()

# A test that stores mostly waits for the disk, and none of them pulls the plug: where there is a file system in memory
# with enough room, from which programs may be run, their folders are on it.
_MEMORY = Path("/dev/shm")
_ROOM = 4 * 1024**3
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
    found = os.statvfs(_MEMORY)
    if found.f_bavail * found.f_frsize >= _ROOM and not found.f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

if parts.is_missing("test"):
    laws.stand_in()
else:
    import hypothesis.core
    from hypothesis import HealthCheck, settings

    # How long an example takes says more of the machine than of the code. The examples follow the seed of the run, as
    # every sample does, also where a variable says that CI runs and Hypothesis would take the same ones always.
    settings.register_profile(
        "aicx",
        deadline=None,
        derandomize=False,
        max_examples=200 if sampling.ALL else 25,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("aicx")
    with suppress(ImportError):  # it has no other way to say so
        # Examples are drawn from what a test says. Hypothesis would add the constants of every module of ours that is
        # imported by then: it parses them all, asks of each whether it fits, and draws other ones in another order.
        providers = import_module("hypothesis.internal.conjecture.providers")
        providers._get_local_constants = lambda: providers._local_constants
    # For `make test-fast`: every law still, with fewer examples of each.
    settings.register_profile("fast", settings.get_profile("aicx"), max_examples=12)

# Fixtures that are expensive: a test that uses one gets the marker, by which `make test-fast` leaves it out.
_MARKS = {"browser": "browser", "runner": "process", "address": "process"}

_OUTCOMES = ("failed", "error", "passed", "skipped")
_numbers = count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--known-skips", type=Path, help="fail where a test is skipped for a reason that this file lacks")
    parser.addoption("--part", default="1/1", help="run the modules of one part of the tests, such as 2/3")
    parser.addoption("--counts", type=Path, help="write how many tests had which outcome to this file")
    parser.addoption("--cases", type=int, help="run so many cases of each test, other ones with each seed")


@pytest.hookimpl(trylast=True)  # the seed is known then
def pytest_configure(config: pytest.Config) -> None:
    """Samples and examples follow the seed of the order, with which a failure comes again.

    No test draws from the generators that all share, so none of them is seeded three times a test.
    A job in the background ignores Ctrl-C, and processes inherit that: tests that send it want it heard.
    """
    config.option.randomly_reset_seed = False
    if (seed := config.getoption("randomly_seed", None)) is not None:
        sampling.seed_with(seed)
        if not parts.is_missing("test") and config.getoption("--hypothesis-seed") is None:
            hypothesis.core.global_force_seed = seed
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _NeedsMissingParts(pytest.Module):
    """A module that is not imported, since what it imports is not installed."""

    def collect(self) -> Iterator[pytest.Item]:
        parts.require(*parts.needed_by(self.path))
        raise AssertionError("all that it needs is installed")


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> pytest.Module | None:
    if any(map(parts.is_missing, parts.PARTS)) and parts.reason(parts.needed_by(module_path)):
        return _NeedsMissingParts.from_parent(parent, path=module_path)
    return None


def _is_of_another_part(module: Path, config: pytest.Config) -> bool:
    return not is_of_part(str(module.relative_to(config.rootpath)), config.option.part)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What another part runs is not even imported."""
    return True if collection_path.suffix == ".py" and _is_of_another_part(collection_path, config) else None


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if not _is_of_another_part(item.path, config)]
    if cases := config.option.cases:
        of_test: dict[str, list[pytest.Item]] = {}
        for item in items:
            of_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
        kept = {item for name, every in of_test.items() for item in sampling.sample(every, cases, name)}
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]
    for item in items:
        for name in _MARKS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(_MARKS[name])
        if why := parts.reason(part for marker in item.iter_markers("needs") for part in marker.args):
            item.add_marker(pytest.mark.skip(reason=why))


gc.disable()  # while tests are collected, which makes objects that stay to the end


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    yield from _needing_git()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    yield from _needing_git()


def _needing_git() -> Iterator[None]:
    """What starts git itself needs git, and is skipped where it is not installed."""
    try:
        return (yield)
    except FileNotFoundError as error:
        if error.filename == "git":
            parts.require("git")
        raise


def pytest_collection_finish() -> None:
    """Later collections of garbage leave out what collecting the tests has made, most of all objects."""
    gc.freeze()
    gc.set_threshold(5_000, 20, 20)  # of what tests that store take, a sixth is looking for garbage that is not there
    gc.enable()


def _skipped(terminalreporter: Any) -> Counter[str]:
    """Counts the skipped tests and modules by reason."""
    reports = terminalreporter.stats.get("skipped", ())
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that skipped something for a reason that is not known, as CI asks with ``--known-skips``."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and (file := session.config.option.known_skips):
        known = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
        if unknown := {why for why in _skipped(reporter) if not any(fnmatchcase(why, line) for line in known)}:
            reporter.write_line(f"\nskipped for reasons that {file} does not have: {'; '.join(sorted(unknown))}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints the seed of the order, also with -q, and how many tests were skipped for each reason."""
    if (seed := config.getoption("randomly_seed", None)) is not None:
        terminalreporter.write_line(f"the order of the tests can be had again with --randomly-seed={seed}")
    skips = _skipped(terminalreporter)
    for why, number in skips.most_common():
        terminalreporter.write_line(f"skipped {number}: {why}")
    if file := config.option.counts:
        found = ((name, len(terminalreporter.stats.get(name, ()))) for name in _OUTCOMES)
        outcomes = {name: number for name, number in found if number}
        file.write_text(json.dumps({"skips": skips, "outcomes": outcomes}), "utf-8")


class RealHomeError(AssertionError):
    """A test read or wrote what belongs to the person running it."""


def _alarm(event: str, arguments: tuple[Any, ...]) -> None:
    if event in (_FILE_EVENTS or ()):  # None at the end of the interpreter
        for argument in arguments[:2]:
            path = os.fsdecode(argument) if isinstance(argument, bytes | os.PathLike) else argument
            if type(path) is str and path.startswith(GUARDED):
                raise RealHomeError(f"{event} {path}")


sys.addaudithook(_alarm)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(_homes: Path) -> Iterator[Path]:
    """An empty home folder for one test, set in its environment and so in that of the processes it starts.

    What a command sets for its whole process, which tests share, is afterwards as it was, the environment included.
    This runs around every test, most of which take a millisecond: reading `os.environ` decodes all that is in it.
    """
    encoded: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]
    before = encoded.copy()
    utc, color = Zone.utc, Style.color
    folder = _homes / str(next(_numbers))
    folder.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "NO_COLOR", "AICX_DEBUG"):
        os.environ.pop(name, None)
    os.environ.update(HOME=str(folder), AICX_HOME=str(folder / ".aicx"), COLUMNS="80")
    Zone.utc, Style.color = False, True
    yield folder
    Zone.utc, Style.color = utc, color
    for name in {name for name, _ in encoded.items() ^ before.items()}:
        if name in before:
            os.environb[name] = before[name]
        else:
            del os.environb[name]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept") / "folder")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBrowser]:
    """The one browser of a run, or of a worker of it."""
    with started(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def chromium(browser: SharedBrowser) -> Iterator[Any]:
    """That browser, while a test uses it."""
    with browser.in_use() as found:
        yield found
