"""Logs that an agent will delete soon, and those of them that are not stored yet.

Claude Code deletes session logs at start-up, ``cleanupPeriodDays`` (30 unless set) after they were last modified.
Gemini CLI deletes chats by ``general.sessionRetention`` (30 days unless set; older versions kept everything unless
told). Codex and Antigravity document no clean-up of their logs.

Here, and nowhere else, the modification time of a log counts: it is what the agents' clean-up goes by, or (Gemini,
whose chats are written anew with each message) as good as that. The dates of what was said never come from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from aicx.sources.door import fingerprint_of
from aicx.sources.items import LogFile
from aicx.storage import read_whole
from aicx.types import AgentHomes
from aicx.values import dataclass

# Some agents allow comments in their JSON; what looks like one in a string is none.
_STRING_OR_COMMENT = r'(?s)("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/'
SOON = timedelta(days=7)
URGENT = timedelta(hours=24)

_DEFAULT_DAYS = 30.0
_PERIOD = re.compile(r"(\d+)([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}
_MAX_DAYS_LENGTH = 100_000.0  # people write 99999 for "never"; more would leave the calendar


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """An agent's treatment of old logs. ``days`` None: it keeps them; ``most`` limits their number in a project."""

    days: float | None
    says: str
    most: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """The outlook for one agent's logs."""

    agent: str
    policy: RetentionPolicy
    logs: int
    due_soon: int
    unstored_soon: int
    unstored_urgent: int


def retention(homes: AgentHomes, logs: Iterable[LogFile], known: Mapping[str, str], now: datetime) -> list[Retention]:
    """The outlook for each agent that has logs. ``known`` are the fingerprints of the logs that are stored."""
    by_agent: dict[str, list[LogFile]] = {}
    for log in logs:
        by_agent.setdefault(log.agent, []).append(log)
    found = []
    for agent, own in sorted(by_agent.items()):
        policy = _policy(agent, homes)
        due = _due(agent, policy, own, now)
        soon = [log for log, at in due if at <= now + SOON]
        unstored = [(log, at) for log, at in due if fingerprint_of(known, log) != log.fingerprint]
        found.append(
            Retention(
                agent,
                policy,
                len(own),
                len(soon),
                sum(at <= now + SOON for _, at in unstored),
                sum(at <= now + URGENT for _, at in unstored),
            )
        )
    return found


def _due(agent: str, policy: RetentionPolicy, logs: Sequence[LogFile], now: datetime) -> list[tuple[LogFile, datetime]]:
    """The logs that the clean-up will take, each with the moment from which the next start of the agent does it."""
    swept = [(log, at) for log in logs if _is_swept(agent, log) and (at := _modified(log.path)) is not None]
    due: dict[LogFile, datetime] = {}
    if policy.days is not None:
        due = {log: at + timedelta(days=min(policy.days, _MAX_DAYS_LENGTH)) for log, at in swept}
    if policy.most is not None:
        by_folder: dict[Path, int] = {}
        for log, _ in sorted(swept, key=lambda pair: pair[1], reverse=True):
            by_folder[log.path.parent] = by_folder.get(log.path.parent, 0) + 1
            if by_folder[log.path.parent] > policy.most:
                due[log] = min(due.get(log, now), now)
    return list(due.items())


def _is_swept(agent: str, log: LogFile) -> bool:
    """Prompt histories and exported chats lie outside the folders that are cleaned."""
    return {"claude": "projects", "gemini": "chats"}.get(agent, "") in log.path.parts


def _modified(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def _policy(agent: str, homes: AgentHomes) -> RetentionPolicy:
    if agent == "claude":
        return _claude(homes.claude)
    if agent == "gemini":
        return _gemini(homes.gemini / "settings.json")
    return RetentionPolicy(None, "has no clean-up of its own")


def _claude(home: Path) -> RetentionPolicy:
    """The shorter of the two settings where both are set: which one counts depends on the folder Claude starts in."""
    found: list[tuple[float, str]] = []
    problem = None
    for name in ("settings.json", "settings.local.json"):
        settings, bad = _read_settings(home / name)
        problem = problem or bad
        value = settings.get("cleanupPeriodDays")
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            problem = problem or f"{home / name}: cleanupPeriodDays is {value!r}, which is not a number of days"
        else:
            found.append((float(value), name))
    if not found:
        return RetentionPolicy(_DEFAULT_DAYS, "deletes logs after 30 days, the default", problem=problem)
    days, name = min(found)
    if days == 0:
        # Before 2.1.89 this deleted every log at the next start and wrote no new ones; since then it is refused.
        says = f"before 2.1.89 deletes every log (cleanupPeriodDays is 0 in {name})"
        return RetentionPolicy(0.0, says, problem=problem)
    return RetentionPolicy(days, f"deletes logs after {days:g} days ({name})", problem=problem)


def _gemini(path: Path) -> RetentionPolicy:
    settings, problem = _read_settings(path)
    rules = _mapping(_mapping(settings.get("general")).get("sessionRetention"))
    if rules.get("enabled") is False:
        return RetentionPolicy(None, "keeps its chats (settings.json)")
    age, most = rules.get("maxAge"), rules.get("maxCount")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        return RetentionPolicy(
            None, "keeps its chats", problem=f"{path}: maxCount is {most!r}, so Gemini does no clean-up"
        )
    if age is None:
        days = None if most is not None and rules.get("enabled") is True else _DEFAULT_DAYS
    else:
        days = _days(age)
        if days is None:
            return RetentionPolicy(
                None, "keeps its chats", problem=f"{path}: maxAge is {age!r}, so Gemini does no clean-up"
            )
    parts = [] if days is None else [f"after {days:g} days" + ("" if age else ", the default")]
    parts += [] if most is None else [f"beyond the newest {most} of a project"]
    return RetentionPolicy(days, f"deletes chats {' and '.join(parts)}", most, problem)


def _days(period: Any) -> float | None:
    match = _PERIOD.fullmatch(period) if isinstance(period, str) else None
    return int(match[1]) * _HOURS[match[2]] / 24 if match and int(match[1]) else None


def _read_settings(path: Path) -> tuple[dict[str, Any], str | None]:
    """The settings in a file, empty where there is none, and what is wrong with the file."""
    try:
        text = read_whole(path).decode("utf-8-sig")
    except FileNotFoundError:
        return {}, None
    except (OSError, UnicodeDecodeError) as error:
        return {}, f"{path} cannot be read: {error}"
    try:
        value = orjson.loads(_without_comments(text))
    except orjson.JSONDecodeError as error:
        return {}, f"{path} is not JSON ({error}); taking the agent's defaults"
    if not isinstance(value, dict):
        return {}, f"{path} holds no settings; taking the agent's defaults"
    return value, None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _without_comments(text: str) -> str:
    """JSON with spaces in place of its comments, so that every character stays where it is."""
    return re.sub(_STRING_OR_COMMENT, lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
