"""Conditions of a search, in terms that every retriever can apply before it ranks."""

from __future__ import annotations

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
