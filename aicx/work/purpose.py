"""What a folder is for, as the repository itself states it: its README, its package's docstring or description."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from aicx.storage.reading import read_note
from aicx.work.record import clean

MAX_LENGTH = 200  # characters
_GO = re.compile(r"(?:^//[^\n]*\n)+(?=package )", re.MULTILINE)


def purpose_of(root: Path, area: str) -> str | None:
    """What the first of these files says in the folder ``area`` of the checkout at ``root``; None where none does."""
    top = root.resolve()
    for name, read in _READERS.items():
        try:
            path = (top / area / name).resolve()
            said = read(read_note(path).decode("utf-8")) if path.is_relative_to(top) else None
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue  # not there, or not what its name says
        if said and (found := clean(said, MAX_LENGTH)):
            return found
    return None


def _readme(text: str) -> str | None:
    """The first paragraph that has words, which badges have not."""
    tokens = MarkdownIt("commonmark").parse(text)
    paragraphs = (inline for before, inline in pairwise(tokens) if before.type == "paragraph_open" and not before.level)
    said = ("".join(chain.from_iterable(map(_plain, inline.children or []))).strip() for inline in paragraphs)
    return next(filter(None, said), None)


def _plain(token: Token) -> Iterator[str]:
    if token.type in ("text", "code_inline"):
        yield token.content
    elif token.type in ("softbreak", "hardbreak"):
        yield " "


def _docstring(text: str) -> str | None:
    said = ast.get_docstring(ast.parse(text))
    return said.split("\n\n")[0] if said else None


def _go(text: str) -> str | None:
    found = _GO.search(text)
    return " ".join(line.lstrip("/ ") for line in found[0].splitlines()) if found else None


def _described(data: object, *names: str) -> str | None:
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, str) else None


_READERS: dict[str, Callable[[str], str | None]] = {
    "README.md": _readme,
    "__init__.py": _docstring,
    "doc.go": _go,
    "package.json": lambda text: _described(json.loads(text), "description"),
    "Cargo.toml": lambda text: _described(tomllib.loads(text), "package", "description"),
}
