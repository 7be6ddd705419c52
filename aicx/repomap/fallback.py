"""Answers without a stored map: by the names of the files, the headings of Markdown and the targets of Makefiles.

Everything is looked at anew for each question, so only what can match at all is looked at closely.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from aicx.git.identity import Repository
from aicx.repomap.examine import examine, without_text
from aicx.repomap.files import list_files
from aicx.repomap.kinds import PLAIN, excluded_by_name, language_of
from aicx.repomap.store import StoredFile
from aicx.repomap.symbols import FileRecord, symbols_from
from aicx.repomap.terms import terms_in

# Documents that are read for a question, those nearest to the root first; of the others, the names have to do.
_MAX_READ = 300
# Words with the same stem begin alike for at least so long: `queries` and `query`, `happily` and `happy`.
_ALIKE = 4


class PathIndex:
    """An index of paths for a question to a repository without a map; it exists only as long as it is asked."""

    def __init__(self, repository: Repository, text: str) -> None:
        self._files: list[StoredFile] = []
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        self._size = 0
        may_match = _beginnings(text)
        documents = []
        for path, stamp in list_files(repository).stamps.items():
            if excluded_by_name(path) is not None:
                continue
            self._size += 1
            if language_of(path) in PLAIN:
                documents.append((path, stamp))
            elif may_match.search(path) or not path.isascii():
                self._add(path, without_text(path, stamp))
        documents.sort(key=lambda document: (document[0].count("/"), document[0]))
        for path, stamp in documents[:_MAX_READ]:
            self._add(path, _examined(repository, path) or without_text(path, stamp))
        for path, stamp in documents[_MAX_READ:]:
            self._add(path, without_text(path, stamp))

    def _add(self, path: str, found: FileRecord) -> None:
        for term, value in found.postings:
            self._postings[term][len(self._files)] = value
        self._files.append(StoredFile(path, found.language, symbols_from(found.symbols), json.loads(found.targets)))

    def size(self) -> int:
        return self._size

    def frequency(self, term: str) -> int:
        return len(self._postings.get(term, ()))

    def postings(self, term: str) -> Mapping[int, int]:
        return self._postings.get(term, {})

    def files(self, ids: Sequence[int]) -> dict[int, StoredFile]:
        return {number: self._files[number] for number in ids}


def _beginnings(text: str) -> re.Pattern[str]:
    """Finds paths that may have a word of the text; a few have none."""
    beginnings = {re.escape(term[:_ALIKE]) for term in terms_in(text) if term[0].isalnum()}
    return re.compile("|".join(sorted(beginnings)) or r"(?!)", re.IGNORECASE)


def _examined(repository: Repository, path: str) -> FileRecord | None:
    """The outline of a document; None where it cannot be read, and its name has to do."""
    try:
        found = examine(str(repository.root), path, language_of(path), None)
    except OSError:
        return None
    return None if found.skipped else found
