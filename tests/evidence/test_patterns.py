"""Rules by name: each name is in the code and in its file, and an expression is compiled once."""

from __future__ import annotations

import re

import pytest

from aicx.evidence.patterns import BORDERS, StatementRules, command_rules, memory_rules, note_rules, statement_rules


def test_every_expression_of_the_files_is_one_that_the_code_names() -> None:
    assert command_rules().check is command_rules().check
    assert statement_rules().done is statement_rules().done


@pytest.mark.parametrize("change", [{"misspelt": ["x"]}, {}])
def test_a_name_that_is_only_in_the_file_or_only_in_the_code_is_told(change: dict[str, list[str]]) -> None:
    names = {name: ["x"] for name in statement_rules().lists}
    names.pop("aside")
    with pytest.raises(LookupError, match="aside"):
        StatementRules({"all": names | change})


@pytest.mark.parametrize("rules", [command_rules, memory_rules, note_rules, statement_rules])
def test_an_expression_that_begins_at_a_border_has_no_alternative_that_does_not(rules):
    every = [one for patterns in rules().lists.values() for one in patterns if one.startswith(BORDERS)]
    for one in every:
        outside = re.sub(r"\\.|\[[^]]*\]", "", one)
        while (less := re.sub(r"\([^()]*\)", "", outside)) != outside:
            outside = less
        assert "|" not in outside, one
