"""`aicx.dashboard/1`: where the dashboard is."""

from __future__ import annotations

from typing import Annotated

from aicx.values import dataclass

SCHEMA = "aicx.dashboard/1"


@dataclass(frozen=True, slots=True)
class DashboardServed:
    """While it serves. The answers of the endpoints are in [dashboard](dashboard.md#endpoints)."""

    url: Annotated[str, "the page; contains the token"]
    address: Annotated[str, "without the token"]


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """With `-o`."""

    path: Annotated[str, "the file written"]
    bytes: Annotated[int, "its size"]
    sessions: Annotated[int, "sessions in it"]
    chunks: Annotated[int, "chunks in it"]
    chunks_left_out: Annotated[int, "chunks for which it had no room"]
