"""Many processes at once on one share, for seconds; `benchmarks/share_stress.py` does it for minutes."""

from __future__ import annotations

import pytest

from benchmarks.share_stress import SESSIONS, run
from tests.share.stores import s3_server

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.process, pytest.mark.filterwarnings("ignore")]


def test_pushers_and_readers_at_once_lose_nothing_and_see_no_half_session(tmp_path):
    with s3_server():
        found = run("s3://team/stress", tmp_path, 1.0, 2, 1, kills=False)
    assert found["errors"] == []
    assert (found["half"], found["missing"], found["unsound"], found["rows left over"]) == (0, 0, [], 0)
    assert (found["sessions"], found["pushes"] > 0, found["readings"] > 0) == (2 * SESSIONS, True, True)
