"""Writes every manifest of the plugin from the table below: one plugin for several agents, with one version.

python plugin/generate.py            # writes them; --check only says which are out of date
python plugin/generate.py --mcpb dist   # and the bundle for desktop applications, dist/aicx-VERSION.mcpb
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PLUGIN = Path(__file__).resolve().parent
REPOSITORY = PLUGIN.parent
sys.path.insert(0, str(REPOSITORY))

from aicx import __version__  # noqa: E402 - the path is known now

NAME = "aicx"
PACKAGE = "aicx-py"
# The server's name in the MCP registry, which the README has to hold.
SERVER = "io.github.aicx-py/aicx"
DESCRIPTION = "What earlier sessions of your coding agents asked, tried, decided and fixed: searched and cited."
AUTHOR = {"name": "The authors of aicx"}
LICENSE = "MIT"
KEYWORDS = ["history", "memory", "search", "sessions"]
SKILL = "skills/aicx-history/SKILL.md"
# What is on the PATH, else what uv fetches. A shell finds that out: no agent's manifest can.
SERVE = f"command -v aicx >/dev/null 2>&1 && exec aicx serve; exec uvx --from '{PACKAGE}[mcp]' aicx serve"
# Stores what the session said, in the background, where aicx is installed. All else is for `aicx init` to switch on.
STORE = "command -v aicx >/dev/null 2>&1 && (aicx store </dev/null >/dev/null 2>&1 &); true"

_SERVERS = {"mcpServers": {NAME: {"command": "sh", "args": ["-c", SERVE]}}}
_ABOUT = {"name": NAME, "version": __version__, "description": DESCRIPTION}
_WHOLE = {**_ABOUT, "author": AUTHOR, "license": LICENSE, "keywords": KEYWORDS}


def manifests() -> Mapping[str, Any]:
    """What each file holds, by its path from the repository's root."""
    return {
        # The open format, which several agents read.
        "plugin/plugin.json": {**_WHOLE, "skills": "./skills/", "mcpServers": "./mcp.json"},
        "plugin/mcp.json": _SERVERS,
        # Claude Code. Beside the plugin the list of a folder, at the root that of a git address.
        "plugin/.claude-plugin/plugin.json": {**_WHOLE, "mcpServers": "./mcp.json"},
        "plugin/.claude-plugin/marketplace.json": _claude_marketplace("./"),
        ".claude-plugin/marketplace.json": _claude_marketplace("./plugin"),
        "plugin/hooks/hooks.json": {
            "description": "Stores the session when it ends.",
            "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": STORE}]}]},
        },
        # Codex, which takes no plugin from the root of a list.
        "plugin/.codex-plugin/plugin.json": {**_WHOLE, "skills": "./skills/", "mcpServers": "./mcp.json"},
        "plugin/.agents/plugins/marketplace.json": _codex_marketplace("./"),
        ".agents/plugins/marketplace.json": _codex_marketplace("./plugin"),
        "plugin/gemini-extension.json": {**_ABOUT, **_SERVERS},
        "plugin/server.json": {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": SERVER,
            "title": NAME,
            "description": DESCRIPTION,
            "version": __version__,
            "packages": [
                {
                    "registryType": "pypi",
                    "identifier": PACKAGE,
                    "version": __version__,
                    "runtimeHint": "uvx",
                    "runtimeArguments": [
                        {"type": "named", "name": "--from", "value": f"{PACKAGE}[mcp]=={__version__}"},
                        {"type": "positional", "value": NAME},
                    ],
                    "packageArguments": [{"type": "positional", "value": "serve"}],
                    "transport": {"type": "stdio"},
                }
            ],
        },
    }


def bundle() -> dict[str, Any]:
    """The manifest of the bundle for desktop applications. It starts what is on the machine, and holds no code."""
    return {
        "manifest_version": "0.3",
        **_ABOUT,
        "display_name": NAME,
        "author": AUTHOR,
        "license": LICENSE,
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": "serve.sh",
            "mcp_config": {"command": "sh", "args": ["${__dirname}/serve.sh"]},
        },
        "compatibility": {"platforms": ["darwin", "linux"]},
    }


def build_bundle(folder: Path) -> Path:
    """Writes the bundle: the same bytes from the same table."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{__version__}.mcpb"
    files = {"manifest.json": _text(bundle()), "serve.sh": f"#!/bin/sh\n{SERVE}\n", "README.md": f"{DESCRIPTION}\n"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            archive.writestr(entry, text)
    return path


def out_of_date() -> list[str]:
    """The files that are not what the table says."""
    return [
        path
        for path, fields in manifests().items()
        if not (REPOSITORY / path).is_file() or (REPOSITORY / path).read_text("utf-8") != _text(fields)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where a file is out of date")
    parser.add_argument("--mcpb", type=Path, metavar="FOLDER", help="also write the bundle there")
    given = parser.parse_args(arguments)
    old = out_of_date()
    if given.check:
        print("".join(f"{path} is out of date: python plugin/generate.py\n" for path in old), end="")
        return int(bool(old))
    for path in old:
        file = REPOSITORY / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(manifests()[path]), "utf-8")
        print(path)
    if given.mcpb:
        print(build_bundle(given.mcpb))
    return 0


def _claude_marketplace(source: str) -> dict[str, Any]:
    plugin = {**_ABOUT, "source": source}
    return {"name": NAME, "owner": AUTHOR, "metadata": {"description": DESCRIPTION}, "plugins": [plugin]}


def _codex_marketplace(source: str) -> dict[str, Any]:
    plugin = {
        "name": NAME,
        "source": {"source": "local", "path": source},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    return {"name": NAME, "interface": {"displayName": NAME}, "plugins": [plugin]}


def _text(fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
