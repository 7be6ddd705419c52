"""Conditions of a search that every retriever applies before it ranks, and how LanceDB is told them, as SQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from aicx.errors import UsageError
from aicx.values import dataclass

Value = str | int


@dataclass(frozen=True, slots=True)
class OneOf:
    """``column`` has one of ``values``; with none, nothing matches."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """``column`` has none of ``values``; a document without the column matches."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """``low <= column <= high``, either end open when None; a document without the column does not match."""

    column: str
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of ``conditions`` holds."""

    conditions: tuple[OneOf | NoneOf | Between, ...]


Condition = OneOf | NoneOf | Between | AnyOf


def predicate(conditions: Sequence[Condition], columns: Collection[str]) -> str | None:
    """All of ``conditions`` as one SQL expression; None when there are none.

    ``columns`` are those that exist: a filter on another would otherwise match nothing and say nothing.
    """
    return " AND ".join(_sql(condition, columns) for condition in conditions) or None


def _sql(condition: Condition, columns: Collection[str]) -> str:
    if isinstance(condition, AnyOf):
        return f"({' OR '.join(_sql(one, columns) for one in condition.conditions) or 'false'})"
    if condition.column not in columns:
        raise UsageError(f"The vector index has no column {condition.column!r}.", hint="Run `aicx index --rebuild`.")
    column = f"`{condition.column}`"
    if isinstance(condition, OneOf):
        return f"{column} IN ({_list(condition.values)})" if condition.values else "false"
    if isinstance(condition, NoneOf):
        # A comparison with a missing value is neither true nor false, and here it is to match.
        return f"({column} IS NULL OR {column} NOT IN ({_list(condition.values)}))" if condition.values else "true"
    return _between(condition, column)


def _between(condition: Between, column: str) -> str:
    ends = [f"{column} IS NOT NULL"]
    if condition.low is not None:
        ends.append(f"{column} >= {int(condition.low)}")
    if condition.high is not None:
        ends.append(f"{column} <= {int(condition.high)}")
    return f"({' AND '.join(ends)})"


def _list(values: Sequence[Value]) -> str:
    return ", ".join(map(_literal, values))


def _literal(value: Value) -> str:
    """In standard SQL a quote is doubled and nothing else is special, the backslash included."""
    return str(int(value)) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
