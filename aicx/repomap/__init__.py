"""A map of a repository: its files' definitions and imports, and where to look first."""

from aicx.repomap.map import Answer, Basis, ChangeCount, MapStatus, RepoMap, open_map
from aicx.repomap.ranking import EntryPoint
from aicx.repomap.relations import Relation

__all__ = ["Answer", "Basis", "ChangeCount", "EntryPoint", "MapStatus", "Relation", "RepoMap", "open_map"]
