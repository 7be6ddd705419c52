"""What tools may be given: their schemas, and that nothing else gets through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.filters import NAMES
from aicx.servers.mcp.arguments import (
    IndexStatusArguments,
    InvalidArguments,
    RankArguments,
    ReadArguments,
    ResumeArguments,
    SearchArguments,
    SteerArguments,
    parameters,
    parse,
    schema,
)

pytestmark = pytest.mark.needs("mcp")

KINDS = [SearchArguments, SteerArguments, RankArguments, ResumeArguments, ReadArguments, IndexStatusArguments]
MIN_BUDGET: dict[type, dict[str, Any]] = {
    SearchArguments: {"query": "x"},
    RankArguments: {"project": "x"},
    ReadArguments: {"ref": "x"},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_least_that_is_required_is_enough(kind: type) -> None:
    assert isinstance(parse(kind, MIN_BUDGET.get(kind, {})), kind)
    assert schema(kind).get("required", []) == list(MIN_BUDGET.get(kind, {}))


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_parameter_is_named_with_the_known(kind: type) -> None:
    with pytest.raises(InvalidArguments, match="unknown parameter 'colour'; known: "):
        parse(kind, MIN_BUDGET.get(kind, {}) | {"colour": 1})


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_says_what_it_is_for(kind: type) -> None:
    for described in (schema(kind)["properties"], parameters(kind)):
        assert all(len(field["description"]) > 10 for field in described.values())
    # A client that checks its calls by the definition lets pass what is taken but not named there.
    assert "additionalProperties" not in schema(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_plain(kind: type) -> None:
    # Some clients know neither references nor alternatives, and an object has to name a property.
    described = schema(kind)["properties"]
    kinds = {"string", "integer", "number", "boolean", "array"}
    assert {field["type"] for name, field in described.items() if name != "filters"} <= kinds
    assert {field["items"]["type"] for field in described.values() if field["type"] == "array"} <= {"string"}
    if "filters" in described:
        assert described["filters"]["type"] == "object"
        assert set(described["filters"]["properties"]) < set(NAMES)
        assert all(one == {"type": "string"} for one in described["filters"]["properties"].values())


@pytest.mark.parametrize("written", [lambda filters: filters, json.dumps])
def test_filters_are_an_object_or_stand_beside_the_rest(written: Any) -> None:
    inside = {"project": "orbit", "file": ["lexer.py"], "hours": 3, "failed": True}
    old = parse(SteerArguments, {"query": "x", **inside})
    assert parse(SteerArguments, {"query": "x", "filters": written(inside)}) == old
    half = {"query": "x", "project": "orbit", "hours": 3, "filters": written({"file": ["lexer.py"], "failed": True})}
    assert parse(SteerArguments, half) == old


@pytest.mark.parametrize(
    ("filters", "complaint"),
    [
        ({"colour": "red"}, "unknown filter 'colour'; known: project, agent, kind"),
        ("orbit", 'filters: give an object, such as {"project": "orbit"'),
        (["orbit"], "filters: give an object"),
        ({"hours": -1}, "hours: Input should be greater than or equal to 0"),
        ({"project": "apiary"}, "project: given twice, among the filters and beside them"),
    ],
)
def test_filters_that_are_none_are_refused(filters: Any, complaint: str) -> None:
    with pytest.raises(InvalidArguments) as refusal:
        parse(SteerArguments, {"project": "orbit", "filters": filters})
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "given", "complaint"),
    [
        (SearchArguments, {}, "query: Field required"),
        (SearchArguments, {"query": ""}, "query: String should have at least 1 character"),
        (SearchArguments, {"query": "x" * 10_001}, "query: String should have at most 10000 characters"),
        (SearchArguments, {"query": "x", "limit": 0}, "limit: Input should be greater than or equal to 1"),
        (SearchArguments, {"query": "x", "limit": 51}, "limit: Input should be less than or equal to 50"),
        (SearchArguments, {"query": "x", "limit": "5"}, "limit: Input should be a valid integer"),
        (SearchArguments, {"query": "x", "limit": True}, "limit: Input should be a valid integer"),
        (SearchArguments, {"query": "x", "limit": 2.5}, "limit: Input should be a valid integer"),
        (
            SearchArguments,
            {"query": "x", "mode": "magic"},
            "mode: Input should be 'auto', 'hybrid', 'lexical'",
        ),
        (SearchArguments, {"query": ["x"]}, "query: Input should be a valid string"),
        (SearchArguments, {"query": "\ud800"}, "text that is not valid Unicode"),
        (SteerArguments, {"limit": 101}, "limit: Input should be less than or equal to 100"),
        (SteerArguments, {"limit": 10**30}, "a number beyond 64 bits"),
        (RankArguments, {"project": "x", "hours": -1}, "hours: Input should be greater than or equal to 0"),
        (RankArguments, {"project": "x", "strict": "yes"}, "strict: Input should be a valid boolean"),
        (ResumeArguments, {"budget": 499}, "budget: Input should be greater than or equal to 500"),
        (ReadArguments, {"ref": "x", "max_chars": 50_001}, "max_chars: Input should be less than or equal to 50000"),
        (ReadArguments, {"ref": "x", "offset": -1}, "offset: Input should be greater than or equal to 0"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(kind: type, given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidArguments) as refusal:
        parse(kind, given)
    assert complaint in str(refusal.value)


def test_null_stands_for_what_is_not_given() -> None:
    assert parse(SearchArguments, {"query": "x", "project": None, "limit": None}) == SearchArguments(query="x")


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert parse(SteerArguments, {"limit": 5.0}).limit == 5


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(["query", "limit", "ref", "hours"]) | st.text(), JSON))
def test_whatever_is_given_is_taken_or_refused_in_one_line(kind: type, given: dict[str, Any]) -> None:
    try:
        parse(kind, given)
        said = ""
    except InvalidArguments as refusal:
        said = str(refusal)
    assert "\n" not in said
