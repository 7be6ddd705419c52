"""The table of agents: what shows that one is on this machine, and which of its files `init` changes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

from aicx import config
from aicx.agents import LANES
from aicx.brief import to_check
from aicx.installation import program
from aicx.managed.settings_text import JSON, TOML, SettingsFormat, WantedHooks
from aicx.values import dataclass

# In seconds: the hook gives up by itself before, so this only bounds what the agent waits for a machine that hangs.
_TIMEOUT = 3

SettingsFile = tuple[Path, SettingsFormat]


class Servers(NamedTuple):
    """An agent's list of MCP servers: the file, and the ``key`` of the list in it.

    ``extra`` is what an entry has besides a command, ``next`` what a person does for the agent to notice.
    """

    file: Callable[[config.Settings], Path]
    key: str = "mcpServers"
    extra: Mapping[str, str] = {"type": "stdio"}
    next: str = "start a new session; /mcp lists it"


class Moment(NamedTuple):
    """An agent's name of an event, and the tools for which it is called; None for an event that is about no tool."""

    event: str
    tools: str | None = None


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """``instructions`` is the file, relative to the repository, that the agent reads at the start of a session.

    ``older`` are files that it is taken for where one of them is there. ``traces`` are what it leaves on a machine.
    ``events`` are its names of the moments in which `aicx hook` is called, ``timeout`` the greatest time it then waits,
    in its own unit, ``extra`` what else is in each hook. ``recall`` are its moments of the lanes in which it can be
    told something unasked. ``settings`` is the file with its hooks, None for an agent
    without any; one outside the repository is shared by all repositories. ``team_settings`` is the file in the
    repository that takes its place where the hooks are for all who work there. ``next`` is what a person has to do
    after `init`. ``servers`` is its list of MCP servers, None for an agent that `init --mcp` does not know.
    """

    title: str
    instructions: str
    traces: Callable[[config.Settings, Path], list[Path]]
    events: Mapping[str, str] = field(default_factory=dict)
    recall: Mapping[str, Moment] = field(default_factory=dict)
    timeout: int = _TIMEOUT
    extra: Mapping[str, str] = field(default_factory=dict)
    settings: Callable[[config.Settings, Path], SettingsFile] | None = None
    team_settings: str | None = None
    older: tuple[str, ...] = ()
    notifies: bool = False
    next: str = ""
    servers: Servers | None = None


def _claude_servers(settings: config.Settings) -> Path:
    """Beside the folder of settings by default; inside it where CLAUDE_CONFIG_DIR names another."""
    default = settings.user_home / ".claude"
    folder = settings.user_home if settings.homes.claude == default else settings.homes.claude
    return folder / ".claude.json"


def _codex_settings(settings: config.Settings, _: Path) -> SettingsFile:
    """Codex reads hooks from two files and warns where both have some, so those in use stay the only ones."""
    folder = settings.homes.codex
    return (folder / "hooks.json", JSON) if (folder / "hooks.json").exists() else (folder / "config.toml", TOML)


FINDS = b"command -v aicx"
# By its name no settings of a team.
OF_ONE_MACHINE = ".claude/settings.local.json"
_EVENTS = {"SessionStart": "session-start", "PreCompact": "pre-compact", "SessionEnd": "session-end", "Stop": "stop"}
AGENTS = {
    "claude": AgentDefinition(
        "Claude Code",
        "CLAUDE.md",
        lambda settings, root: [settings.homes.claude, root / ".claude"],
        _EVENTS,
        # The command names aicx where it is on this machine, so it is not for the settings that a team shares.
        settings=lambda settings, root: (root / OF_ONE_MACHINE, JSON),
        team_settings=".claude/settings.json",
        recall={
            "prompt": Moment("UserPromptSubmit"),
            "command": Moment("PostToolUseFailure", "Bash"),
            "edit": Moment("PreToolUse", "Edit|MultiEdit|Write|NotebookEdit"),
        },
        next="start a new session in the repository's root",
        servers=Servers(_claude_servers),
    ),
    "codex": AgentDefinition(
        "Codex",
        "AGENTS.md",
        lambda settings, root: [settings.homes.codex],
        _EVENTS,
        {
            "prompt": Moment("UserPromptSubmit"),
            "command": Moment("PostToolUse", "Bash"),
            "edit": Moment("PreToolUse", "apply_patch|Edit|Write"),
        },
        settings=_codex_settings,
        notifies=True,
        next="start a session at a terminal, and agree to the new hooks when it asks: until then it runs none of them",
        servers=Servers(lambda settings: settings.homes.codex / "config.toml", "mcp_servers", {}),
    ),
    "gemini": AgentDefinition(
        "Gemini CLI",
        "GEMINI.md",
        lambda settings, root: [settings.homes.gemini, root / ".gemini"],
        {
            "SessionStart": "session-start",
            "PreCompress": "pre-compact",
            "SessionEnd": "session-end",
            "AfterAgent": "stop",
        },
        # Before a tool it takes no context.
        {"prompt": Moment("BeforeAgent"), "command": Moment("AfterTool", "run_shell_command")},
        timeout=_TIMEOUT * 1000,
        extra={"name": "aicx"},
        settings=lambda settings, root: (root / ".gemini" / "settings.json", JSON),
        team_settings=".gemini/settings.json",
        next="trust the folder when it asks",
        servers=Servers(lambda settings: settings.homes.gemini / "settings.json", extra={}),
    ),
    "copilot": AgentDefinition(
        "GitHub Copilot",
        ".github/copilot-instructions.md",
        lambda settings, root: [
            settings.user_home / ".copilot",
            settings.user_home / ".config" / "github-copilot",
            root / ".github" / "copilot-instructions.md",
        ],
    ),
    "cursor": AgentDefinition(
        "Cursor",
        ".cursor/rules/aicx.mdc",
        lambda settings, root: [settings.user_home / ".cursor", root / ".cursor", root / ".cursorrules"],
        older=(".cursor/rules", ".cursorrules"),
        servers=Servers(
            lambda settings: settings.user_home / ".cursor" / "mcp.json",
            next="look for it in Cursor's settings, under MCP",
        ),
    ),
    # Most agents read this file, or can be told to.
    "generic": AgentDefinition("Any other agent", "AGENTS.md", lambda settings, root: []),
}
SERVERS = {name: agent.servers for name, agent in AGENTS.items() if agent.servers}
BLOCK = f"""
## What was done here before

aicx keeps the sessions of coding agents in this repository. Where a session does not begin with their brief, run
`aicx resume --task "GOAL"` first: it says what was done, what failed, and where to look.

- `aicx search "QUESTION"` finds what an earlier session said or did, `aicx why FILE:LINE` the reason for a line.
- What they quote is {to_check()}.
- Where `aicx` is not installed, go on without it: nothing else here depends on it.

`aicx init` wrote this block, and `aicx init --undo` removes it.
"""


def on_this_machine(settings: config.Settings, root: Path) -> list[str]:
    """The agents that left traces in the person's home or in the repository."""
    return [name for name, agent in AGENTS.items() if any(path.exists() for path in agent.traces(settings, root))]


def wanted(name: str, settings: config.Settings, *, portable: bool, lanes: Collection[str] = ()) -> WantedHooks:
    """The hooks of one agent: they start this very aicx on this very corpus, if ``portable`` the one of any machine.

    ``lanes`` are those in which its sessions are told something unasked.
    """
    agent = AGENTS[name]
    command = _portable if portable else _command
    unasked = [(lane, moment) for lane, moment in agent.recall.items() if lane in lanes]
    matchers = {moment.event: moment.tools for _, moment in unasked if moment.tools is not None}
    hooks = {
        its_event: {
            **agent.extra,
            "type": "command",
            "command": command(settings, event, name),
            "timeout": agent.timeout,
        }
        for its_event, event in (*agent.events.items(), *((moment.event, LANES[lane]) for lane, moment in unasked))
    }
    home = [f"{name}={value}" for name, value in _environment(settings).items()]
    notify = [*(["env", *home] if home else []), *program(), "hook", "notify", "--agent", name]
    return WantedHooks(hooks, notify if agent.notifies else (), matchers)


def entry(servers: Servers, settings: config.Settings) -> dict[str, Any]:
    """The entry that makes the agent start this very aicx on this very corpus, whatever its own environment is."""
    command, *arguments = program()
    found = {**servers.extra, "command": command, "args": [*arguments, "serve"]}
    environment = _environment(settings)
    return {**found, "env": environment} if environment else found


def _command(settings: config.Settings, event: str, agent: str) -> str:
    """A line for a shell that says nothing but an answer and ends well, also where aicx is not there any more."""
    home = [f"{name}={shlex.quote(value)}" for name, value in _environment(settings).items()]
    words = shlex.join([*program(), "hook", event, "--agent", agent])
    return f"{' '.join([*home, words])} 2>/dev/null || true"


def _portable(settings: config.Settings, event: str, agent: str) -> str:
    """Such a line that names nothing of this machine: it does nothing where no aicx is on the PATH.

    One that the PATH finds in the folder one stands in is not run: it came with the clone.
    """
    return f'case $({FINDS.decode()}) in "$PWD"/*) ;; /*) aicx hook {event} --agent {agent} ;; esac 2>/dev/null || true'


def _environment(settings: config.Settings) -> dict[str, str]:
    """Returns the variables that make a command use this corpus; none where aicx finds it by itself."""
    home = settings.layout.home.absolute()
    return {} if home == settings.user_home.absolute() / ".aicx" else {"AICX_HOME": str(home)}
