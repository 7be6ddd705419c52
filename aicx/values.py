"""`dataclass` as the standard library has it, made in half the time: a command's start makes up to a hundred of them.

The library compiles six methods from text for each frozen class. Comparing, hashing and printing need no text of their
own, since the names of the fields are all that differs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")


def _quick(cls: type[T] | None = None, /, *, frozen: bool = False, **options: Any) -> type[T] | Callable[..., type[T]]:
    if cls is None:
        return lambda cls: _made(cls, frozen, options)
    return _made(cls, frozen, options)


def _made(cls: type[T], frozen: bool, options: dict[str, Any]) -> type[T]:
    own = vars(cls)
    wants_eq, wants_repr = options.pop("eq", True), options.pop("repr", True)
    made = dataclasses.dataclass(frozen=frozen, eq=False, repr=False, **options)(cls)
    fields = dataclasses.fields(made)  # type: ignore[arg-type]
    if wants_eq and "__eq__" not in own:
        values = _values([one.name for one in fields if one.compare])
        made.__eq__ = _equality(values)  # type: ignore[method-assign]
        if "__hash__" not in own:
            made.__hash__ = _hash(values) if frozen else None  # type: ignore[method-assign, assignment]
    if wants_repr and "__repr__" not in own:
        made.__repr__ = _printer([one.name for one in fields if one.repr])  # type: ignore[method-assign]
    return made


def _values(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _equality(values: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hash_of(self: Any) -> int:
        return hash(values(self))

    return hash_of


def _printer(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def shown(self: Any) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({', '.join(parts)})"

    return shown


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _quick
