"""Commands at work in processes without what only POSIX has: no `fcntl`, no fork, no signals but three.

It stands in for Windows as far as it goes: file names, paths and programs are still those of this system.
"""

from __future__ import annotations

import json
import ntpath
import os
import re
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from aicx.storage.lock import hold_lock
from tests.corpus.builders import SESSION, ClaudeLog, Home

_HERE = Path(__file__).parent
_WITHOUT = _HERE / "fixtures" / "without_posix"
pytestmark = [pytest.mark.slow, pytest.mark.process]
# These ask first whether the system has what they name, or are imported where it has.
_MAY = {
    "aicx/system.py",
    "aicx/lifecycle/program.py",  # programs in a pseudo-terminal; `aicx.lifecycle.plain` does without
    "aicx/servers/http/processes.py",  # `aicx serve --workers` is refused before
    "aicx/agents/hook.py",
    "aicx/panics.py",
    "aicx/bench/run.py",  # measures where it runs
    "aicx/bench/measure.py",
}
_ONLY_POSIX = re.compile(
    r"^\s*(?:import|from) (?:fcntl|grp|pty|pwd|resource|termios|tty)\b"
    r"|\bos\.(?:O_CLOEXEC|O_DIRECTORY|O_NOFOLLOW|O_NONBLOCK|fork|forkpty|get(?:e?[gu]|pg)id|killpg|kill|mkfifo|nice"
    r"|openpty|p(?:read|write)|set(?:pgid|sid)|statvfs|sysconf|uname)\b"
    r"|\bsignal\.(?:SIG(?:ALRM|CHLD|HUP|KILL|QUIT|USR1|USR2|WINCH)|alarm|pthread_\w+|sigwait\w*)\b"
    r"|\b(?:add_signal_handler|preexec_fn|start_new_session)\b",
    re.MULTILINE,
)
# What imports every module but the one for POSIX, and those of parts that are not installed.
_IMPORTS = """
import importlib, pkgutil
from sitecustomize import _HIDDEN
for name in ("aicx", "indexer", "retrieval"):
    for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if found.name != "aicx.lifecycle.program" and "__main__" not in found.name:
            try:
                importlib.import_module(found.name)
            except BaseException as error:
                if isinstance(error, ModuleNotFoundError) and error.name not in _HIDDEN:
                    continue
                print(found.name, type(error).__name__, error)
"""


def without(home: Home, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """What Python prints in such a process."""
    environ = {**os.environ, **home.environ, "PYTHONPATH": os.pathsep.join([str(_WITHOUT), str(_HERE.parent)])}
    return subprocess.run(
        [sys.executable, *words], input=given, env=environ, capture_output=True, text=True, check=False
    )


def test_what_only_posix_has_is_named_in_few_modules() -> None:
    root = _HERE.parent
    files = [path for part in ("aicx", "indexer", "retrieval") for path in (root / part).rglob("*.py")]
    named = {str(path.relative_to(root)) for path in files if _ONLY_POSIX.search(path.read_text("utf-8"))}
    assert named - _MAY == set()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path)
    folder = found.repository("orbit", "git@x.org:ada/orbit.git")
    log = ClaudeLog(SESSION, folder).prompt("Why is the lexer slow?", 0)
    found.claude(log.answer("The lexer compiled its table for each token.", 5))
    return found


def test_every_module_is_imported_in_a_process_with_neither_fork_nor_fcntl(home: Home) -> None:
    hidden = "import os, msvcrt\ntry: import fcntl\nexcept ImportError as error: print(hasattr(os, 'fork'), error.name)"
    assert without(home, "-c", f"{hidden}\n{_IMPORTS}").stdout == "False fcntl\n"


def test_workers_do_what_one_process_does(home: Home) -> None:
    code = "from aicx.corpus.ingest.workers import map_in_order; print(*map_in_order(len, ['a', 'bb', ''], 2))"
    done = without(home, "-c", code)
    assert (done.stdout, done.stderr) == ("1 2 0\n", "")


def test_a_lock_that_another_process_holds_is_waited_for(home: Home) -> None:
    (home.corpus).mkdir()
    (home.corpus / "config.toml").write_text("lock_wait_seconds = 0\n")
    with hold_lock(home.settings.layout.locks / "writer.lock", 0, print):
        done = without(home, "-m", "aicx", "store")
    assert done.returncode != 0
    assert f"another aicx (process {os.getpid()}) is writing" in done.stderr


def test_what_is_stored_is_found_and_a_hook_answers(home: Home) -> None:
    folder = str(home.work / "orbit")
    made = without(home, "-m", "aicx", "init", "--repo", folder, "--agents", "claude", "--yes")
    assert made.returncode == 0, made.stderr
    stored = without(home, "-m", "aicx", "store", "--json")
    assert (stored.returncode, stored.stderr) == (0, "")
    found = without(home, "-m", "aicx", "search", "lexer table", "--json")
    assert SESSION in json.dumps(json.loads(found.stdout)["items"][0])
    said = json.dumps({"session_id": "new", "cwd": folder, "source": "startup", "hook_event_name": "SessionStart"})
    told = without(home, "-m", "aicx", "hook", "session-start", "--agent", "claude", given=said)
    assert json.loads(told.stdout)["hookSpecificOutput"]["additionalContext"].startswith("claude@orbit")


def test_a_program_is_run_and_its_exit_code_handed_on(home: Home) -> None:
    done = without(home, "-m", "aicx", "run", "--", sys.executable, "-c", "print('built'); exit(3)")
    assert (done.returncode, done.stdout) == (3, "built\n")


def test_names_of_what_is_stored_are_names_on_windows(home: Home) -> None:
    home.store()
    names = {part for path in home.corpus.rglob("*") for part in path.relative_to(home.corpus).parts}
    assert [name for name in names if re.search(r'[<>:"|?*\\\x00-\x1f]|[. ]$', name)] == []
    assert list(filter(_is_reserved, names)) == []


def _is_reserved(name: str) -> bool:
    if sys.version_info >= (3, 13):
        return ntpath.isreserved(name)
    return PureWindowsPath(name).is_reserved()
