"""What a session says twice and differently is named, until it is corrected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from aicx.continuity.signals import contradictions
from aicx.evidence import Step
from tests.continuity.builders import FIRST, NotePlace

START = datetime(2026, 1, 31, tzinfo=UTC)


def said(*texts: str) -> dict[str, tuple[str, ...]]:
    steps = [
        Step("", START + timedelta(minutes=number), "user" if number % 2 else "assistant", "typed", text)
        for number, text in enumerate(texts)
    ]
    return {topic: tuple(values) for topic, values in contradictions(steps).items()}


@pytest.mark.parametrize(
    ("topic", "one", "other"),
    [
        ("package_manager", "This project uses pnpm.", "Run npm install first; we use npm."),
        ("search_tool", "Use rg to search the sources.", "Search with grep."),
        ("canonical_store", "The canonical store is store/markdown.", "The source of truth is catalog.sqlite."),
        ("retrieval_flow", "The retrieval flow is search, then steer.", "Retrieval order: steer, then search."),
        ("route_order", "The route order is static before dynamic.", "Route order should be dynamic before static."),
    ],
)
def test_two_different_statements_are_named(topic: str, one: str, other: str) -> None:
    assert len(said(one, other)[topic]) == 2
    assert said(one, one) == {}
    assert said(one, other, f"Correction: {other}") == {}


@pytest.mark.parametrize(
    "correction",
    [
        "Use npm instead of pnpm.",
        "No, we no longer use pnpm, use npm.",
        "Don't use pnpm.",
        "改用 npm",
        "Switch to npm.",
    ],
)
def test_a_later_correction_clears_what_was_said_before(correction: str) -> None:
    assert said("We use pnpm here.", "We use npm here.", correction) == {}


def test_managers_of_different_languages_do_not_contradict() -> None:
    assert said("Use uv for Python.", "Use pnpm for the page.") == {}


def test_the_warning_of_a_save_names_both_and_the_log_keeps_no_text(place: NotePlace) -> None:
    place.session(FIRST, "We use pnpm here", said="I use npm. The canonical store is alpha.", calls=())
    found = place("save")["latestContinuityDiagnostics"]
    assert found["warnings"] == ["the session contradicts itself about the package manager: pnpm, then npm"]
    assert found["confidence"] == "low"
    assert place("status")["latestContinuityDiagnostics"]["warnings"] == found["warnings"]
