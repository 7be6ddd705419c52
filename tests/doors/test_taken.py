"""`taken_from` copies fields by their names, which no type checker sees; here every use of it is checked."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

import aicx
from aicx.work.answers import _LISTED

ROOT = Path(aicx.__file__).parent
# What each answer is made from.
SOURCES = {
    "BenchRecommendation": "aicx.bench.rankers:Choices",
    "BenchReport": "aicx.bench.results:Facts",
    "CandidateItem": "aicx.memory.proposals:Proposal",
    "CurateProposal": "aicx.memory.curator:PlannedUpkeep",
    "ErrorEventAnswer": "aicx.toolchains.parsing:ErrorEvent",
    "ExtractAnswer": "aicx.corpus.views.extraction:Extract",
    "FailureItem": "aicx.work.session_facts:Failure",
    "FamilyOwner": "aicx.packs.lists:Owner",
    "MemoryEntry": "aicx.memory.record:Record",
    "Outlook": "aicx.corpus.doctor.retention:Retention",
    "PackEdge": "aicx.sessions:Edge",
    "PackHandoff": "aicx.work.handoff:HandoffAnswer",
    "PackPlace": "aicx.work.record:GitContext",
    "PackSession": "aicx.work.session_facts:SessionFacts",
    "RankerCosts": "aicx.bench.measure:Measured",
    "ReadChunk": "aicx.corpus.views.show:ShownPart",
    "RepositoryState": "aicx.git.state:GitState",
    "ReviewPatch": "aicx.memory.review.patches:Plan",
    "RunSettings": "aicx.bench.run:BenchPlan",
    "SearchAnswer": "aicx.engine.stages:SearchReport",
    "SearchItem": "aicx.engine.stages:Hit",
    "SessionFacts": "aicx.work.session_facts:SessionPart",
    "SharePushed": "aicx.share.push:Pushed",
    "Sketch": "aicx.work.session_facts:SessionFacts",
    "SkippedTask": "aicx.work.place:Loading",
    "TaskChange": "aicx.work.state:Written",
    "TaskEntry": "aicx.work.record:WorkRecord",
    "TaskGit": "aicx.work.record:GitContext",
    "TaskItem": "aicx.work.record:Item",
    "TaskRow": "aicx.work.record:WorkRecord",
    "TeamSession": "aicx.share.sessions:SharedSession",
    "VariantCost": "aicx.bench.summary:Cost",
    "WhySession": "aicx.evidence.sessions:SessionRow",
    "WindowAnswer": "aicx.sessions.windows:Window",
}
# Of calls that pass more of their own with `**`, the names.
MORE = {"TaskEntry": _LISTED}
LISTS, MAPPINGS = (list, tuple, Sequence, Iterable), (dict, Mapping)


def uses() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Of each call the module, the answer's name, and the names of the fields that it passes itself."""
    for path in sorted(ROOT.rglob("*.py")):
        if "taken_from(" not in (text := path.read_text("utf-8")):
            continue
        module = ".".join(("aicx", *path.relative_to(ROOT).with_suffix("").parts))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "taken_from":
                kind = ast.unparse(node.args[1])
                yield module, kind, frozenset([*(word.arg or "" for word in node.keywords), *MORE.get(kind, ())])


@pytest.mark.parametrize(("module", "kind", "own"), [pytest.param(*use, id=f"{use[0]}-{use[1]}") for use in uses()])
def test_fields_that_are_taken_exist_with_types_that_fit(module: str, kind: str, own: frozenset[str]) -> None:
    place, _, name = SOURCES[kind].partition(":")
    given, answer = hints(getattr(import_module(place), name)), getattr(import_module(module), kind)
    every = hints(answer)
    wanted = {field: every[field] for field in answer.__dataclass_fields__ if field not in own}
    assert wanted.keys() <= given.keys()
    wrong = {field: (given[field], hint) for field, hint in wanted.items() if not fits(given[field], hint)}
    assert wrong == {}


def hints(kind: Any) -> dict[str, Any]:
    """The types of fields and properties."""
    known = {name: one for base in kind.__mro__[:-1] for name, one in for_types_alone(base.__module__).items()}
    found = get_type_hints(kind, localns=known)
    for name, value in (one for base in kind.__mro__ for one in vars(base).items()):
        if isinstance(value, property):
            found[name] = get_type_hints(value.fget, localns=known)["return"]
    return found


def for_types_alone(module: str) -> dict[str, Any]:
    """What a module imports only where types are checked, by name."""
    source = Path(str(import_module(module).__file__)).read_text("utf-8")
    blocks = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = (one for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING" for one in node.body)
    return {
        name.name: getattr(import_module(str(one.module)), name.name)
        for one in imports
        if isinstance(one, ast.ImportFrom)
        for name in one.names
    }


def fits(given: Any, wanted: Any) -> bool:
    """Whether every value of the type ``given`` may be in a field of type ``wanted``; a tuple is a list."""
    if get_origin(given) is Annotated or get_origin(wanted) is Annotated:
        return fits(*(get_args(one)[0] if get_origin(one) is Annotated else one for one in (given, wanted)))
    if given == wanted or wanted is Any:
        return True
    if get_origin(given) in (Union, UnionType):
        return all(fits(one, wanted) for one in get_args(given))
    if get_origin(wanted) in (Union, UnionType):
        return any(fits(given, one) for one in get_args(wanted))
    if get_origin(given) is Literal:
        words = get_args(given)
        return wanted is str or (get_origin(wanted) is Literal and set(words) <= set(get_args(wanted)))
    for kinds in (LISTS, MAPPINGS):
        if get_origin(given) in kinds and get_origin(wanted) in kinds:
            parts = [[part for part in get_args(one) if part is not Ellipsis] for one in (given, wanted)]
            return all(fits(one, other) for one, other in zip(*parts, strict=True))
    return isinstance(given, type) and isinstance(wanted, type) and given is not NoneType and issubclass(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted", "does"),
    [
        (str, str | None, True),
        (str | None, str, False),
        (tuple[str, ...], list[str], True),
        (tuple[int, ...], list[str], False),
        (Literal["a"], Literal["a", "b"], True),
        (Literal["a", "c"], Literal["a", "b"], False),
        (str, Literal["a"], False),
        (Mapping[str, int], dict[str, Any], True),
        (Annotated[int, "x"], Annotated[float, "y"], False),
    ],
)
def test_a_type_fits_a_wider_one_alone(given: Any, wanted: Any, does: bool) -> None:
    assert fits(given, wanted) is does
