"""Kinds of files in a repository, by name and first bytes: language, role, whether they are worth reading.

Binary, huge, minified and generated files are not. Each has a reason, and reasons are counted.
"""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import PurePosixPath

# Language -> where its grammar lies. TSX is TypeScript with another grammar and the same queries.
_PACKED = ("python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "ruby", "php")
GRAMMARS = {name: f"tree_sitter_language_pack.bindings.{name}" for name in _PACKED} | {"csharp": "tree_sitter_c_sharp"}
QUERY_FILES = {language: language for language in GRAMMARS} | {"tsx": "typescript"}

# Languages read without a grammar.
PLAIN = frozenset({"markdown", "make"})

_ENDINGS = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",  # or C++, which only the text of a header tells
    "cpp": "cc cpp cxx c++ hh hpp hxx ipp inl cu cuh",
    "csharp": "cs",
    "ruby": "rb rake gemspec",
    "php": "php",
    "markdown": "md mdx markdown",
    "make": "mk",
}
_SUFFIXES = {f".{ending}": language for language, endings in _ENDINGS.items() for ending in endings.split()}
_NAMES = {"Makefile": "make", "makefile": "make", "GNUmakefile": "make", "Rakefile": "ruby", "Gemfile": "ruby"}
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


class Role(IntEnum):
    code = 0
    test = 1
    document = 2
    aside = 3


# What a match is worth by the part its file plays. A test says the same words as what it tests, and more of them; a
# heading says them as people do. Both are answers, but the first place to look is the code.
WEIGHTS: dict[int, float] = {Role.code: 1.0, Role.test: 0.6, Role.document: 0.7, Role.aside: 0.5}

_TEST_FOLDERS = frozenset(
    {"__mocks__", "__snapshots__", "__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "testing"}
    | {"tests"}
)
_ASIDE_FOLDERS = frozenset(
    {
        "3rdparty",
        "_vendor",
        "benchmark",
        "benchmarks",
        "contrib",
        "deps",
        "example",
        "examples",
        "external",
        "extern",
        "sample",
        "samples",
    }
    | {"third-party", "third_party", "thirdparty", "vendor", "vendored"}
)
# test_lock.py, lock_test.go, lock.spec.ts, LockTest.java, lock_spec.rb: the middle is what is tested.
_TEST_NAME = re.compile(
    r"(?:test[_-](?P<after>.+)|(?P<before>.+?)(?:[_-](?:tests?|spec)|\.(?:tests?|spec|e2e|cy)|(?<=[a-z0-9])(?:Tests?|IT|Spec)))"
    r"(?:\.[A-Za-z0-9]+)+"
)
_TEST_FILES = frozenset({"conftest.py", "test.py", "tests.py"})
_TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "fixture", "fixtures", "unittest", "pytest", "testing"})
_WORD = re.compile(r"[a-z]+")


def role_of(path: str, language: str | None) -> Role:
    """The part the file at ``path`` plays."""
    *folders, name = path.split("/")
    if not _ASIDE_FOLDERS.isdisjoint(folders):
        return Role.aside
    if not _TEST_FOLDERS.isdisjoint(folder.lower() for folder in folders) or name in _TEST_FILES:
        return Role.test
    if _TEST_NAME.fullmatch(name):
        return Role.test
    return Role.document if language == "markdown" else Role.code


def stem_tested_by(path: str) -> str | None:
    """For a test, the name without ending of the file it tests, in lower case; None when its own name tells none."""
    match = _TEST_NAME.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    return (match["before"] or match["after"].partition(".")[0]).lower()


def asks_for_tests(text: str) -> bool:
    """Whether a question is about the tests themselves."""
    return not _TEST_WORDS.isdisjoint(_WORD.findall(text.lower()))


# Beyond this a source file is almost always data. Its name still counts.
HUGE_BYTES = 1_000_000

GENERATED, BINARY, MINIFIED, HUGE = "generated", "binary", "minified", "huge"

_GENERATED_FOLDERS = frozenset({"node_modules", "bower_components", "__pycache__", ".yarn", ".venv", ".tox"})
_GENERATED_NAMES = frozenset(
    {
        "Cargo.lock",
        "composer.lock",
        "Gemfile.lock",
        "go.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "Pipfile.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "yarn.lock",
    }
)
_GENERATED_ENDINGS = (".pb.go", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".g.cs", ".designer.cs")
_MINIFIED_ENDINGS = (".min.js", ".min.css", ".min.mjs", "-min.js", ".bundle.js", ".js.map", ".css.map")
_BINARY_SUFFIXES = frozenset(
    """
    7z a avi avif bin bmp br bz2 class db dat dll dmg doc docx dylib eot exe flac gif gz ico icns jar jpeg jpg key
    lib mo mov mp3 mp4 npy npz o obj ogg onnx otf parquet pdf pickle pkl png pot ppt pptx psd pt pyc pyd rar rlib
    safetensors snap so sqlite sqlite3 tar tgz tif tiff ttf wasm wav webm webp whl woff woff2 xls xlsx xz zip zst
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
)
# What generators write over their output: a comment near the top, and only there, for generators hold the words too.
_MARK = re.compile(
    rb"^[ \t]*(?:#|//|/\*|\*|--|<!--|;|\"\"\")[^\n]*?"
    rb"(?:@generated\b|\bDO NOT EDIT\b|\bdo not (?:edit|modify) (?:this file|by hand|manually)"
    rb"|\b(?:auto[- ]?)generated (?:by|from|file|code)\b|\b[Cc]ode generated by\b|<auto-generated)",
    re.MULTILINE,
)
_MARK_WITHIN = 1500
# People break lines. Tables of data may hold a few long ones, so the average decides.
_MINIFIED_AVERAGE = 400
_MIN_MINIFIED = 4000


def excluded_by_name(path: str) -> str | None:
    """The reason not even to open a file; None when there is none."""
    folder, _, name = path.rpartition("/")
    if name in _GENERATED_NAMES or name.lower().endswith(_GENERATED_ENDINGS):
        return GENERATED
    if folder and not _GENERATED_FOLDERS.isdisjoint(folder.split("/")):
        return GENERATED
    if name.endswith(_MINIFIED_ENDINGS):
        return MINIFIED
    return BINARY if name.rpartition(".")[2].lower() in _BINARY_SUFFIXES and "." in name else None


def excluded_by_content(source: bytes) -> str | None:
    """The reason not to read on, seen from the text."""
    if b"\0" in source[:8000]:
        return BINARY
    if _MARK.search(source[:_MARK_WITHIN]):
        return GENERATED
    if len(source) > _MIN_MINIFIED and len(source) > _MINIFIED_AVERAGE * (source.count(b"\n") + 1):
        return MINIFIED
    return None
