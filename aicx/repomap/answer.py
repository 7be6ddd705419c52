"""`aicx.map/1`: where to look first in a repository. Its status, and what a refresh did, are answers as they are."""

from __future__ import annotations

from typing import Annotated

from aicx.repomap import Basis, EntryPoint
from aicx.values import dataclass

SCHEMA = "aicx.map/1"


@dataclass(frozen=True, slots=True)
class MapAnswer:
    """What `query` found."""

    query: str
    basis: Annotated[Basis, "what was searched: the map, or without one names and headings"]
    items: Annotated[list[EntryPoint], "best first"]
    notes: list[str]
