"""Nothing of the folder one stands in is executed: the quick part of `python -m benchmarks.attack current_folder`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.attack import Counts
from benchmarks.attack.current_folder import Clone, control, run_all
from benchmarks.attack.installations import KINDS, ROOT, Impossible, build_wheel, install
from tests.parts import require
from tests.sampling import sample

# The rest of the commands, and logs large enough for workers, are left to the long run.
COMMANDS = ("store", "resume")
_WORKERS = f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
from aicx.corpus.ingest.workers import map_in_order
if __name__ == "__main__":
    assert list(map_in_order(len, ["a", "ab"], 2)) == [1, 2]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("test")
    try:
        return build_wheel(tmp_path_factory.mktemp("wheel"))
    except Impossible as error:
        pytest.skip(str(error))


@pytest.mark.process
@pytest.mark.slow
def test_python_without_a_safe_path_runs_what_is_in_the_folder(tmp_path: Path) -> None:
    assert control(tmp_path).holds


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("kind", sample(KINDS, 1, ends=False))
def test_nothing_of_the_current_folder_is_executed(kind: str, wheel: Path, tmp_path: Path) -> None:
    try:
        installation = install(kind, wheel, tmp_path)
    except Impossible as error:
        pytest.skip(f"an installation of the kind {kind} cannot be made here: {error}")
    assert run_all(installation, tmp_path, COMMANDS, 1000).through == ()


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("flag", ["", "-E", "-I", "-s"])
def test_workers_import_nothing_of_the_current_folder(flag: str, tmp_path: Path) -> None:
    clone, script = Clone(tmp_path), tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(_WORKERS)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    words = [sys.executable, *flag.split(), str(script)]
    done = subprocess.run(words, cwd=clone.folder, env=environ, timeout=120)
    assert (done.returncode, clone.fired()) == (0, [])


def test_an_attack_holds_if_nothing_goes_through_and_its_control_if_something_does() -> None:
    assert [Counts(3).holds, Counts(3, ("one",)).holds] == [True, False]
    assert [Counts(3, control=True).holds, Counts(3, ("one",), control=True).holds] == [False, True]
