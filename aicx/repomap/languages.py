"""Detects the language of a file, by its name or, for scripts without an extension, its first line."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

# Language -> where its grammar lies. TSX is TypeScript with another grammar and the same queries.
GRAMMARS = {
    "python": "tree_sitter_language_pack.bindings.python",
    "javascript": "tree_sitter_language_pack.bindings.javascript",
    "typescript": "tree_sitter_language_pack.bindings.typescript",
    "tsx": "tree_sitter_language_pack.bindings.tsx",
    "go": "tree_sitter_language_pack.bindings.go",
    "rust": "tree_sitter_language_pack.bindings.rust",
    "java": "tree_sitter_language_pack.bindings.java",
    "c": "tree_sitter_language_pack.bindings.c",
    "cpp": "tree_sitter_language_pack.bindings.cpp",
    "csharp": "tree_sitter_c_sharp",
    "ruby": "tree_sitter_language_pack.bindings.ruby",
    "php": "tree_sitter_language_pack.bindings.php",
}
QUERY_FILES = {language: language for language in GRAMMARS} | {"tsx": "typescript"}

# Languages read without a grammar.
PLAIN = frozenset({"markdown", "make"})

_SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "c",  # or C++, which only its text tells
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".c++": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".ipp": "cpp",
    ".inl": "cpp",
    ".cu": "cpp",
    ".cuh": "cpp",
    ".cs": "csharp",
    ".rb": "ruby",
    ".rake": "ruby",
    ".gemspec": "ruby",
    ".php": "php",
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".mk": "make",
}
_NAMES = {
    "Makefile": "make",
    "makefile": "make",
    "GNUmakefile": "make",
    "Rakefile": "ruby",
    "Gemfile": "ruby",
}
_SHEBANG = re.compile(rb"#!.*?\b(?P<program>python|node|ruby|php)[\d.]*\b")
_PROGRAMS = {b"python": "python", b"node": "javascript", b"ruby": "ruby", b"php": "php"}
_IS_CPP = re.compile(rb"^\s*(?:class\s+\w+[^;]*$|namespace\b|template\s*<|using\s+\w|public:|private:)|\w::\w", re.M)


def language_of(path: str) -> str | None:
    """The language a file's name promises; None when it has none that is read."""
    name = path.rpartition("/")[2]
    return _NAMES.get(name) or _SUFFIXES.get(PurePosixPath(name).suffix.lower())


def may_be_script(path: str) -> bool:
    """Whether only the first line can tell: the name has no ending."""
    return "." not in path.rpartition("/")[2]


def refine(path: str, language: str | None, source: bytes) -> str | None:
    """The language with the text at hand: scripts name their interpreter, and a header may be C++."""
    if language is None:
        match = _SHEBANG.match(source[:100])
        return _PROGRAMS[match["program"]] if match else None
    if language == "c" and path.endswith((".h", ".H")) and _IS_CPP.search(source):
        return "cpp"
    return language
