"""TOML changed in place: one table more or less, with the comments and the layout of everything else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from aicx.errors import MissingExtra

EMPTY = ""


def loaded(text: str) -> dict[str, Any]:
    """The value. Raises ValueError that says where the text is no TOML."""
    return tomllib.loads(text)


def assigned(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """``text`` with ``value`` as the table that the two ``keys`` lead to; what is missing is made."""
    key, name = keys
    tomlkit = _tomlkit()
    document = tomlkit.parse(text)
    servers = document.setdefault(key, tomlkit.table(is_super_table=True))
    known = servers.setdefault(name, value)
    known.update({field: wanted for field, wanted in value.items() if known.get(field) != wanted})
    return _ended_alike(tomlkit.dumps(document), text)


def dropped(text: str, keys: Sequence[str]) -> str:
    """``text`` without the table that the two ``keys`` lead to, which is there."""
    key, name = keys
    tomlkit = _tomlkit()
    document = tomlkit.parse(text)
    del document[key][name]
    if not document[key]:
        del document[key]
    shorter = _ended_alike(tomlkit.dumps(document), text)
    # The empty line that set our table apart at the end.
    return re.sub(r"(\r?\n)\r?\n\Z", r"\1", shorter)


def _ended_alike(text: str, model: str) -> str:
    """``text`` with lines of Windows where ``model`` has them; tomlkit ends its own lines in one way."""
    return re.sub(r"(?<!\r)\n", "\r\n", text) if "\r\n" in model else text


def _tomlkit() -> Any:
    try:
        import tomlkit
    except ModuleNotFoundError as error:
        raise MissingExtra("changing a TOML file", "mcp") from error
    return tomlkit
