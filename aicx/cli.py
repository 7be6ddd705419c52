"""The command line: one table of commands, each imported only when it is called, and the boundary for errors."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, get_args

import click
import typer
from click.types import StringParamType
from typer.core import TyperArgument, TyperCommand, TyperGroup

import aicx
from aicx import console
from aicx.errors import AicxError, NotFound, StoreUnwritable, UsageError
from aicx.text import Zone

# Section of the help -> command -> its place and what it does, in a line. The place is a "module" with a function
# `command`, or "module:function". A module with a table COMMANDS of its own is a group: `aicx index status`.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask": {
        "resume": ("aicx.commands.resume", "Brief a new session on what was done here and what is open."),
        "search": ("aicx.commands.search", "Find the passages that answer a question."),
        "why": ("aicx.commands.why", "From a commit, file or line to the session and its reason."),
        "sessions": ("aicx.commands.sessions", "List sessions, what each came from, and where it stands."),
        "show": ("aicx.commands.show", "Read one chunk, or a session as a conversation."),
        "steer": ("aicx.commands.steer", "List chunks by project, date, branch, file or run."),
        "rank": ("aicx.commands.rank", "Catch up: a project's decisions, reasons and results."),
        "map": ("aicx.commands.map", "Map a repository: where to look first for a task."),
        "failures": ("aicx.commands.failures", "Show what failed before, and what resolved it."),
        "memory": ("aicx.commands.memory", "Keep what is worth believing: proposed by anybody, agreed by you."),
        "review": ("aicx.commands.review", "Decide what of the work is kept: candidates, step by step."),
    },
    "Continue": {
        "task": ("aicx.commands.task", "Keep the state of your work: goal, proof, what comes next, by branch."),
        "continuity": ("aicx.commands.continuity", "Keep a short note of the work that you edit and sessions read."),
        "next": ("aicx.commands.next", "Say in one line what to do next here."),
        "prepare": ("aicx.commands.prepare", "Begin a session: banner, brief, open tasks and a contract."),
        "finalize": ("aicx.commands.finalize", "End a session: a handoff, and how the contract was kept."),
        "run": ("aicx.commands.run", "Run a program with its context, and record what it did."),
        "usage": ("aicx.commands.usage", "Count sessions, handoffs, contracts and failures here."),
        "boot": ("aicx.commands.boot", "Show what a session would begin with here, and why."),
        "pack": ("aicx.commands.pack", "Bundle a task or a repository's sessions under one digest."),
        "cas": ("aicx.commands.cas", "Keep bytes under their SHA-256: packs, and what you cite."),
    },
    "Store": {
        "store": ("aicx.commands.store", "Read the agents' logs and store what is new."),
        "index": ("aicx.commands.index", "Embed the corpus, so that search also matches by meaning."),
        "all": ("aicx.commands.store:every_agent", "Store the logs of every agent; the same as `aicx store`."),
        "claude": ("aicx.commands.store:claude", "Store the logs of Claude Code."),
        "codex": ("aicx.commands.store:codex", "Store the logs of Codex."),
        "gemini": ("aicx.commands.store:gemini", "Store the logs of Gemini CLI and Antigravity."),
    },
    "Look after": {
        "state": ("aicx.commands.state", "Show how much is stored, from when, and how fresh it is."),
        "doctor": ("aicx.commands.doctor", "Check everything stored, and repair it with --fix."),
        "projects": ("aicx.commands.projects", "See which repository each folder belongs to, and decide it."),
        "refs": ("aicx.commands.refs", "List the stored projects."),
        "list": ("aicx.commands.list", "List the agents' logs on this machine."),
        "forget": ("aicx.commands.forget", "Remove a session, a project or a text for good."),
    },
    "Connect and hand on": {
        "init": ("aicx.commands.init", "Set the agents of a repository up: a brief at the start, logs stored."),
        "clean": ("aicx.commands.clean", "Take out of a repository what init put in."),
        "install": ("aicx.commands.install", "Let an agent search the corpus: add aicx to its MCP servers."),
        "hook": ("aicx.commands.hook", "Answer a hook of an agent; `aicx init` writes the calls."),
        "uninstall": ("aicx.commands.uninstall", "Take aicx out of every repository and agent; what is stored stays."),
        "serve": ("aicx.commands.serve", "Answer agents over the Model Context Protocol."),
        "dashboard": ("aicx.commands.dashboard", "Search and read in the browser."),
        "extract": ("aicx.commands.extract", "Turn one log or session into a readable report."),
        "reports": ("aicx.commands.reports", "List workflow reports, or make one page of them."),
    },
    "Try out": {
        "demo": ("aicx.commands.demo", "Show the main job on invented logs."),
        "bench": ("aicx.commands.bench", "Measure how well each way of searching finds the right answer."),
    },
}
COMMANDS = {name: place for section in SECTIONS.values() for name, (place, _) in section.items()}

# What other tools call it, for those who try that first.
_CALLED_ELSEWHERE = {
    "ask": "search", "check": "doctor", "continue": "resume", "delete": "forget", "export": "extract", "find": "search",
    "grep": "search", "import": "store", "info": "state", "ingest": "store", "mcp": "serve", "query": "search",
    "recall": "search", "setup": "install", "stats": "state", "status": "state", "sync": "store",
    "ui": "dashboard", "update": "store", "view": "show", "web": "dashboard",
}  # fmt: skip
# The same in a group that has such a command.
_CALLED_ELSEWHERE_IN_GROUPS = {
    "add": "start", "begin": "start", "complete": "close", "create": "start", "done": "close", "edit": "update",
    "end": "close", "finish": "close", "new": "start",
}  # fmt: skip

_CONTEXT = {"help_option_names": ["-h", "--help"]}
_LONGEST_SUMMARY = 200  # characters; the first sentence of a help, which may take two lines
_INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class _Word(StringParamType):
    """Text that is no `options.PATH`: lone surrogates, which only paths may hold, become question marks."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Command(TyperCommand):
    """A command whose help has its options in groups: its own, which chunks it is about, and how it prints."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # Click leaves it out where an option lacks its value; the hint names the command.
            error.ctx = error.ctx or ctx
            raise

    def get_help(self, ctx: click.Context) -> str:
        return console.fitting(super().get_help(ctx), sys.stdout)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: they are among the options, where click 8.5 lists them a second time."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is None:
                continue
            own = "Arguments" if isinstance(parameter, click.Argument) else "Options"
            groups.setdefault(getattr(parameter, "rich_help_panel", None) or own, []).append(row)
        for title in sorted(groups, key=["Arguments", "Options"].__contains__, reverse=True):
            with formatter.section(title):
                formatter.write_dl(groups[title])


class LazyGroup(TyperGroup):
    """Knows its commands by name and imports only the one that is called."""

    table: Mapping[str, str]
    default: str | None = None  # the command that is meant where none is named

    def get_help(self, ctx: click.Context) -> str:
        return console.fitting(super().get_help(ctx), sys.stdout)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._command_first(args) if self.name else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and not args[0].startswith("-"):
            raise _no_such_command(args[0], self)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        name, _, function = self.table[cmd_name].partition(":")
        module = import_module(name)
        if hasattr(module, "COMMANDS"):
            return _group(cmd_name, module)
        return _command(cmd_name, getattr(module, function or "command"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.table]
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.get_short_help_str(_LONGEST_SUMMARY)) for name, row in commands if row])

    def _command_first(self, args: list[str]) -> list[str]:
        """The command may follow its options, and may be left out where there is a default."""
        if not args and self.default is None:
            return ["--help"]
        if args and args[0] in ("-h", "--help"):
            return args
        options = args[: args.index("--")] if "--" in args else args
        named = next((word for word in options if word in self.table), None)
        if named and args[0].startswith("-") and self._is_value(options, options.index(named)):
            named = None
        if named is None:
            is_option = not args or args[0].startswith("-")
            return [self.default, *args] if self.default and is_option else args
        if args[0].startswith("-"):
            at = args.index(named)
            return [named, *args[:at], *args[at + 1 :]]
        return args

    def _is_value(self, args: Sequence[str], at: int) -> bool:
        """Whether the word at ``at`` is what an option of the default command takes: `-p search` names a project."""
        command = self.get_command(click.Context(self), self.default) if self.default else None
        return any(
            isinstance(one, click.Option) and not one.is_flag and args[at - 1] in one.opts
            for one in (command.params if command else ())
        )


@cache  # of commands, too: a process that runs several, as tests do, builds each once
def _group(name: str, module: ModuleType) -> LazyGroup:
    """The group of commands that ``module`` describes."""
    group = LazyGroup(name=name, help=_examples_apart(module.HELP), rich_markup_mode=None, context_settings=_CONTEXT)
    group.table, group.default = module.COMMANDS, module.DEFAULT
    return group


@cache
def _command(name: str, function: Callable[..., None]) -> TyperCommand:
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=_Command)(function)
    command = typer.main.get_command(single)
    assert isinstance(command, TyperCommand)
    command.name = name
    said = signature(function, eval_str=True).parameters
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):  # with click 8.5 it forgets what typer was told of it
            known = get_args(said[parameter.name or ""].annotation)
            parameter.help = next((one.help for one in known if hasattr(one, "help")), None)
        if parameter.type is click.STRING:
            parameter.type = _Word()
    command.help = _examples_apart(command.help or "")
    return command


def _examples_apart(text: str) -> str:
    """Examples are lines of their own; `\b` is how click is told not to fill them into a paragraph."""
    return text.replace("\n\nExample: ", "\n\n\b\nExample: ")


def _no_such_command(name: str, group: LazyGroup) -> UsageError:
    """What to raise, with the command that was probably meant."""
    from difflib import get_close_matches

    prefix = f"{group.name} " if group.name else ""
    near = next(iter(get_close_matches(name, group.table, 1)), None)
    if near is None:
        called = (_CALLED_ELSEWHERE_IN_GROUPS if group.name else _CALLED_ELSEWHERE).get(name.lower())
        near = called if called in group.table else None
    if near is None:
        return UsageError(f"There is no command {prefix + name!r}.", hint=f"aicx {prefix}--help")
    return UsageError(
        f"There is no command {prefix + name!r}. Did you mean {prefix + near!r}?", hint=f"aicx {prefix}{near} --help"
    )


class _Root(LazyGroup):
    table = COMMANDS

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section, with one line each; none has to be imported for it."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), line) for name, (_, line) in commands.items()])


app = typer.Typer(
    cls=_Root,
    rich_markup_mode=None,
    context_settings=_CONTEXT,
)


def _version(wanted: bool) -> None:
    if wanted:
        console.out(f"aicx {aicx.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR=1.")] = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Keep the logs of your coding agents as a corpus you own, and search it.

    Start with `aicx store`, which reads the logs of Claude Code, Codex, Gemini CLI and Antigravity and changes none of
    them. Then try `aicx resume` in a repository, or `aicx search QUESTION`. `aicx demo` shows it all on
    invented logs.

    The corpus is in ~/.aicx, or in the folder named by AICX_HOME. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not
    found, 4 optional part missing, 5 another writer is busy, 6 cannot write, 7 a stored file is damaged, 8 a log cannot
    be read, 9 a memory policy is malformed, 10 a newer aicx wrote the home, 70 a bug in aicx, 130 interrupted.
    """
    console.Style.color = console.wants_color(os.environ) and not no_color
    Zone.utc = False  # until a command's own `--utc`


@cache
def _tree() -> click.Command:
    return typer.main.get_command(app)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; every failure ends here as a line a person can use."""
    wants_json = "--json" in arguments or "-j" in arguments
    if isinstance(sys.stdout, TextIOWrapper):
        # As stderr does it: a file's name may be no UTF-8, and a terminal may know fewer signs than that.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        result = _tree()(args=_in_order(arguments) or ["--help"], prog_name="aicx", standalone_mode=False)
        sys.stdout.flush()
    except AicxError as error:
        _report(error.message, error.hint, type(error).__name__, wants_json)
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"{context.command_path if context else 'aicx'} --help"
        # Click lists the values to choose from below each other.
        _report(" ".join(error.format_message().split()), hint, type(error).__name__, wants_json)
        return error.exit_code
    except click.Abort:
        console.notify("stopped; nothing was changed")
        return _INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # somebody's own exit, with its own code
        # The reader had enough (`| head`), which click makes an exit. Python would complain again when closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in _FULL:
            if not _is_somewhere():
                _report("the current folder was deleted", "cd to another one", "NotFound", wants_json)
                return NotFound.exit_code
            return _internal(error, wants_json)
        # What is still to be written, and an answer in JSON, would meet the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _report(
            f"cannot write: {error.strerror}", "free some space, or write to another place", "StoreUnwritable", False
        )
        return StoreUnwritable.exit_code
    except Exception as error:  # noqa: BLE001 - the last boundary: a bug becomes a line, not a page
        return _internal(error, wants_json)
    if result == _INTERRUPTED:
        console.notify("interrupted; everything stored so far is whole")
    return result if isinstance(result, int) else 0


def _is_somewhere() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _is_clock_readable() -> bool:
    try:
        time.time()
    except OverflowError:
        return False
    return True


def _in_order(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--no-color` in front, which people write after the command as well."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--no-color" not in options:
        return list(arguments)
    plain = [argument for argument in options if argument != "--no-color"]
    return ["--no-color", *plain, *arguments[len(options) :]]


def _report(message: str, hint: str | None, kind: str, wants_json: bool) -> None:
    from aicx.redaction import redact

    message, hint = redact(message).text, hint and redact(hint).text
    if wants_json:
        from aicx.failure import SCHEMA, Failure

        console.out_answer(SCHEMA, Failure(error=message, kind=kind, hint=hint))
        return
    console.notify(f"{console.style('error:', fg='red', bold=True)} {message}")
    if hint:
        console.notify(f"{console.style(' next:', fg='cyan', bold=True)} {hint}")


def _internal(error: Exception, wants_json: bool) -> int:
    if not _is_clock_readable():
        _report(
            "the clock is set beyond the year 2262, which Python cannot read",
            "set it: date",
            "ClockUnreadable",
            wants_json,
        )
        return AicxError.exit_code
    _report(f"internal error: {type(error).__name__}: {error}", _bug_hint(), "InternalError", wants_json)
    return _INTERNAL_ERROR


def _bug_hint() -> str:
    if os.environ.get("AICX_DEBUG"):
        import traceback

        traceback.print_exc()
    return "this is a bug in aicx; AICX_DEBUG=1 shows where"
