"""A map of a repository: its files' definitions and imports, and where to look first."""

from aicx.repomap.map import Basis, ChangeCount, EntryPoints, MapStatus, RepoMap, open_map
from aicx.repomap.ranking import EntryPoint
from aicx.repomap.relations import Relation

__all__ = ["Basis", "ChangeCount", "EntryPoint", "EntryPoints", "MapStatus", "Relation", "RepoMap", "open_map"]
