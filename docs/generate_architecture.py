"""Writes docs/modules.md and the layers in docs/architecture.md; with --check says whether both are up to date."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PACKAGES = ("aicx", "indexer", "retrieval")
_BEGIN, _END = "<!-- layers: written by docs/generate_architecture.py -->", "<!-- end of layers -->"
# The floors of the import contract, from the top.
FLOORS = (
    ("Front", "What people, agents and programs call: commands, servers, hooks, the Python API, and the benchmark."),
    ("Uses", "What the rest is put to use for: a brief, a reason, a pack, a session's life, notes."),
    ("Stated", "What somebody stated, kept for the next session: memory, work, sessions as a family, objects."),
    ("Find", "Search over what is stored, and the map of a repository."),
    ("Read", "What a stored session did: commands, edits, failures, statements."),
    ("Keep", "The store and its catalogue; beside it the two packages that index and rank whatever they are given."),
    ("In", "What comes from outside: agents' logs, git, output of tools; and the rules that take secrets out."),
    ("Storage", "Settings, places in the home, and files that are written whole or not at all."),
    ("Kernel", "Types, errors, filters and text: what everything may use, and what knows nothing of the rest."),
)
_DOCSTRING = re.compile(r'(?:#.*\n)*r?"""(.*?)"""', re.DOTALL)
# Where a sentence ends: not inside `config.toml`, and not after an abbreviation.
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.?!](?=\s|$)")


def layers() -> list[list[str]]:
    """The modules of each layer of the import contract, from the top down."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contract = next(one for one in linter["contracts"] if one["type"] == "layers" and "containers" not in one)
    return [[name.strip(" ()") for name in re.split(r"[|:]", layer)] for layer in contract["layers"]]


def purposes() -> Mapping[str, str]:
    """The first sentence of every module's docstring, by dotted name; empty where one is missing."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            docstring = _DOCSTRING.match(path.read_text("utf-8"))
            found[name] = _first_sentence(docstring[1] if docstring else "")
    return found


def _first_sentence(docstring: str) -> str:
    text = " ".join(docstring.partition("\n\n")[0].split())
    end = _SENTENCE_END.search(text)
    return (text[: end.end()] if end else text).replace("``", "`").replace("|", "\\|")


def render_layers(sentences: Mapping[str, str]) -> str:
    """The table between the marks of docs/architecture.md."""
    lines: list[str] = []
    for number, ((title, purpose), layer) in enumerate(zip(FLOORS, layers(), strict=True), start=1):
        lines += ["", f"**{number}. {title}.** {purpose}", "", "| Module | Purpose |", "|---|---|"]
        lines += [f"| {_link(name, sentences)} | {sentences[name]} |" for name in layer]
    return "\n".join((_BEGIN, *lines, "", _END))


def _link(name: str, sentences: Mapping[str, str]) -> str:
    is_package = any(other.startswith(f"{name}.") for other in sentences)
    return f"[`{name}`](modules.md#{name.replace('.', '')})" if is_package else f"`{name}`"


def render_modules(sentences: Mapping[str, str]) -> str:
    """The page of all modules, a section for each package."""
    return "\n".join(_modules_page(sentences)) + "\n"


def _modules_page(sentences: Mapping[str, str]) -> Iterator[str]:
    yield "# Modules"
    yield ""
    yield "<!-- Written by docs/generate_architecture.py from the modules' docstrings; `make docs` writes it again. -->"
    yield ""
    yield "Every package, with the purpose of each module. [Architecture](architecture.md) says how they work together."
    for package in sentences:
        own = [name for name in sentences if name.rpartition(".")[0] == package]
        if own:
            yield from ("", f"## {package}", "", sentences[package], "", "| Module | Purpose |", "|---|---|")
            yield from (f"| `{name.rpartition('.')[2]}` | {sentences[name]} |" for name in own)


def main(arguments: list[str]) -> int:
    """Writes both pages, or compares them; 1 when one is out of date."""
    sentences = purposes()
    page, modules = DOCS / "architecture.md", DOCS / "modules.md"
    before, begin, rest = page.read_text("utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    assert begin, f"{page} has lost its first mark"
    assert after, f"{page} has lost its last mark"
    wanted = {page: before + render_layers(sentences) + after, modules: render_modules(sentences)}
    if "--check" not in arguments:
        for path, text in wanted.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        sys.stderr.write(f"docs/{path.name} is out of date: make docs\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
