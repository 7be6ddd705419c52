"""Keeps the decisions of people about folders and repositories: a small file of the home that no rebuild touches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import orjson

from aicx.errors import CorpusDamaged, UsageError
from aicx.folders import is_absolute
from aicx.paths import safe_project
from aicx.storage.atomic import replace_file
from aicx.values import dataclass

SCHEMA = "aicx.projects-file/1"
_PROJECT = re.compile(r"[^/\s]+/[^/\s]+")


@dataclass(frozen=True, slots=True)
class FolderDecisions:
    """Folder -> repository, folders that belong to none, and old name -> new name of repositories."""

    assigned: Mapping[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def assign(self, folder: str, project: str) -> FolderDecisions:
        return replace(self, assigned={**self.assigned, folder: project}, ignored=self.ignored - {folder})

    def ignore(self, folder: str) -> FolderDecisions:
        kept = {place: project for place, project in self.assigned.items() if place != folder}
        return replace(self, assigned=kept, ignored=self.ignored | {folder})

    def reset(self, folder: str) -> FolderDecisions:
        """Nothing is decided about ``folder`` any more."""
        kept = {place: project for place, project in self.assigned.items() if place != folder}
        return replace(self, assigned=kept, ignored=self.ignored - {folder})

    def rename(self, old: str, new: str) -> FolderDecisions:
        """``old`` is ``new`` from now on; a rename that led the other way is undone."""
        if old == new:
            raise UsageError(f"{old} already has that name", hint="name another repository")
        kept = {before: after for before, after in self.renamed.items() if before != new}
        return replace(self, renamed={**kept, old: new})


def load_decisions(path: Path) -> FolderDecisions:
    """The decisions in the file; none where there is no file. Raises CorpusDamaged where it cannot be understood."""
    try:
        body = path.read_bytes()
    except FileNotFoundError:
        return FolderDecisions()
    hint = f"mend it or move it away: {path}"
    try:
        fields: Any = orjson.loads(body)
        assigned = {_folder(folder): parse_project(project) for folder, project in fields["assigned"].items()}
        renamed = {parse_project(old): parse_project(new) for old, new in fields["renamed"].items()}
        return FolderDecisions(assigned, frozenset(map(_folder, fields["ignored"])), renamed)
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError, UsageError) as error:
        raise CorpusDamaged(f"{path} cannot be understood: {error}", hint=hint) from error


def save_decisions(path: Path, decisions: FolderDecisions) -> None:
    """Writes the file whole or not at all."""
    fields = {
        "schema": SCHEMA,
        "assigned": dict(sorted(decisions.assigned.items())),
        "ignored": sorted(decisions.ignored),
        "renamed": dict(sorted(decisions.renamed.items())),
    }
    replace_file(path, orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def parse_project(text: str) -> str:
    """``owner/repo`` as a repository may be called. Raises UsageError for what cannot name one."""
    organisation, _, repository = text.strip().partition("/")
    project = safe_project(organisation, repository) if _PROJECT.fullmatch(text.strip()) else None
    if project is None:
        raise UsageError(f"{text!r} is not OWNER/REPO", hint="for example: aicx projects assign . octo/website")
    return project


def _folder(text: str) -> str:
    if not is_absolute(text):
        raise UsageError(f"{text!r} is not an absolute folder")
    return text
