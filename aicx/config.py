"""Settings: the only module that reads the environment and ``config.toml``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, UsageError
from aicx.paths import Layout
from aicx.storage import endless_in
from aicx.storage.home_format import check_format
from aicx.types import AgentHomes
from aicx.values import dataclass

_DEFAULTS: dict[str, Any] = {
    "redact_secrets": True,
    "lock_wait_seconds": 120.0,
    "workers": 0,
    "index_uri": "",
    "embedding_base_url": "",
    "embedding_dimensions": 0,
    "embedding_requests_per_minute": 0,
    "embedding_retries": 5,
    "summarizer_command": "",
    "continuity_layout": "aicx",
    "continuity_lines": 60,
    "team": False,
    "team_wait_seconds": 1.0,
}
# What a person decides about a machine of theirs, and no repository for them.
LOCAL_ONLY = frozenset({*_DEFAULTS, "continuity"})
# The lines that a startup block of continuity may have.
MIN_LINES, MAX_LINES = 10, 200
_ARBITERS = {"codex": "CODEX_", "claude": "CLAUDE_", "generic": "GENERIC_", "": ""}


@dataclass(frozen=True, slots=True)
class Embedding:
    """Where the vector index lies and, for an embedder behind HTTP, how to reach it. The key never is in a file."""

    index_uri: str | None = None  # any LanceDB address; None keeps it below the home
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    requests_per_minute: int | None = None
    retries: int = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may differ between two runs, gathered once at the door."""

    user_home: Path
    layout: Layout
    homes: AgentHomes
    redact_secrets: bool = True
    lock_wait_seconds: float = 120.0
    workers: int = 1  # processes that read logs beside the one that writes
    embedding: Embedding = field(default_factory=Embedding)
    auth_token: str | None = field(default=None, repr=False)  # what a server asks its callers for; never in a file
    # Commands that judge the files to begin with: by agent, "generic" for all others, "" for any.
    arbiters: Mapping[str, str] = field(default_factory=dict)
    summarizer: str | None = None  # a command that sums up facts in claims, each with its evidence
    continuity_layout: str = "aicx"  # of a worktree's note; "claude" for the older one in .claude/sessions
    continuity_lines: int = 60  # of the startup block, at most
    team: bool = False  # whether searches also ask the share that the home is part of
    team_wait_seconds: float = 1.0  # for which the share is waited for

    def arbiter_for(self, agent: str | None) -> str | None:
        """The command for the asking agent; None where there is none."""
        own = agent if agent in ("codex", "claude") else "generic"
        return self.arbiters.get(own) or self.arbiters.get("") or None

    @property
    def corpus_folders(self) -> list[Path]:
        """The folders that only aicx writes to: the home, and that of a vector index elsewhere on this machine."""
        uri = self.embedding.index_uri
        return [self.layout.home, *([Path(uri)] if uri and "://" not in uri else ())]


def layout_of(environ: Mapping[str, str] = os.environ, user_home: Path | None = None) -> Layout:
    """The home's files and folders, where the settings say it is that need no file: also where that cannot be read."""
    return Layout(_corpus(environ, user_home or Path(environ.get("HOME") or Path.home())))


def load_settings(
    environ: Mapping[str, str] = os.environ, user_home: Path | None = None, *, corpus: Path | None = None
) -> Settings:
    """Settings from the environment over ``config.toml`` over the defaults. ``corpus`` goes before `AICX_HOME`."""
    home = user_home or Path(environ.get("HOME") or Path.home())
    layout = Layout(corpus.expanduser()) if corpus else layout_of(environ, home)
    _check_home(layout.home)
    check_format(layout.home)
    values = _DEFAULTS | _read_file(layout.config_file)
    opencode = _folder(environ, "XDG_DATA_HOME", home / ".local/share") / "opencode"
    return Settings(
        user_home=home,
        layout=layout,
        homes=AgentHomes(
            claude=_folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude"),
            codex=_folder(environ, "CODEX_HOME", home / ".codex"),
            gemini=home / ".gemini",
            runs=layout.runs,
            opencode=opencode,
            opencode_database=opencode / environ["OPENCODE_DB"] if environ.get("OPENCODE_DB") else None,
            copilot=_folder(environ, "COPILOT_HOME", home / ".copilot"),
            cursor=home / ".cursor",
            cursor_user=_editor_data(environ, home) / "Cursor/User",
            pi=_folder(environ, "PI_CODING_AGENT_DIR", home / ".pi/agent"),
            user=home,
        ),
        redact_secrets=bool(values["redact_secrets"]),
        lock_wait_seconds=float(values["lock_wait_seconds"]),
        # One core is left for the writing process; more than four readers would only wait for it.
        workers=int(values["workers"]) or min(4, os.cpu_count() or 1),
        embedding=Embedding(
            index_uri=values["index_uri"] or None,
            base_url=values["embedding_base_url"] or None,
            key=environ.get("AICX_EMBEDDING_KEY") or None,
            dimensions=values["embedding_dimensions"] or None,
            requests_per_minute=values["embedding_requests_per_minute"] or None,
            retries=values["embedding_retries"],
        ),
        auth_token=environ.get("AICX_HTTP_AUTH_TOKEN") or None,
        arbiters={
            agent: command
            for agent, name in _ARBITERS.items()
            if (command := environ.get(f"AICX_{name}ENTRYPOINT_ARBITER_COMMAND", "").strip())
        },
        summarizer=values["summarizer_command"].strip() or None,
        continuity_layout=values["continuity_layout"],
        continuity_lines=values["continuity_lines"],
        team=values["team"],
        team_wait_seconds=float(values["team_wait_seconds"]),
    )


def library_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables under which libraries write nothing outside the corpus's folder, report to nobody and warn of nothing.

    They are for the environment of a process that is aicx, and of those it starts.
    """
    cache = _corpus(environ, Path(environ.get("HOME") or Path.home())).absolute() / "cache"
    return {
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "torch"),
        "TRITON_CACHE_DIR": str(cache / "triton"),
        "ORT_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        # Where this is not set, a process started after tokenizers were used prints what to set.
        "TOKENIZERS_PARALLELISM": "true",
    }


def _corpus(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ["AICX_HOME"]).expanduser() if environ.get("AICX_HOME") else home / ".aicx"


def _check_home(home: Path) -> None:
    """Refuses what is no folder, and a name that is no UTF-8, which no index, JSON or protocol could give as it is."""
    try:
        str(home).encode()
    except UnicodeEncodeError:
        name = os.fsencode(home).decode("utf-8", "replace")
        raise UsageError(f"the corpus cannot lie in {name}: no UTF-8", hint="AICX_HOME names another folder") from None
    if home.exists() and not home.is_dir():
        raise UsageError(f"{home} is not a folder", hint="move it away, or name another with AICX_HOME")
    for folder in (home, home / "locks", home / "index", home / "agents"):
        if (found := endless_in(folder)) is not None:
            raise CorpusDamaged(f"{found} is not a regular file: reading it might never end", hint=f"rm {found}")


def _editor_data(environ: Mapping[str, str], home: Path) -> Path:
    """Where editors made of VS Code keep their data."""
    if sys.platform == "darwin":
        return home / "Library/Application Support"
    if sys.platform == "win32":
        return _folder(environ, "APPDATA", home / "AppData/Roaming")
    return _folder(environ, "XDG_CONFIG_HOME", home / ".config")


def _folder(environ: Mapping[str, str], name: str, default: Path) -> Path:
    return Path(environ[name]).expanduser() if environ.get(name) else default


def _read_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    # Imported here: most people have no such file, and every command would pay for it.
    import tomllib

    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}", hint="mend it or move it away") from error
    for name, value in values.items():
        if name not in _DEFAULTS:
            raise UsageError(f"{path}: unknown setting {name!r}", hint=f"known: {', '.join(sorted(_DEFAULTS))}")
        wanted = type(_DEFAULTS[name])
        if not isinstance(value, wanted) and not (wanted is float and isinstance(value, int)):
            raise UsageError(f"{path}: {name} must be a {wanted.__name__}, not {value!r}")
    if values.get("continuity_layout", "aicx") not in ("aicx", "claude"):
        raise UsageError(f"{path}: continuity_layout must be aicx or claude, not {values['continuity_layout']!r}")
    lines = values.get("continuity_lines", MIN_LINES)
    if isinstance(lines, bool) or not MIN_LINES <= lines <= MAX_LINES:
        raise UsageError(f"{path}: continuity_lines must be from {MIN_LINES} to {MAX_LINES}, not {lines}")
    return values
