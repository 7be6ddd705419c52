"""No error, hint or next step of ours names what destroys something of the user's without saying what is lost.

Every text of the three packages is read from the syntax tree, wherever it is: as the hint of an error, as the advice of
`doctor`, in a note or in a summary. What explains a command to those who ask about it (its help, its options, the
descriptions of fields) is left out, and what is not shown to people.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from aicx.commands import COMMANDS
from aicx.options import __file__ as _options

pytestmark = pytest.mark.slow

ROOT = Path(_options).parent.parent
PACKAGES = ("aicx", "indexer", "retrieval")

# Commands and options of ours that delete, reset or overwrite something that cannot be made again. `index --rebuild`
# and `index drop` are not among them: an index is derived.
OURS = re.compile(
    r"\baicx (?:forget|clean|uninstall|init --undo)\b"
    r"|\baicx memory (?:decide )?delete\b|\baicx memory (?:candidates )?backfill --undo\b"
    r"|\baicx (?:continuity|task note) clear\b|\baicx projects reset\b|\baicx (?:cas|pack objects) gc\b"
    r"|(?<![\w-])--(?:force|remove|redact-again|overwrite|purge|prune|hard)(?![\w-])"
)
OF_OTHERS = re.compile(
    r"\bgit (?:reset|clean|checkout|restore|rm|stash drop|push (?:-f|--force))\b|\brm -"
    r"|\b(?:pip|pipx|npm|uv tool) uninstall\b"
)
# An instruction to do it by hand.
BY_HAND = re.compile(
    r"(?:^|[,;:(] |\bor |\band |\bthen |\bhas to be )"
    r"(?:delete|remove|erase|overwrite|reset|drop|discard|uninstall|clear|wipe|purge|deleted by hand)\b"
    r"(?: (?:it|them|both|one|the|what|that|this|its|your|some|old)(?![\w-])| \{\}|(?<=by hand))",
    re.IGNORECASE,
)
# What a module has in which any of these may be found, also where a text goes on in another line; most have none.
MAY = re.compile(
    r"aicx[\s\"'f]+(?:forget|clean|uninstall|init|memory|continuity|task|projects|cas|pack)|--[a-z]"
    r"|git[\s\"'f]+[a-z]|rm -|\buninstall\b"
    r"|(?:delete|remove|erase|overwrite|reset|drop|discard|uninstall|clear|wipe|purge)d?[\s\"'f]+"
    r"(?:by|it|them|both|one|the|what|that|this|its|your|some|old|\{)",
    re.IGNORECASE,
)
# What reports on a command that somebody gave, and suggests none.
REPORTS = frozenset(
    {
        "an interrupted aicx forget: {}",
        "finished an interrupted aicx forget",
        "an earlier `aicx store --redact-again` was interrupted; finishing it first",
        "an interrupted `aicx forget` is not finished yet: {} (next: {})",
        "--redact-again goes with --json alone",
        "xargs rm -f --",  # what runs on the machine of a share, and is not shown
    }
)
# The last is how a block in somebody's file says that it goes alone.
LOSS = re.compile(
    r"\blost\b|\bloses?\b|\bfor good\b|`aicx init` wrote (?:this block|these hooks), and `aicx init --undo` removes"
)


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of a module that people may be shown, each whole, with `{}` for what is put in, and its line."""
    for node in ast.iter_child_nodes(tree):
        if _explains(node):
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        else:
            yield from texts(node)


def _explains(node: ast.AST) -> bool:
    """Whether a node is a docstring, describes commands, an option or a field, or names the author of a change."""
    match node:
        case ast.Assign(targets=[ast.Name(id="_BY" | "_FORGOTTEN_BY" | "_BOTH")]):
            return True
        case ast.AnnAssign(target=ast.Name(id="INSTEAD")):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Call(func=ast.Name(id="Group")):
            return True
        case ast.Subscript(value=ast.Name(id="Annotated")):
            return True
        case ast.Call(func=ast.Name(id="Option" | "Argument")):
            return True
    return False


def destroys(text: str) -> bool:
    if text in REPORTS or "(?" in text:  # the latter is a pattern
        return False
    return any(pattern.search(text) for pattern in (OURS, OF_OTHERS, BY_HAND))


def silent_about_loss(source: str) -> list[tuple[int, str]]:
    return [(line, text) for line, text in texts(ast.parse(source)) if destroys(text) and not LOSS.search(text)]


MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def destroying() -> list[tuple[str, str]]:
    """Every text of ours that names what destroys, with its place."""
    return [
        (f"{path.relative_to(ROOT)}:{line}", text)
        for path in MODULES
        if MAY.search(source := path.read_text("utf-8"))
        for line, text in texts(ast.parse(source))
        if destroys(text)
    ]


@pytest.mark.slow
def test_no_text_of_ours_names_what_destroys_without_what_is_lost() -> None:
    assert [(place, text) for place, text in destroying() if not LOSS.search(text)] == []


@pytest.mark.slow
def test_texts_that_name_what_destroys_are_found_at_all() -> None:
    assert len(destroying()) > 10


@pytest.mark.parametrize(
    "source",
    [
        'raise UsageError("it is there", hint="--force replaces it")',
        'Check("x", "warning", detail, "mend them, or aicx task note clear")',
        'notes.append(f"{path} is left: `aicx forget --session {name}`")',
        'console.notify("Next: git reset --hard")',
        '_NEXT = "delete them by hand"',
        'hint = f"mend {path}, or delete it"',
        'hint = "aicx store " "--redact-again"',
    ],
)
def test_a_new_one_is_noticed(source: str) -> None:
    assert MAY.search(source)
    assert len(silent_about_loss(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        'hint = "--force replaces it; what it holds is lost"',
        'hint = "aicx index --rebuild"',
        'def command() -> None:\n    """Run `aicx forget` with --force."""',
        'Force = Annotated[bool, Option("--force", help="Replace it.")]',
    ],
)
def test_one_that_says_so_or_explains_a_command_is_left(source: str) -> None:
    assert silent_about_loss(source) == []


def test_commands_that_destroy_are_still_called_so() -> None:
    assert {"forget", "clean", "uninstall"} <= set(COMMANDS)
