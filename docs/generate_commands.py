"""Writes docs/commands.md from the commands themselves; with --check says whether it is up to date."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from aicx.cli import COMMANDS, LazyGroup, app

PAGE = Path(__file__).parent / "commands.md"
_EXAMPLE = "Example: "
# Options that take no explaining in every single table.
_HELP_OPTION = "--help"


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
    commands = {name: _command(group, context, name) for name in COMMANDS}
    lines += [f"| [`{name}`](#aicx-{name}) | {_first_sentence(command)} |" for name, command in commands.items()]
    for name, command in commands.items():
        lines += ["", f"## aicx {name}", "", *_section(command, context)]
        if isinstance(command, LazyGroup):
            own = typer.Context(command, info_name=name, parent=context)
            for action in command.table:
                lines += ["", f"### aicx {name} {action}", "", *_section(_command(command, own, action), own)]
    return "\n".join(lines) + "\n"


def _command(group: TyperGroup, context: typer.Context, name: str) -> TyperCommand | LazyGroup:
    command = group.get_command(context, name)
    assert isinstance(command, TyperCommand | LazyGroup)
    return command


def _section(command: TyperCommand | LazyGroup, parent: typer.Context) -> Iterator[str]:
    context = typer.Context(command, info_name=command.name, parent=parent)
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
    """Writes the page, or compares it; 1 when it is out of date."""
    wanted = render()
    if "--check" not in arguments:
        PAGE.write_text(wanted, "utf-8")
        return 0
    found = PAGE.read_text("utf-8") if PAGE.exists() else ""
    if found == wanted:
        return 0
    changes = difflib.unified_diff(
        found.splitlines(), wanted.splitlines(), "docs/commands.md", "the commands", "", "", 1
    )
    sys.stderr.write("\n".join(changes) + "\ndocs/commands.md is out of date: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
