"""Holds the size of the house: its numbers may fall, and rise only with a reason in docs/decisions/one-noun.md.

Without options it compares the tree with docs/ratchet.json and fails where a number has risen. `--write` writes down
what has fallen, and what has risen where the page has a row that allows it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("aicx", "indexer", "retrieval")
KEPT = Path(__file__).parent / "ratchet.json"
PAGE = Path(__file__).parent / "decisions" / "one-noun.md"
# A row of the page: the name of a number, what it was, what it may be, and why.
_ROW = re.compile(r"^\| ([a-z ]+) \| (\d+) \| (\d+) \| \S.* \|$", re.MULTILINE)


def numbers(root: Path = ROOT) -> dict[str, int]:
    """Counts the product's lines, files, value classes and class names that are defined more than once."""
    sources = [path.read_text("utf-8") for package in PACKAGES for path in (root / package).rglob("*.py")]
    classes = [node for text in sources for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
    names = Counter(node.name for node in classes)
    return {
        "lines": sum(text.count("\n") for text in sources),
        "files": len(sources),
        "value classes": sum(map(_is_value, classes)),
        "class names twice": sum(count > 1 for count in names.values()),
    }


def _is_value(node: ast.ClassDef) -> bool:
    """Whether a class is a dataclass or a named tuple."""
    said = [ast.unparse(part) for part in (*node.decorator_list, *node.bases)]
    return any(re.fullmatch(r"(?:\w+\.)?(?:dataclass\b.*|NamedTuple)", one, re.DOTALL) for one in said)


def answer_classes() -> int:
    """Counts the classes that docs/json.md describes."""
    from aicx.servers.described import reachable
    from docs.generate_json import ANSWERS

    return len({kind for _, answers in ANSWERS.values() for kind in reachable(*answers)})


def allowed(page: str, name: str, before: int) -> int:
    """What a number may be, which was ``before``: that, or what a row of the page allows from there."""
    rows = _ROW.findall(page.replace(",", ""))
    return max([before, *(int(after) for row, old, after in rows if row == name and int(old) == before)])


def risen(kept: Mapping[str, int], found: Mapping[str, int], page: str = "") -> Iterator[str]:
    """A sentence for each number that is higher than it may be."""
    for name, number in found.items():
        if number > allowed(page, name, kept[name]):
            yield f"{name}: {number:,}, and {kept[name]:,} is written down"


def main(arguments: list[str]) -> int:
    """Compares, or writes; 1 when a number has risen without a reason."""
    kept = json.loads(KEPT.read_text("utf-8"))
    found = {**numbers(), "answer classes": answer_classes()}
    writes = "--write" in arguments
    problems = list(risen(kept, found, PAGE.read_text("utf-8") if writes else ""))
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        row = f"a row of {PAGE.relative_to(ROOT)}"
        sys.stderr.write(f"use what is there already, or say why in {row} and run with --write\n")
        return 1
    if writes:
        KEPT.write_text(json.dumps({**kept, **found}, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
