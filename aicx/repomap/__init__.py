"""A map of a repository: its files' definitions and imports, and where to look first."""

from aicx.repomap.map import Basis, ChangeCount, MapAnswer, MapStatus, Relation, RepoMap, open_map
from aicx.repomap.ranking import EntryPoint

__all__ = ["Basis", "ChangeCount", "EntryPoint", "MapAnswer", "MapStatus", "Relation", "RepoMap", "open_map"]
