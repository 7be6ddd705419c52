"""Rules by name: each name is in the code and in its file, and an expression is compiled once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import aicx
from aicx.evidence.patterns import command_rules, memory_rules, note_rules, statement_rules
from aicx.telling import title_rules
from aicx.values import BORDERS


def test_every_expression_of_the_files_is_one_that_the_code_names() -> None:
    assert command_rules().check is command_rules().check
    assert statement_rules().done is statement_rules().done


def test_the_files_have_all_expressions_that_the_code_names_and_no_others() -> None:
    code = "\n".join(path.read_text("utf-8") for path in Path(aicx.__file__).parent.rglob("*.py"))
    every = [statement_rules(), command_rules(), memory_rules(), note_rules(), title_rules()]
    for name, rules in zip(("statement", "command", "memory", "note", "title"), every, strict=True):
        assert set(re.findall(rf"\b{name}_rules\(\)\.(\w+)", code)) - {"lists"} <= rules.lists.keys()
    assert {name for rules in every for name in rules.lists} <= set(re.findall(r"\w+", code))
    with pytest.raises(AttributeError, match="misspelt"):
        _ = statement_rules().misspelt


@pytest.mark.parametrize("rules", [command_rules, memory_rules, note_rules, statement_rules, title_rules])
def test_an_expression_that_begins_at_a_border_has_no_alternative_that_does_not(rules):
    every = [one for patterns in rules().lists.values() for one in patterns if one.startswith(BORDERS)]
    for one in every:
        outside = re.sub(r"\\.|\[[^]]*\]", "", one)
        while (less := re.sub(r"\([^()]*\)", "", outside)) != outside:
            outside = less
        assert "|" not in outside, one
