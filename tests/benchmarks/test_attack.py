"""Nothing of the folder one stands in is executed: the quick part of `python -m benchmarks.attack current_folder`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attack.counts import Counts
from benchmarks.attack.current_folder import control, run_all
from benchmarks.attack.installations import KINDS, Impossible, build_wheel, install

# The rest of the commands is left to the long run; the first of these has workers.
COMMANDS = ("store", "resume", "doctor")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_current_folder_is_executed(kind: str, wheel: Path, tmp_path: Path) -> None:
    try:
        installation = install(kind, wheel, tmp_path)
    except Impossible as error:
        pytest.skip(f"an installation of the kind {kind} cannot be made here: {error}")
    assert run_all(installation, tmp_path, COMMANDS).through == ()


def test_an_attack_holds_if_nothing_goes_through_and_its_control_if_something_does() -> None:
    assert [Counts(3).holds, Counts(3, ("one",)).holds] == [True, False]
    assert [Counts(3, control=True).holds, Counts(3, ("one",), control=True).holds] == [False, True]
