"""The commands as click knows them: each imported when it is called, its help short, former names hidden."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, Signature, cleandoc
from shutil import get_terminal_size
from typing import Annotated, Any

import click
import typer
from click.shell_completion import CompletionItem
from click.types import StringParamType
from typer.core import TyperArgument, TyperCommand, TyperGroup

import aicx
from aicx import console
from aicx.commands import COMMANDS, FORMER, HIDDEN, INSTEAD, SECTIONS
from aicx.commands.groups import Group
from aicx.errors import UsageError
from aicx.options import PATH, answering, call, reset
from aicx.questions import REQUIRED, Argument, Option, Questions, questions_of

# What other tools call it, for those who try that first.
CALLED_ELSEWHERE = {
    "ask": "search", "check": "doctor", "continue": "resume", "delete": "forget", "export": "reports", "find": "search",
    "grep": "search", "import": "store", "info": "status", "ingest": "store", "mcp": "serve", "query": "search",
    "recall": "search", "setup": "init", "stats": "status", "sync": "store", "ui": "serve", "update": "store",
    "view": "show", "web": "serve",
}  # fmt: skip
# The same in a group that has such a command.
_CALLED_ELSEWHERE_IN_GROUPS = {
    "add": "start", "begin": "start", "complete": "close", "create": "start", "done": "close", "edit": "update",
    "end": "close", "finish": "close", "new": "start",
}  # fmt: skip

_HELP_NAMES = ["-h", "--help"]
_HELP = (*_HELP_NAMES, "--help-all")
_MAX_SUMMARY = 200  # characters; the first sentence of a help, which may take two lines
# Columns of a help: names up to this are beside what they mean, unless all of it is narrow.
_WIDEST_NAME, _NARROW, _INDENT = 30, 58, 4
_MIN_COLUMNS = 50  # below this click has no rows of its own
_EXAMPLE = "Example: "
# How many examples and options a short help has; and the options that come first where a command has them.
_EXAMPLES, _OPTIONS = 2, 5
_USUAL = (
    *("--task", "--status", "--by", "--why", "--next", "--yes", "--dry-run", "--project", "--since", "--agent"),
    *("--limit", "--json", "--verbose", "--full", "--file"),
)
_ALL = "aicx.help-all"


def _show_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show everything: all options, and how it works.",
)


def _former(ctx: click.Context) -> str | None:
    """The line that is the help of a former name."""
    name = " ".join(ctx.command_path.split()[1:])
    if name not in FORMER:
        return None
    new = FORMER[name]
    asked = new if is_instead(new) else new.partition(" --")[0]
    return f"`aicx {name}` is now `aicx {new}`, which does the same. Next: aicx {asked} --help"


def is_instead(words: str) -> bool:
    """Whether these words are a command with options that ask for something else in its place."""
    command, _, options = words.partition(" ")
    return options in INSTEAD.get(command, {})


class _Taught(click.Command):
    """A command whose help is one sentence, two examples and the usual options; `--help-all` shows the rest."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """The same names always: click keeps the option that it makes for the first context, whatever that one has."""
        ctx.help_option_names = _HELP_NAMES
        return super().get_help_option_names(ctx)

    def get_help(self, ctx: click.Context) -> str:
        columns = get_terminal_size().columns
        if columns - 2 < _MIN_COLUMNS:  # click would fill rows of 50 all the same, which the terminal then breaks again
            ctx.terminal_width = max(columns - 2, 1)
        return console.fitting(_former(ctx) or super().get_help(ctx), sys.stdout)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(_ALL):
            super().format_help_text(ctx, formatter)
            return
        lines = cleandoc(self.help or "").replace("\b\n", "").splitlines()
        sentence = " ".join(" ".join(lines).partition(f" {_EXAMPLE}")[0].split()).partition(". ")[0]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"{sentence.rstrip('.')}.")
            formatter.write_paragraph()
            for line in [line for line in lines if line.startswith(_EXAMPLE)][:_EXAMPLES]:
                formatter.write_text(line)


def _write_rows(formatter: click.HelpFormatter, rows: Sequence[tuple[str, str]]) -> None:
    """A list of names and what each is, side by side; on a narrow terminal the one below the other."""
    formatter.write_dl(rows, col_max=_WIDEST_NAME if formatter.width > _NARROW else _INDENT)


class PathText(StringParamType):
    """Text that names what is on disk, with the bytes that are not UTF-8 as Python has them: lone surrogates."""


class Word(StringParamType):
    """Text that is no `PathText`: lone surrogates, which only paths may hold, become question marks."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Asking(click.Option):
    """An option that asks for something else in the place of its command; the help has it in a list of its own."""

    def get_help_record(self, ctx: click.Context) -> None:
        return None


class Command(_Taught, TyperCommand):
    """A command whose help has its options in groups: its own, which chunks it is about, and how it prints."""

    instead: Mapping[str, tuple[str, str]] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # Click leaves it out where an option lacks its value; the hint names the command.
            error.ctx = error.ctx or ctx
            raise

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: they are among the options, where click 8.5 lists them a second time."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = [(one, row) for one in self.get_params(ctx) if (row := one.get_help_record(ctx)) is not None]
        few = shown if ctx.meta.get(_ALL) else _usual(shown)
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter, row in few:
            own = "Arguments" if isinstance(parameter, click.Argument) else "Options"
            panel = getattr(parameter, "rich_help_panel", None) if few is shown else None
            groups.setdefault(panel or own, []).append(row)
        for title in sorted(groups, key=["Arguments", "Options"].__contains__, reverse=True):
            with formatter.section(title):
                _write_rows(formatter, groups[title])
        if self.instead:
            with formatter.section("Instead"):
                _write_rows(formatter, [(options, line) for options, (_, line) in self.instead.items()])
        if few is not shown:
            formatter.write_paragraph()
            left = len(shown) - len(few)
            formatter.write_text(f"{left} more options, and how it works: {ctx.command_path} --help-all")


def _usual(shown: list[tuple[click.Parameter, tuple[str, str]]]) -> list[tuple[click.Parameter, tuple[str, str]]]:
    """The arguments and the options that are used most: those that are usual everywhere, then the first of its own."""

    def rank(at: int) -> tuple[int, int]:
        parameter, (_, said) = shown[at]
        known = [_USUAL.index(name) for name in parameter.opts if name in _USUAL]
        again = said.startswith("The same as ") or bool(set(parameter.opts) & set(_HELP))
        return (len(_USUAL) + 1 if again else min(known, default=len(_USUAL))), at

    options = [at for at, (one, _) in enumerate(shown) if isinstance(one, click.Option)]
    first = sorted(options, key=rank)[:_OPTIONS]
    return [shown[at] for at in range(len(shown)) if at not in options] + [shown[at] for at in first]


class LazyGroup(_Taught, TyperGroup):
    """Knows its commands by name and imports only the one that is called."""

    table: Mapping[str, str]
    default: str | None = None  # the command that is meant where none is named

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def shown(self, ctx: click.Context) -> list[str]:
        """The commands that the help lists: all but former names."""
        path = " ".join(ctx.command_path.split()[1:])
        return [name for name in self.table if f"{path} {name}".strip() not in FORMER]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands that begin so; former names where nothing else does."""
        shown = [name for name in self.shown(ctx) if name.startswith(incomplete)]
        names = shown or [name for name in self.table if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or click.Command.shell_complete(self, ctx, incomplete)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A shell that completes the first word is offered the commands, not what goes with one that may be left out.
        is_begun = self.name and (args or not ctx.resilient_parsing)
        return super().parse_args(ctx, self._command_first(args) if is_begun else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and not args[0].startswith("-"):
            raise _no_such_command(args[0], self, ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        name, _, function = self.table[cmd_name].partition(":")
        found = getattr(import_module(name), function or "command")
        return _group(cmd_name, found) if isinstance(found, Group) else _command(cmd_name, found)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(_ALL):
            super().format_options(ctx, formatter)
            return
        self.format_commands(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(f"How it works: {ctx.command_path} --help-all")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.shown(ctx)]
        with formatter.section("Commands"):
            _write_rows(formatter, [(name, row.get_short_help_str(_MAX_SUMMARY)) for name, row in commands if row])

    def _command_first(self, args: list[str]) -> list[str]:
        """The command may follow its options, and may be left out where there is a default."""
        if not args and self.default is None:
            return ["--help"]
        if args and args[0] in _HELP:
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
        return command is not None and takes_next(command, args[at - 1])


def takes_next(command: click.Command, word: str) -> bool:
    """Whether ``word`` is an option of ``command`` whose value is the next word."""
    return any(isinstance(one, click.Option) and not one.is_flag and word in one.opts for one in command.params)


class Root(LazyGroup):
    """All of aicx."""

    table = COMMANDS

    def shown(self, ctx: click.Context) -> list[str]:
        return [name for name in self.table if name not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if cmd_name in INSTEAD and isinstance(command, Command) and not command.instead:
            command.instead = INSTEAD[cmd_name]
            command.params += _options(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As of every group; where options ask for something else in the place of a command, that."""
        name, command, rest = super().resolve_command(ctx, args)
        for options in sorted(INSTEAD.get(name or "", ()), key=len, reverse=True):
            left = _without(options.split(), rest, command)
            if left is not None:
                words = INSTEAD[name or ""][options][0].split()
                target: click.Command | None = self
                while words and not words[0].startswith("-"):
                    assert isinstance(target, LazyGroup)
                    target = target.get_command(ctx, words.pop(0))
                assert target is not None
                return f"{name} {options}", target, [*words, *left]
        return name, command, rest

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("aicx", "COMMAND [OPTIONS]")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(_ALL):
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        formatter.write_text((self.help or "").partition("\n")[0])
        formatter.write_text("`aicx` alone shows where to begin; each COMMAND has --help and --help-all.")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(_ALL):
            super().format_options(ctx, formatter)
        else:
            self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section, with one line each; none has to be imported for it."""
        width = max(map(len, self.shown(ctx)))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), line) for name, (_, line) in commands.items()])


def _without(options: Sequence[str], args: Sequence[str], command: click.Command | None) -> list[str] | None:
    """The arguments without ``options``; None where one of them is not there. What follows `--` are no options."""
    end = args.index("--") if "--" in args else len(args)
    left, more = list(args[:end]), list(args[end:])
    wanted = " ".join(options).replace(" --", "\0--").split("\0")
    for option, _, value in (one.partition(" ") for one in wanted):
        at = next((at for at, word in enumerate(left) if word in (option, f"{option}={value}")), None)
        if at is None or (at and command and takes_next(command, left[at - 1])):
            return None
        size = 2 if value and left[at] == option else 1
        if size == 2 and left[at + 1 : at + 2] != [value]:
            return None
        del left[at : at + size]
    return left + more


def _options(command: Command) -> Iterator[click.Option]:
    """The options that ask for something else in the place of ``command``, so that shells offer them."""
    known = {name for one in command.params for name in one.opts}
    values: dict[str, list[str]] = {}
    for options in command.instead:
        for option, _, value in (one.partition(" ") for one in options.replace(" --", "\0--").split("\0")):
            values.setdefault(option, []).extend([value] if value else [])
    for option in values.keys() - known:
        words = values[option]
        kind: dict[str, Any] = {"type": click.Choice([*words, "chunks"])} if words else {"is_flag": True}
        yield _Asking([option], expose_value=False, callback=_not_alone, **kind)


def _not_alone(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Refuses an option that only counts beside others."""
    if value and value != "chunks":
        option = parameter.opts[0]
        beside = next(one for one in INSTEAD[ctx.command.name or ""] if option in one.split())
        raise click.UsageError(f"{option} goes with others: {beside}", ctx)


@cache  # of commands, too: a process that runs several, as tests do, builds each once
def _group(name: str, of: Group) -> LazyGroup:
    group = LazyGroup(name=name, help=_examples_apart(of.help), rich_markup_mode=None)
    group.table, group.default = of.commands, of.default
    return group


@cache
def _command(name: str, given_function: Callable[..., Any]) -> Command:
    function = answering(given_function)
    asked = questions_of(function)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=Command)(_typed(function, asked))
    command = typer.main.get_command(single)
    assert isinstance(command, Command)
    command.name = name
    helps = {one.name: one.more.get("help") for one in asked}
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):  # with click 8.5 it forgets what typer was told of it
            parameter.help = helps[parameter.name or ""]
        if parameter.type is click.STRING:
            parameter.type = Word()
    command.help = _examples_apart(command.help or "")
    command.params += _exactness(command)
    return command


def _typed(function: Callable[..., Any], asked: Questions) -> Callable[..., Any]:
    """The command with the parameters that typer reads of it."""

    @wraps(function)
    def typed(**given: Any) -> Any:
        return call(function, given)

    parameters = [
        Parameter(
            one.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if one.default is REQUIRED else one.default,
            annotation=Annotated[one.kind, _said(one)],
        )
        for one in asked
    ]
    typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    typed.__annotations__ = {one.name: one.annotation for one in parameters}
    return typed


def _said(option: Option) -> Any:
    """An option or an argument as typer has it."""
    more = dict(option.more)
    if more.get("click_type") == PATH:
        more["click_type"] = PathText()
    return (typer.Argument if isinstance(option, Argument) else typer.Option)(*option.names, **more)


def _exactly(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> bool:
    console.Style.exact = wanted
    return wanted


def _exactness(command: Command) -> Iterator[click.Option]:
    """`-v` for what prints times: with it they are exact, where a command has one of its own as well."""
    own = {parameter.name: parameter for parameter in command.params}
    if "verbose" in own:
        own["verbose"].callback = _exactly
    elif "utc" in own:
        yield click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_exactly,
            help="Show exact dates and times, also on a terminal.",
        )


def _examples_apart(text: str) -> str:
    """Examples are lines of their own; `\b` is how click is told not to fill them into a paragraph."""
    return text.replace("\n\nExample: ", "\n\n\b\nExample: ")


def _no_such_command(name: str, group: LazyGroup, ctx: click.Context) -> UsageError:
    """Returns what to raise, with the command that was probably meant."""
    from difflib import get_close_matches

    prefix = "".join(f"{word} " for word in ctx.command_path.split()[1:])
    near = next(iter(get_close_matches(name, group.table, 1)), None)
    if near is None:
        called = (_CALLED_ELSEWHERE_IN_GROUPS if group.name else CALLED_ELSEWHERE).get(name.lower())
        near = called if called in group.table else None
    if near is None:
        return UsageError(f"There is no command {prefix + name!r}.", hint=f"aicx {prefix}--help")
    return UsageError(
        f"There is no command {prefix + name!r}. Did you mean {prefix + near!r}?", hint=f"aicx {prefix}{near} --help"
    )


app = typer.Typer(cls=Root, rich_markup_mode=None)


def _version(wanted: bool) -> None:
    if wanted:
        from aicx.installation import clash  # imported here: only this and `doctor` look for it

        console.out(f"aicx {aicx.__version__}")
        if other := clash():
            console.warn(other)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR=1.")] = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Keep the logs of your coding agents as a corpus you own, and search it.

    Start with `aicx store`, which reads the logs of the agents on this machine and changes none of them. Then try
    `aicx resume` in a repository, or `aicx search QUESTION`. `aicx demo` shows it all on invented logs.

    The corpus is in ~/.aicx, or in the folder named by AICX_HOME. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not
    found, 4 optional part missing, 5 another writer is busy, 6 cannot write, 7 a stored file is damaged, 8 a log cannot
    be read, 9 a memory policy is malformed, 10 a newer aicx wrote the home, 70 a bug in aicx, 130 interrupted.
    """
    reset(color=console.wants_color(os.environ) and not no_color)
    if ctx.invoked_subcommand is None:
        from aicx.commands import begin

        begin.command()


@cache
def tree() -> click.Command:
    """The whole command line."""
    return typer.main.get_command(app)
