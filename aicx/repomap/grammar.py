"""The provider: tree-sitter, and the queries kept beside it as data, turn source into an outline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aicx
from aicx.errors import MissingExtra
from aicx.repomap.kinds import GRAMMARS, QUERY_FILES
from aicx.repomap.symbols import SYNTAX_ERRORS, CodeSymbol, Outline, RawImport
from aicx.values import dataclass

# A file with more is a table in disguise; what comes after says nothing new and would weigh on every question.
MAX_SYMBOLS = 3000
_MAX_NAME_LENGTH = 200

# Several patterns may match one definition; these say less than the others.
_VAGUE = frozenset({"variable", "type", "declaration"})
_HOLDS_METHODS = frozenset({"class", "struct", "interface", "trait", "enum", "impl"})
_HAS_BODY = frozenset({"function", "method"})
_ENCLOSES = _HOLDS_METHODS | _HAS_BODY | {"module"}
_SEPARATOR = "::"
# Enough for the sentence that says what something is for.
_MAX_LEAD_LENGTH, _MAX_NOTE_LENGTH = 500, 160
_MAX_TEXT_LENGTH = 6000
_LEAD_LINES, _NOTE_LINES = 60, 14

_HASH_LANGUAGES = frozenset({"python", "ruby"})
_HASH = re.compile(rb"[ \t]*#+!?[ \t]?(?P<text>.*)")
_SLASHES = re.compile(rb"[ \t]*(?://[/!]*|/\*+!?|\*+/?)[ \t]?(?P<text>.*?)(?:\*+/)?[ \t\r]*$")
# Between a comment and what it describes: decorators, attributes and annotations.
_BETWEEN = re.compile(rb"[ \t]*(?:@\w|#\[|\[\w|template\s*<|export\b)")
_BEFORE_LEAD = re.compile(rb"[ \t\r]*(?:$|#!|<\?php|package\s|#\s*(?:-\*-|frozen_string_literal|encoding|coding))")
_OPENS_BLOCK = re.compile(rb"[ \t]*(?:/\*|//!)")
_MARKUP = re.compile(r"<[^>]{1,60}>|\{@\w+|@\w+|\brst\b")
# Every file of a project says these, and they describe none of them.
_LEGAL = re.compile(r"copyright|licen[cs]e|all rights reserved|spdx", re.IGNORECASE)


def provider_problem() -> str | None:
    """Why nothing can be parsed, in words; None when all is there. Imports nothing heavy."""
    if find_spec("tree_sitter") is None:
        return "tree-sitter is not installed"
    pack = find_spec("tree_sitter_language_pack")
    if pack is None:
        return "tree-sitter-language-pack is not installed"
    # From version 1 on the package holds no grammars and fetches them when used, which aicx never does.
    if not any((Path(folder) / "bindings").is_dir() for folder in pack.submodule_search_locations or ()):
        return "this tree-sitter-language-pack has no grammars of its own (versions below 1 have)"
    return None


def require_provider() -> None:
    """Raises MissingExtra when nothing can be parsed."""
    if provider_problem() is not None:
        raise MissingExtra("aicx map refresh", "code")


@cache
def made_with() -> str:
    """Differs when the same text may be stored otherwise: with other grammars, queries, weights or rules for words."""
    from importlib.metadata import version

    made = sha256()
    for package in ("tree-sitter", "tree-sitter-language-pack", "tree-sitter-c-sharp"):
        made.update(version(package).encode())
    for folder, ending in ((resources.files("aicx.repomap"), ".py"), (_queries(), ".scm")):
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(ending):
                made.update(file.read_bytes())
    made.update(resources.files("retrieval").joinpath("analysis.py").read_bytes())
    return f"{aicx.__version__} {made.hexdigest()[:16]}"


def outline(source: bytes, language: str) -> Outline:
    """The definitions and imports of a file. Where its syntax is broken, what stands around it is still found."""
    from tree_sitter import Parser, QueryCursor

    grammar, query = _grammar(language)
    root = Parser(grammar).parse(source).root_node
    found: dict[int, _Definition] = {}
    imports: dict[tuple[str, str], list[str]] = {}
    docstrings: list[str] = []
    for _, captures in QueryCursor(query).matches(root):
        if "name" in captures:
            _add_definition(found, captures)
        elif "doc" in captures:
            docstrings += [(node.text or b"").decode("utf-8", "replace") for node in captures["doc"][:1]]
        else:
            _add_import(imports, captures)
    definitions = sorted(found.values(), key=lambda item: (item.start, -item.end))
    symbols = _nested(definitions)
    flaw = SYNTAX_ERRORS if root.has_error else None
    if len(symbols) > MAX_SYMBOLS:
        flaw = f"more than {MAX_SYMBOLS} symbols; the rest is left out"
    notes = written_about(source.split(b"\n"), language, (item.first_line for item in definitions), docstrings)
    raw = tuple(RawImport(text, form, tuple(names)) for (text, form), names in imports.items())
    return Outline(tuple(symbols[:MAX_SYMBOLS]), raw, notes, flaw)


@dataclass(frozen=True, slots=True)
class _Definition:
    start: int
    end: int
    kind: str
    name: str
    first_line: int  # from 0, as comments stand above it
    line: int
    end_line: int
    container: str


@cache
def _grammar(language: str) -> tuple[Any, Any]:
    """The grammar of a language, and the query that finds its definitions and imports."""
    from tree_sitter import Language, Query

    loaded = Language(_binding(language))
    return loaded, Query(loaded, _queries().joinpath(f"{QUERY_FILES[language]}.scm").read_text("utf-8"))


def _binding(language: str) -> Any:
    module = import_module(GRAMMARS[language])
    return module.language_php() if hasattr(module, "language_php") else module.language()


def _queries() -> Traversable:
    return resources.files("aicx").joinpath("data", "repomap")


def _text(node: Any) -> str:
    return " ".join((node.text or b"").decode("utf-8", "replace").split())[:_MAX_NAME_LENGTH]


def _add_definition(found: dict[int, _Definition], captures: dict[str, list[Any]]) -> None:
    [name] = captures["name"][:1]
    kind = next(key for key in captures if key not in ("name", "container") and not key.startswith("_"))
    known = found.get(name.start_byte)
    if known is not None and (kind in _VAGUE or known.kind not in _VAGUE):
        return
    whole = captures[kind][0]
    text = _text(name)
    container = _text(captures["container"][0]) if "container" in captures else ""
    if _SEPARATOR in text and kind != "module":
        container, _, text = text.rpartition(_SEPARATOR)
        container = container.replace(_SEPARATOR, ".")
    if text:
        found[name.start_byte] = _Definition(
            whole.start_byte,
            whole.end_byte,
            kind,
            text,
            whole.start_point[0],
            name.start_point[0] + 1,
            whole.end_point[0] + 1,
            container,
        )


def _add_import(imports: dict[tuple[str, str], list[str]], captures: dict[str, list[Any]]) -> None:
    for key, nodes in captures.items():
        if not key.startswith("import") or key == "import.name":
            continue
        for node in nodes:
            names = imports.setdefault((_text(node), key.partition(".")[2]), [])
            names += [_text(name) for name in captures.get("import.name", ()) if _text(name) not in names]


def _nested(definitions: list[_Definition]) -> list[CodeSymbol]:
    """Symbols in the order of the file, each with what encloses it."""
    symbols: list[CodeSymbol] = []
    around: list[_Definition] = []
    for item in definitions:
        while around and around[-1].end <= item.start:
            around.pop()
        if item.kind != "impl":
            inside = [outer.name.replace(_SEPARATOR, ".") for outer in around]
            inside += [item.container] if item.container else []
            is_method = item.kind == "function" and around and around[-1].kind in _HOLDS_METHODS
            symbols.append(
                CodeSymbol(
                    item.name,
                    "method" if is_method or (item.kind == "function" and item.container) else item.kind,
                    item.line,
                    item.end_line,
                    ".".join(inside),
                    any(outer.kind in _HAS_BODY for outer in around),
                )
            )
        if item.kind in _ENCLOSES:
            around.append(item)
    return symbols


def written_about(lines: Sequence[bytes], language: str, starts: Iterable[int], docstrings: Sequence[str]) -> str:
    """The texts about a file, one a line. ``starts`` are the lines its definitions begin at, from 0."""
    comment = _HASH if language in _HASH_LANGUAGES else _SLASHES
    texts = [_lead(lines, comment), *(_first_line(text) for text in docstrings)]
    texts += (_above(lines, start, comment) for start in dict.fromkeys(starts))
    return "\n".join(filter(None, texts))[:_MAX_TEXT_LENGTH]


def _lead(lines: Sequence[bytes], comment: re.Pattern[bytes]) -> str:
    """The first comment of the file that is not about rights."""
    for block in _blocks(lines[:_LEAD_LINES], comment):
        text = _plain(block)
        if text and not _LEGAL.search(text):
            return text[:_MAX_LEAD_LENGTH]
    return ""


def _blocks(lines: Sequence[bytes], comment: re.Pattern[bytes]) -> Iterator[list[bytes]]:
    """The comments at the top of a file, each as its lines; ends with the first line of code."""
    block: list[bytes] = []
    for line in lines:
        match = comment.match(line)
        is_blank = _BEFORE_LEAD.match(line) or (match and not match["text"].strip())
        if block and (is_blank or _OPENS_BLOCK.match(line)):
            yield block
            block = []
        if match is None and not is_blank:
            break
        if match and not is_blank:
            block.append(match["text"])
    if block:
        yield block


def _above(lines: Sequence[bytes], start: int, comment: re.Pattern[bytes]) -> str:
    """The first line of the comment right above a definition."""
    block: list[bytes] = []
    for at in range(start - 1, max(-1, start - 1 - _NOTE_LINES), -1):
        match = comment.match(lines[at])
        if match:
            block.append(match["text"])
        elif block or not _BETWEEN.match(lines[at]):
            break
    return _first_line(_plain([line for line in reversed(block) if line.strip()][:2]))


def _plain(block: Iterable[bytes]) -> str:
    return " ".join(_MARKUP.sub(" ", b" ".join(block).decode("utf-8", "replace")).split())


def _first_line(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())[:_MAX_NOTE_LENGTH]
