"""`dataclass` as the standard library has it, in a quarter of the time: a start makes up to two hundred.

The library compiles six methods from text for each frozen class. Comparing, hashing, printing and refusing a change
need no text of their own, since the names of the fields are all that differs. `__init__` is compiled for the first
object, and a `regex` for the first text. `replace` copies an object without slots in a tenth of the time.
"""

from __future__ import annotations

import dataclasses
import re
from _thread import RLock
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
Many = TypeVar("Many", bound=Sequence[Any])


def batches(items: Many, size: int) -> Iterator[Many]:
    """Yields the items in their order, up to ``size`` at once."""
    return (items[begin : begin + size] for begin in range(0, len(items), size))  # type: ignore[misc]


def _quick(cls: type[T] | None = None, /, *, frozen: bool = False, **options: Any) -> type[T] | Callable[..., type[T]]:
    if cls is None:
        return lambda cls: _made(cls, frozen, options)
    return _made(cls, frozen, options)


def _made(cls: type[T], frozen: bool, options: dict[str, Any]) -> type[T]:
    own = vars(cls)
    wants_eq, wants_repr, wants_init = (options.pop(name, True) for name in ("eq", "repr", "init"))
    cls.__doc__ = cls.__doc__ or f"{cls.__name__}()"  # the library would work out a signature for it
    options |= {"init": False, "eq": False, "repr": False}
    made = _slotted(cls, options) if _is_plain(cls, options) else dataclasses.dataclass(**options)(cls)
    if wants_init and "__init__" not in own:
        made.__init__ = _Init(made, frozen)  # type: ignore[method-assign]
    if frozen:
        _freeze(made, slots=options.get("slots", False))
    if wants_eq and "__eq__" not in own:
        values = _values(made)
        made.__eq__ = _equality(values)  # type: ignore[method-assign]
        if "__hash__" not in own:
            made.__hash__ = _hash(values) if frozen else None  # type: ignore[method-assign]
    if wants_repr and "__repr__" not in own:
        made.__repr__ = _shown  # type: ignore[method-assign]
    return made


def _is_plain(cls: type[Any], options: Mapping[str, Any]) -> bool:
    """Whether every name with a type is a field with a slot of its own, here and in the classes above."""
    hints = vars(cls).get("__annotations__", {}).values()
    plain = all(isinstance(hint, str) and "Var" not in hint and "KW_ONLY" not in hint for hint in hints)
    return plain and options.get("slots", False) and all("__slots__" in vars(base) for base in cls.__mro__[1:-1])


def _slotted(cls: Any, options: dict[str, Any]) -> Any:
    """The class as the library makes it with slots, its fields described when somebody asks for them."""
    names = vars(cls).get("__annotations__", {})
    above = {slot for base in cls.__mro__[1:-1] for slot in vars(base)["__slots__"]}
    not_kept = {*names, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in not_kept}
    body["__slots__"] = tuple(name for name in names if name not in above)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    for name in _ABOUT:
        setattr(made, name, _About(name, cls, made, {**options, "slots": False}))
    return made


_ABOUT = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_LOCK = RLock()  # the library changes the class that it describes


class _About:
    """In the place of what the library says of a class, until it is first asked for."""

    def __init__(self, name: str, cls: type[Any], made: type[Any], options: dict[str, Any]) -> None:
        self.name, self.cls, self.made, self.options = name, cls, made, options

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        with _LOCK:
            if vars(self.made)[self.name] is self:
                dataclasses.dataclass(**self.options)(self.cls)
                for name in _ABOUT:
                    setattr(self.made, name, vars(self.cls)[name])
        return getattr(self.made, self.name)


class _Pattern:
    """A regular expression that is compiled when it is first used: of those that a command loads, it uses few."""

    def __init__(self, text: Any, flags: int = 0) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found

    def __reduce__(self) -> Any:
        return _Pattern, self._given


class _Init:
    """In the place of a class's `__init__` until it is first asked for: most classes of a process make no object."""

    def __init__(self, cls: type[Any], frozen: bool) -> None:
        self.cls, self.frozen = cls, frozen

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        given: list[str] = []
        body: list[str] = []
        scope: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": dataclasses.MISSING}
        for one in sorted(dataclasses.fields(self.cls), key=lambda one: bool(one.kw_only)):
            name, value, default = one.name, one.name, ""
            if one.default_factory is not dataclasses.MISSING:
                scope[f"_make_{name}"] = one.default_factory
                default, value = "=_MISSING", f"_make_{name}() if {name} is _MISSING else {name}"
            elif one.default is not dataclasses.MISSING:
                scope[f"_of_{name}"], default = one.default, f"=_of_{name}"
            if one.init:
                given += ["*"] if one.kw_only and "*" not in given else []
                given.append(name + default)
            elif value == name:
                continue  # its class, or `__post_init__`, has the value
            else:
                value = f"_make_{name}()"
            if self.frozen and isinstance(slot := getattr(self.cls, name, None), MemberDescriptorType):
                scope[f"_put_{name}"] = slot.__set__  # in less than half the time of `_set`
                body.append(f"_put_{name}(self,{value})")
            else:
                body.append(f"_set(self,{name!r},{value})" if self.frozen else f"self.{name}={value}")
        if hasattr(self.cls, "__post_init__"):
            body.append("self.__post_init__()")
        exec(f"def __init__(self,{','.join(given)}):\n {';'.join(body) or 'pass'}", scope)  # noqa: S102 - of our own fields
        made = scope["__init__"]
        made.__qualname__ = f"{self.cls.__qualname__}.__init__"
        self.cls.__init__ = made
        return made.__get__(instance, owner)


def _freeze(cls: type[Any], slots: bool) -> None:
    def refusing(method: str, what: str) -> Callable[..., None]:
        def change(self: Any, name: str, *value: object) -> None:
            if type(self) is cls or name in cls.__dataclass_fields__:
                raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")
            getattr(super(cls, self), method)(name, *value)

        return change

    cls.__setattr__ = refusing("__setattr__", "assign to")
    cls.__delattr__ = refusing("__delattr__", "delete")

    def state(self: Any) -> list[Any]:
        return [getattr(self, one.name) for one in dataclasses.fields(cls)]

    def set_state(self: Any, state: list[Any]) -> None:
        for one, value in zip(dataclasses.fields(cls), state, strict=True):
            getattr(cls, one.name).__set__(self, value)

    if slots and "__getstate__" not in vars(cls):  # what is pickled is set past them
        cls.__getstate__, cls.__setstate__ = state, set_state  # type: ignore[assignment]


def _values(cls: type[Any]) -> Callable[[Any], Any]:
    """Gives the values of an object that count when it is compared."""
    found: Callable[[Any], Any] | None = None

    def values(one: Any) -> Any:
        nonlocal found
        if found is None:
            names = [field.name for field in dataclasses.fields(cls) if field.compare]
            found = attrgetter(*names) if names else lambda _: ()
        return found(one)

    return values


def _equality(values: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hash_of(self: Any) -> int:
        return hash(values(self))

    return hash_of


@recursive_repr()
def _shown(one: Any) -> str:
    parts = (f"{field.name}={getattr(one, field.name)!r}" for field in dataclasses.fields(one) if field.repr)
    return f"{type(one).__qualname__}({', '.join(parts)})"


def _copied(one: T, /, **changes: Any) -> T:
    if not hasattr(one, "__dict__"):
        return dataclasses.replace(one, **changes)  # type: ignore[type-var]
    made = object.__new__(type(one))
    vars(made).update(vars(one), **changes)
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace

    regex = re.compile
else:
    dataclass, replace, regex = _quick, _copied, _Pattern


BORDERS = (r"\b", "^")  # an expression that begins with one has no alternative to it outside parentheses
# Not by importlib.resources, which takes longer to import than the rules to load.
EXPRESSIONS = Path(__file__).parent / "data" / "continuity"


def table_of(name: str) -> dict[str, Any]:
    """A file of expressions by its name."""
    import tomllib  # imported here: a command that reads no session needs none

    return tomllib.loads((EXPRESSIONS / f"{name}.toml").read_text("utf-8"))


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all of them. A curly apostrophe stands for a straight one too.

    Neighbours that begin at a border of words, or of lines, are tried there alone: that halves the time of a search.
    """
    from itertools import groupby  # imported here, as above

    parts = []
    for border, group in groupby(patterns, key=lambda one: next(filter(one.startswith, BORDERS), "")):
        parts.append(f"{border}(?:{'|'.join(f'(?:{one.removeprefix(border)})' for one in group)})")
    return re.compile("|".join(parts).replace("\u2019", "['\u2019]"), re.IGNORECASE | re.MULTILINE)


def each_of(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """An expression for each, to be tried one after the other."""
    return tuple(_any([pattern]) for pattern in patterns)


_OFTEN = 300  # searches, for which an expression is worth being read once more


class _Sifted:
    """An expression that, asked often, is searched only in texts with a word that it needs, while most have none.

    To look for words takes a tenth of the time of a search that finds nothing.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns, self._found, self._left = patterns, _any(patterns), _OFTEN
        self.match, self.sub, self.fullmatch = self._found.match, self._found.sub, self._found.fullmatch
        self._needs: set[str] | None = set() if all(one.startswith("^") for one in patterns) else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def search(self, text: str, *within: int) -> re.Match[str] | None:
        return self._found.search(text, *within) if self._may_match(text) else None

    def findall(self, text: str) -> list[Any]:
        return self._found.findall(text) if self._may_match(text) else []

    def _may_match(self, text: str) -> bool:
        may = not self._needs or any(map(_folded(text).__contains__, self._needs))
        self._left += -1 if may else 1
        if not self._left:
            self._needs, self._left = _needed(self._patterns) if self._needs is None else set(), _OFTEN
        return may


def _folded(text: str) -> str:
    # Two Turkish letters are to `re` what folding does not make of them.
    return text.replace("\u0130", "i").casefold().replace("\u0131", "i")


def _needed(patterns: Iterable[str]) -> set[str]:
    """Pieces of text, folded, one of which is in whatever one of the expressions matches; none where none is known."""
    parse = import_module("re._parser").parse
    found = {_folded(piece) for one in patterns for piece in _pieces(parse(one.replace("\u2019", "['\u2019]")), "")}
    return set() if "" in found else {one for one in found if not any(other in one for other in found - {one})}


def _pieces(items: Iterable[tuple[Any, Any]], run: str) -> set[str]:
    """Those pieces of an expression, one of which goes on with ``run`` or stands behind it, that say most."""
    best = {""}
    for code, given in [*items, ("", None)]:
        if str(code) == "LITERAL":
            run += chr(given)
            continue
        found = {run}
        if str(code) == "SUBPATTERN":
            found = _pieces(given[3], run)
        elif str(code) == "BRANCH":
            found = {piece for part in given[1] for piece in _pieces(part, run)}
        elif str(code) in ("MAX_REPEAT", "MIN_REPEAT") and given[0]:
            found = _pieces(given[2], run)
        best, run = max(best, {run}, found, key=lambda some: (min(4, *map(len, some)), -len(some))), ""
    return best


class Expressions:
    """The expressions of one file, each an attribute by its name, compiled when first used: few sessions need all.

    Raises AttributeError for a name that the file lacks.
    """

    def __init__(self, table: Mapping[str, Mapping[str, list[str]]]) -> None:
        self.lists = {name: patterns for section in table.values() for name, patterns in section.items()}

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name not in self.__dict__.get("lists", ()):
            raise AttributeError(name)
        # From now on the instance has an attribute of this name, which is found before it is asked for here.
        self.__dict__[name] = found = _Sifted(self.lists[name])
        return found  # type: ignore[return-value]
