"""Settings: the only module that reads the environment and ``config.toml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aicx.errors import UsageError
from aicx.paths import Layout
from aicx.types import AgentHomes

_DEFAULTS: dict[str, Any] = {"redact_secrets": True, "lock_wait_seconds": 120.0, "workers": 0}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may differ between two runs, gathered once at the door."""

    user_home: Path
    layout: Layout
    homes: AgentHomes
    redact_secrets: bool = True
    lock_wait_seconds: float = 120.0
    workers: int = 1  # processes that read logs beside the one that writes


def load_settings(environ: Mapping[str, str] = os.environ, user_home: Path | None = None) -> Settings:
    """Settings from the environment over ``config.toml`` over the defaults."""
    home = user_home or Path(environ.get("HOME") or Path.home())
    layout = Layout(Path(environ["AICX_HOME"]).expanduser() if environ.get("AICX_HOME") else home / ".aicx")
    values = _DEFAULTS | _read_file(layout.config_file)
    return Settings(
        user_home=home,
        layout=layout,
        homes=AgentHomes(
            claude=_folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude"),
            codex=_folder(environ, "CODEX_HOME", home / ".codex"),
            gemini=home / ".gemini",
        ),
        redact_secrets=bool(values["redact_secrets"]),
        lock_wait_seconds=float(values["lock_wait_seconds"]),
        # One core is left for the writing process; more than four readers would only wait for it.
        workers=int(values["workers"]) or min(4, os.cpu_count() or 1),
    )


def _folder(environ: Mapping[str, str], name: str, default: Path) -> Path:
    return Path(environ[name]).expanduser() if environ.get(name) else default


def _read_file(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    # Imported here: most people have no such file, and every command would pay for it.
    import tomllib

    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}", hint="mend it or move it away") from error
    for name, value in values.items():
        if name not in _DEFAULTS:
            raise UsageError(f"{path}: unknown setting {name!r}", hint=f"known: {', '.join(sorted(_DEFAULTS))}")
        wanted = type(_DEFAULTS[name])
        if not isinstance(value, wanted) and not (wanted is float and isinstance(value, int)):
            raise UsageError(f"{path}: {name} must be a {wanted.__name__}, not {value!r}")
    return values
