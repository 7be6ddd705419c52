"""`aicx index`: the opt-in vector index."""

from __future__ import annotations

HELP = """Embed the corpus, so that `aicx search` also matches by meaning.

aicx embeds nothing until you call this. Without an action, `aicx index` builds;
`aicx index build --help` lists its options.

Example: aicx index
Example: aicx index --embedder static --rebuild
Example: aicx index status
"""
COMMANDS = {
    "build": "aicx.commands.index.build",
    "status": "aicx.commands.index.status",
    "drop": "aicx.commands.index.status:drop",
}
DEFAULT = "build"
