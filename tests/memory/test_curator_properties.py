"""Whatever was done before: the curator gives no record trust, and proposes nothing a second time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.errors import AicxError
from aicx.memory import curator
from aicx.memory.deciding import Desk
from aicx.memory.reading import Memory
from tests.memory.test_properties import NOW, accepting, desk_at, operation, perform, sequences

pytestmark = pytest.mark.slow


def planned(desk: Desk) -> list[curator.PlannedUpkeep]:
    with Memory.open(desk.settings, desk.now, scope=desk.scope) as memory:
        return curator.plan(memory)[0]


def believed(desk: Desk) -> tuple[set[str], set[str]]:
    """What is agreed, and what is accepted."""
    with Memory.open(desk.settings, desk.now, scope=desk.scope) as memory:
        found = memory.assessed()
    return {one.record.ref for one in found if one.baseline}, {
        one.record.ref for one in found if one.status == "accepted"
    }


@settings(max_examples=20, deadline=None)
@given(sequences(operation, accepting), st.sampled_from((0, 40, 100, 400)))
def test_no_application_gives_trust_and_a_second_plan_is_empty(steps: list[tuple[Any, ...]], days: int) -> None:
    with TemporaryDirectory() as folder, desk_at(Path(folder)) as desk:
        for step in steps:
            with suppress(AicxError):
                perform(desk, step)
        late = replace(desk, now=NOW + timedelta(days=days))
        agreed, accepted = believed(late)
        proposals = planned(late)
        outcomes = curator.apply(late, proposals)
        assert [one.why for one in outcomes if one.why == "stale_proposal"] == []
        agreed_after, accepted_after = believed(late)
        assert accepted_after <= accepted
        assert agreed_after <= agreed
        assert planned(late) == []
