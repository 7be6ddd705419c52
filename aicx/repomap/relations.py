"""Finds the files that import the given ones, and the files they import."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from aicx.repomap.imports import is_meant, nearest, tail
from aicx.repomap.roles import Role, role_of
from aicx.repomap.store import MapStore, StoredFile
from aicx.repomap.terms import MODULE, TARGET, modules
from aicx.values import dataclass

How = Literal["imports", "imported by"]

# Files that share the last word of an import. `utils` may lie in many places; beyond these, nobody is helped.
_MAX_CANDIDATES = 600
# A folder, as Go imports them, stands for all its files.
_MAX_OF_A_TARGET = 12


@dataclass(frozen=True, slots=True)
class Relation:
    """``path`` imports the files in ``of``, or is imported by them."""

    path: str
    how: How
    of: tuple[str, ...]


def relations(store: MapStore, paths: Sequence[str]) -> list[Relation]:
    """The files tied to the given ones by imports; those with most ties first, code before tests."""
    found: dict[tuple[str, How], dict[str, None]] = defaultdict(dict)
    given = store.files(list(store.ids(paths).values()))
    links = _Links(store)
    for file in given.values():
        for target in file.targets:
            for path in links.meant_by(target, file.path):
                found[path, "imported by"][file.path] = None
        for importer in links.importers(file):
            found[importer, "imports"][file.path] = None
    named = {file.path for file in given.values()}
    related = [Relation(path, how, tuple(of)) for (path, how), of in found.items() if path not in named]
    return sorted(related, key=lambda item: (-len(item.of), role_of(item.path, None) is not Role.code, item.path))


class _Links:
    """Follows imports in both directions."""

    def __init__(self, store: MapStore) -> None:
        self._store = store
        self._meant: dict[tuple[str, str], list[str]] = {}

    def meant_by(self, target: str, importer: str) -> list[str]:
        """The files that ``target`` names in the file ``importer``."""
        key = (target, importer.rpartition("/")[0])
        if key not in self._meant:
            paths = [file.path for file in self._candidates(MODULE + tail(target)) if _fits(target, importer, file)]
            self._meant[key] = nearest(importer, paths)[:_MAX_OF_A_TARGET]
        return [path for path in self._meant[key] if path != importer]

    def importers(self, file: StoredFile) -> list[str]:
        """The files that import ``file``."""
        found: dict[str, None] = {}
        own = modules(file.path, file.language, file.symbols)
        for last in dict.fromkeys(map(tail, own)):
            for other in self._candidates(TARGET + last):
                for target in other.targets:
                    # The cheap look first: most candidates share no more than a word.
                    is_close = tail(target) == last and _fits(target, other.path, file)
                    if is_close and file.path in self.meant_by(target, other.path):
                        found[other.path] = None
        return list(found)

    def _candidates(self, term: str) -> list[StoredFile]:
        ids = list(self._store.postings(term))[:_MAX_CANDIDATES]
        return list(self._store.files(ids).values())


def _fits(target: str, importer: str, file: StoredFile) -> bool:
    own = modules(file.path, file.language, file.symbols)
    return any(is_meant(target, importer, module, file.path, file.language) for module in own)
