"""The generator of invented histories, and the exponent that says how cost grows with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run
from benchmarks.scale import Writer, exponent

pytestmark = pytest.mark.slow


def logs(home: Path, seed: int) -> dict[str, bytes]:
    writer = Writer(seed)
    for number in range(2):
        writer.session(home, number)
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*.jsonl")}


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    assert logs(tmp_path / "one", 1) == logs(tmp_path / "two", 1)


def test_another_seed_writes_others(tmp_path: Path) -> None:
    assert set(logs(tmp_path / "one", 1).values()).isdisjoint(logs(tmp_path / "two", 2).values())


def test_what_is_written_can_be_stored_and_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(1)
    writer.session(tmp_path, 0)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["store"]) == 0
    capsys.readouterr()
    assert run(["search", writer.question()]) == 0
    assert "claude" in capsys.readouterr().out


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_exponent_is_the_power_of_a_power_law(power: float) -> None:
    sizes = [1_000, 10_000, 100_000]
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)
