"""How a session's claims are judged."""

from __future__ import annotations

import pytest

from aicx.paths import NON_REPOSITORY
from benchmarks.repository_truth import verdict


@pytest.mark.parametrize(
    ("claimed", "result"),
    [
        (None, "not stored"),
        ({NON_REPOSITORY}, "unclaimed"),
        ({"Ada/Orbit"}, "right"),
        ({"ada/orbit", NON_REPOSITORY}, "right"),
        ({"ada/orbit", "bob/lamp"}, "wrong"),
        ({"bob/lamp"}, "wrong"),
    ],
)
def test_a_session_is_right_only_when_every_claim_is(claimed: set[str] | None, result: str) -> None:
    assert verdict(claimed, ["ada/orbit"]) == result
