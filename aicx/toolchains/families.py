"""The table of families: one module a row, each exporting `FAMILY`. `generic` reads what no other does."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from aicx.toolchains.family import ToolFamily

GENERIC, NONE = "generic", "none"

# Where two look equally likely by their text alone, the earlier one is taken.
FAMILIES = (
    "python_test",
    "python_types",
    "python_lint",
    "typescript",
    "eslint",
    "js_test",
    "npm",
    "rust",
    "go",
    "java",
    "ruby",
    "php",
    "dotnet",
    "c_cpp",
)


@cache
def families() -> tuple[ToolFamily, ...]:
    """Every family but `generic`, in the table's order."""
    return tuple(_load(name) for name in FAMILIES)


@cache
def generic() -> ToolFamily:
    return _load(GENERIC)


def _load(name: str) -> ToolFamily:
    family: ToolFamily = import_module(f"aicx.toolchains.{name}").FAMILY
    return family
