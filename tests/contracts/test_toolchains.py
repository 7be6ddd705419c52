"""What every family of tools keeps to. A new one is tested by its row in the table and a module of outputs."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.toolchains.family import Output
from aicx.toolchains.parsing import FAMILIES, GENERIC, Parsed, families, parse
from tests.toolchains.outputs import Place, Sample

SAMPLES = [
    pytest.param(replace(sample, family=sample.family or name), id=f"{name}: {sample.name}")
    for name in (*FAMILIES, GENERIC)
    for sample in import_module(f"tests.toolchains.outputs.{name}").SAMPLES
]
every_sample = pytest.mark.parametrize("sample", SAMPLES)


def _parse(sample: Sample, text: str | None = None) -> Parsed:
    return parse(sample.text if text is None else text, sample.command, sample.exit_code)


def _places(parsed: Parsed) -> list[tuple[object, ...]]:
    return sorted((str(event.file), event.line or 0, event.severity) for event in parsed.events)


def _wanted(place: Place) -> tuple[object, ...]:
    return (str(place.file), place.line or 0, place.severity)


@every_sample
def test_family_result_and_places_are_found(sample: Sample) -> None:
    parsed = _parse(sample)
    failed = bool(sample.exit_code) if sample.failed is None else sample.failed
    assert (parsed.family, parsed.failed) == (sample.family, failed)
    assert _places(parsed) == sorted(map(_wanted, sample.places))
    for place in sample.places:
        here = [event for event in parsed.events if (event.file, event.line) == (place.file, place.line)]
        assert any(event.code == place.code and place.message in event.message for event in here), (place, here)


@every_sample
def test_colours_and_line_ends_of_other_systems_change_nothing(sample: Sample) -> None:
    coloured = "\r\n".join(f"\x1b[31m{line}\x1b[0m" if line else line for line in sample.text.split("\n"))
    assert _parse(sample, coloured) == _parse(sample)


@every_sample
def test_an_output_that_is_cut_is_read_as_well(sample: Sample) -> None:
    lines = sample.text.split("\n")
    for cut in range(len(lines)):
        for part in (lines[cut:], lines[:cut]):
            parsed = _parse(sample, "\n".join(part))
            assert all(event.message and event.fingerprint for event in parsed.events)


@pytest.mark.parametrize("sample", [param for param in SAMPLES if param.values[0].moved])
def test_the_same_mistakes_keep_their_fingerprints(sample: Sample) -> None:
    moved = _parse(sample, replace(sample, output=sample.moved).text)
    before = {event.fingerprint: event.message for event in _parse(sample).events}
    assert {event.fingerprint: event.message for event in moved.events}.keys() == before.keys()
    assert len(before) == len(sample.places)


@every_sample
def test_a_command_that_passed_has_no_errors(sample: Sample) -> None:
    parsed = parse(sample.text, sample.command.partition("|")[0], 0)
    assert not parsed.failed
    assert all(event.severity != "error" for event in parsed.events)


@every_sample
def test_an_output_that_its_family_recognises_needs_no_command(sample: Sample) -> None:
    own = next((family for family in families() if family.name == sample.family), None)
    text = Output(sample.text, tuple(sample.text.split("\n")))
    if own and own.name != "npm" and own.looks_like(text):  # what runs below npm names an output better than npm
        assert parse(sample.text).family == sample.family


_LINES = sorted({line for param in SAMPLES for line in param.values[0].text.split("\n")})


@given(
    st.lists(st.one_of(st.sampled_from(_LINES), st.text(max_size=60)), max_size=40),
    st.sampled_from(["", *(param.values[0].command for param in SAMPLES)]),
    st.sampled_from([None, 0, 1, 127]),
)
def test_any_output_is_read(lines: list[str], command: str, exit_code: int | None) -> None:
    text = "\n".join(lines)
    parsed = parse(text, command, exit_code)
    assert parsed == parse(text, command, exit_code)
    assert parsed.failed or all(event.severity != "error" for event in parsed.events)
