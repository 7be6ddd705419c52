"""`aicx.doctor-repo/1`: whether a repository is ready for work that outlives its sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from aicx.values import dataclass

SCHEMA = "aicx.doctor-repo/1"
Status = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class RepoCheck:
    """One check."""

    name: Annotated[str, "of the check"]
    status: Annotated[Status, "`ok`, `warning` or `error`"]
    summary: Annotated[str, "what was found"]
    recommended_action: Annotated[str | None, "what to do about it"] = None
    details: Annotated[Mapping[str, Any], "figures, by name"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RepoDoctorAnswer:
    """With `error` the exit code is 1."""

    status: Annotated[str, "`ok`, `warning` or `error`: that of the worst check"]
    repo: Annotated[str, "its folder"]
    version: Annotated[str, "of aicx"]
    mode: Annotated[str, "`standard`, or `release` with `--release-readiness`"]
    checks: Annotated[list[RepoCheck], "everything that was looked at"]
    recommended_actions: Annotated[list[str], "of all checks, each once"]
