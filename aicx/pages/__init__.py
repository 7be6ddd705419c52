"""The sources of the two pages, and how the modules of one become a single script: no build step, no parser of HTML."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files

# How modules are written: what a module takes and what it gives stands in lines of these forms alone.
_IMPORT = re.compile(r'^import \{\s([\w,\s]+)\s\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b", re.MULTILINE)


def load_files(page: str) -> dict[str, bytes]:
    """The files of the page called ``page`` and of what both share, by name."""
    folders = (files("aicx.pages") / "shared", files("aicx.pages") / page)
    return {item.name: item.read_bytes() for folder in folders for item in folder.iterdir() if item.is_file()}


def bundle(files: Mapping[str, str], entry: str) -> str:
    """A module and all that it imports as one script. Each module becomes a function that returns what it exports."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name in modules:
            return
        source = files[name]
        imports = [(found[1], found[2]) for found in _IMPORT.finditer(source)]
        for _, needed in imports:
            add(needed)
        taken = "".join(f"const {{ {names} }} = {_variable(needed)};\n" for names, needed in imports)
        given = ", ".join(found[2] for found in _EXPORT.finditer(source))
        body = _EXPORT.sub(r"\1", _IMPORT.sub("", source))
        assert not _LEFT.search(body), f"{name} imports or exports in a way that is not known here"
        modules[name] = f"const {_variable(name)} = (() => {{\n{taken}{body}\nreturn {{ {given} }};\n}})();\n"

    add(entry)
    script = "\n".join(modules.values())
    assert "</script" not in script, "the script would end itself"
    assert "<!--" not in script, "the script would hide its end"
    return script


def policy_source(text: str) -> str:
    """Returns what a content policy calls this very text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")
