"""Every door offers the filters of the one table, and nothing else."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
import typer

import aicx
from aicx.corpus.catalog import filters as meanings
from aicx.filters import EVERYTHING, FILTERS, NAMES, Filters
from aicx.menu import app
from aicx.servers.dashboard import requests
from aicx.servers.mcp.arguments import SearchArguments, SessionsArguments, SteerArguments, parameters, parse
from aicx.servers.questions import PARAMETERS, FilteredQuestion, filters_of

pytestmark = pytest.mark.needs("mcp", "web")

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
# A value of each kind as it is written, and as MCP and HTTP carry it.
WRITTEN = {
    "text": "x",
    "begin": "7d",
    "end": "2026-03-01",
    "days": "2026-03-01",
    "hours": 3.0,
    "least": 5,
    "flag": True,
}
SPECIAL = {"kind": "plans", "lane": "subagent"}
COMMANDS = ("search", "steer", "sessions list", "dashboard")


def options_of(command: str) -> dict[str, typer.core.TyperOption]:
    found: click.Command = typer.main.get_command(app)
    for word in command.split():
        found = found.get_command(typer.Context(found), word)
    return {parameter.name: parameter for parameter in found.params if isinstance(parameter, typer.core.TyperOption)}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_offers_the_table(command):
    offered = options_of(command)
    for row in FILTERS:
        option = offered[row.name]
        assert (tuple(option.opts), option.help, option.multiple) == (row.options, row.help, row.repeatable)
        assert option.rich_help_panel == "Which chunks"
    panel = [name for name, option in offered.items() if option.rich_help_panel == "Which chunks"]
    assert panel == list(NAMES)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_of_a_command_has_the_letter_of_a_filter(command):
    words = [word for option in options_of(command).values() for word in option.opts]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("tool", [SearchArguments, SteerArguments, SessionsArguments])
def test_mcp_offers_the_table(tool):
    described = parameters(tool)
    assert {name: described[name]["description"] for name in described if name in NAMES} == {
        row.name: row.help for row in FILTERS
    }
    assert all((described[row.name]["type"] == "array") == row.repeatable for row in FILTERS)


def test_http_offers_the_table():
    fields = FilteredQuestion.model_fields
    assert {name: field.description for name, field in fields.items()} == {row.name: row.help for row in FILTERS}


def test_the_page_knows_only_filters_of_the_table():
    script = (Path(aicx.__file__).parent / "pages" / "dashboard" / "route.js").read_text("utf-8")
    named = re.search(r"FILTERS = \[(.*?)\]", script, re.DOTALL)
    assert named is not None
    assert set(re.findall(r"\w+", named[1])) <= set(NAMES)


def test_each_filter_has_one_meaning():
    assert set(meanings._SQL) == {row.name for row in FILTERS if row.limits}
    assert set(NAMES) == set(PARAMETERS)


@pytest.mark.parametrize("row", FILTERS, ids=lambda row: row.name)
def test_mcp_and_http_understand_a_value_alike(row):
    value = SPECIAL.get(row.name, WRITTEN[row.value])
    found = filters_of(parse(SteerArguments, {row.name: value}), NOW)
    carried = [value] if row.repeatable else value
    assert found == requests.SteerRequest(**{row.name: carried}).filters(NOW)
    assert found != EVERYTHING


@pytest.mark.parametrize("name", [row.name for row in FILTERS if row.repeatable and row.name not in SPECIAL])
def test_several_values_are_a_list_and_one_may_stand_alone(name):
    several = filters_of(parse(SteerArguments, {name: ["x", "y"]}), NOW)
    assert several == Filters(**{name: ("x", "y")})
    assert filters_of(parse(SteerArguments, {name: "x"}), NOW) == Filters(**{name: ("x",)})
