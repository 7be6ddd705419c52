"""Writes docs/commands.md and docs/old-names.md from the commands; with --check says whether they are up to date."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from aicx.commands import FORMER, HIDDEN, INSTEAD, SECTIONS
from aicx.menu import LazyGroup, app

DOCS = Path(__file__).parent
_EXAMPLE = "Example: "
_FORMER = """# Old names

<!-- Written by docs/generate_commands.py from the commands themselves; `make docs` writes it again. -->

Twenty commands took the place of forty-four. Every old name goes on working, with the same options, output and exit
code, so that hooks, cron jobs and habits stay as they are. No list shows it, shells complete it where it is begun, and
its `--help` is a line that names the new one. What follows the words of the table stays as it was:
`aicx memory hold mem:3fa29c01` is `aicx memory decide hold mem:3fa29c01`. `aicx show` tells by its reference what it is
to open: `mem:`, `work:`, `failure:`, `sha256:`, `file:`, `commit:`, a chunk or a session.

| Old | New |
|---|---|
"""
# Options that take no explaining in every single table.
_HELP_OPTION = "--help"  # and --help-all


def render() -> str:
    """The whole page. Nothing in it depends on the terminal or the machine."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="aicx")
    lines = [
        "# Commands",
        "",
        "<!-- Written by docs/generate_commands.py from the commands themselves; `make docs` writes it again. -->",
        "",
        *_description(group.help or ""),
        "",
        "```console",
        "$ aicx [--no-color] COMMAND [OPTIONS]",
        "```",
        "",
        *_table(group, context),
        "",
        "| Command | What it does |",
        "|---|---|",
    ]
    names = [name for rows in SECTIONS.values() for name in rows]
    commands = {name: _command(group, context, name) for name in (*names, *(HIDDEN.keys() - _former_roots()))}
    lines += [f"| [`{name}`](#aicx-{name}) | {_first_sentence(command)} |" for name, command in commands.items()]
    for name, command in commands.items():
        lines += ["", f"## aicx {name}", "", *_section(command, context)]
        for options in INSTEAD.get(name, ()):
            words, target, _ = group.resolve_command(context, [name, *options.split()])
            assert isinstance(target, TyperCommand)
            lines += ["", f"### aicx {words}", "", *_section(target, context, words)]
        lines += _actions(command, name, context)
    return "\n".join(lines) + "\n"


def _actions(command: TyperCommand | LazyGroup, name: str, context: typer.Context) -> Iterator[str]:
    """The actions of a group, and those of the groups in it."""
    if not isinstance(command, LazyGroup):
        return
    own = typer.Context(command, info_name=command.name, parent=context)
    for action in command.shown(own):
        below = _command(command, own, action)
        yield from ("", f"### aicx {name} {action}", "", *_section(below, own))
        yield from _actions(below, f"{name} {action}", own)


def _former_roots() -> set[str]:
    return {name.partition(" ")[0] for name in FORMER}


def render_former() -> str:
    """The page of former names."""
    rows = (f"| `aicx {name}` | `aicx {FORMER[name]}` |" for name in sorted(FORMER))
    return _FORMER + "\n".join(rows) + "\n"


def _command(group: TyperGroup, context: typer.Context, name: str) -> TyperCommand | LazyGroup:
    command = group.get_command(context, name)
    assert isinstance(command, TyperCommand | LazyGroup)
    return command


def _section(command: TyperCommand | LazyGroup, parent: typer.Context, name: str | None = None) -> Iterator[str]:
    context = typer.Context(command, info_name=name or command.name, parent=parent)
    pieces = " ".join(piece for piece in command.collect_usage_pieces(context))
    yield from ("```console", f"$ {context.command_path} {pieces}", "```", "")
    yield from _description(command.help or "")
    yield ""
    yield from _table(command, context)


def _first_sentence(command: TyperCommand | LazyGroup) -> str:
    return " ".join(cleandoc(command.help or "").partition("\n\n")[0].split())


def _description(text: str) -> Iterator[str]:
    """Help as Markdown: paragraphs as they are, examples together in one block."""
    # click's mark for "do not wrap what follows" means nothing here.
    lines = [line for line in cleandoc(text).splitlines() if line.strip() != "\b"]
    examples = [line.removeprefix(_EXAMPLE) for line in lines if line.startswith(_EXAMPLE)]
    yield "\n".join(line for line in lines if not line.startswith(_EXAMPLE)).strip()
    if examples:
        yield from ("", "```console", *(f"$ {_comment(example)}" for example in examples), "```")


def _comment(example: str) -> str:
    """``aicx store   everything`` says in words, after two spaces or more, what the command before them does."""
    command, gap, words = example.partition("  ")
    return f"{command}  # {words.strip()}" if gap else command


def _table(command: TyperCommand | TyperGroup, context: typer.Context) -> Iterator[str]:
    records = [
        record
        for parameter in command.get_params(context)
        if (record := parameter.get_help_record(context)) and _HELP_OPTION not in record[0]
    ]
    if not records:
        yield "No options."
        return
    yield from ("| Option | Meaning |", "|---|---|")
    for names, help_text in records:
        yield f"| `{_cell(names)}` | {_cell(help_text)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Writes the pages, or compares them; 1 when one is out of date."""
    code = 0
    for name, wanted in {"commands.md": render(), "old-names.md": render_former()}.items():
        page = DOCS / name
        if "--check" not in arguments:
            page.write_text(wanted, "utf-8")
            continue
        found = page.read_text("utf-8") if page.exists() else ""
        if found != wanted:
            lines = found.splitlines(), wanted.splitlines()
            changes = difflib.unified_diff(*lines, f"docs/{name}", "the commands", "", "", 1)
            sys.stderr.write("\n".join(changes) + f"\ndocs/{name} is out of date: make docs\n")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
