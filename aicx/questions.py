"""What a command asks of its command line, declared as annotations; and a plain line read without typer.

`aicx.menu` makes typer's options of the same declarations, for help, completion, and every line that is not plain: only
typer says what is wrong with one. To import it takes longer than most commands do, so `read` does without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, Self, get_args, get_origin

PATH = "path"  # `click_type` of text that names what is on disk
REQUIRED: Any = object()


class Option:
    """How a parameter of a command is asked for, in the words of `typer.Option`; and of which one, once it is known."""

    name: str
    kind: Any  # the type of its value
    default: Any  # or `REQUIRED`

    def __init__(self, *names: str, **more: Any) -> None:
        self.names, self.more = names, more

    def of(self, name: str, kind: Any, default: Any) -> Self:
        """The same, of the parameter ``name``."""
        made = type(self)(*self.names, **self.more)
        made.name, made.kind, made.default = name, kind, default
        return made


class Argument(Option):
    """The same of a word that is no option."""


Questions = list[Option]


def questions_of(command: Callable[..., Any]) -> Questions:
    """The parameters of a command, in their order; where it is decorated, those of its decorator."""
    if asked := getattr(command, "asked", None):
        return list(asked())
    code = command.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = command.__defaults__ or ()
    defaults = dict(zip(names[code.co_argcount - len(values) : code.co_argcount], values, strict=True))
    defaults |= command.__kwdefaults__ or {}
    return [_question(name, command, defaults.get(name, REQUIRED)) for name in names]


def _question(name: str, command: Callable[..., Any], default: Any) -> Option:
    declared = command.__annotations__[name]
    kind = eval(declared, command.__globals__) if isinstance(declared, str) else declared  # noqa: S307 - our own source
    if get_origin(kind) is not Annotated:
        return Option().of(name, kind, default)
    said: Option
    kind, said = get_args(kind)
    return said.of(name, kind, default)


class _NotPlainError(Exception):
    """A command line that is left to typer."""


def read(questions: Questions, words: Sequence[str]) -> dict[str, Any] | None:
    """The values of a plain command line, as typer would give them to the command; None for one that is not plain.

    Plain are options written out, each with a value of its own that is as it should be, and arguments.
    """
    try:
        "".join(words).encode()  # only typer knows what becomes of a name that is not UTF-8
        return _read(questions, words)
    except (_NotPlainError, UnicodeEncodeError):
        return None


def _read(questions: Questions, words: Sequence[str]) -> dict[str, Any]:
    options = {name: one for one in questions if not isinstance(one, Argument) for name in one.names}
    found: dict[str, list[Any]] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            rest.append(word)
            continue
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        one = options.get(name)
        if one is None or (one.name in found and not _is_list(one.kind)):
            raise _NotPlainError
        if one.kind is bool:
            if sign:
                raise _NotPlainError
            found[one.name] = [True]
            continue
        if not sign:
            value = next(left, "-")
            if value.startswith("-"):
                raise _NotPlainError
        found.setdefault(one.name, []).append(_value(one, value))
    for one, values in _arguments([one for one in questions if isinstance(one, Argument)], rest):
        found[one.name] = values
    return {one.name: _given(one, found.get(one.name)) for one in questions}


def _arguments(asked: Questions, words: list[str]) -> Iterator[tuple[Option, list[Any]]]:
    """The words that are no options, each with the argument that it is for."""
    if len(asked) == 1 and _is_list(asked[0].kind):
        if words:
            yield asked[0], [_value(asked[0], word) for word in words]
        return
    if len(words) > len(asked) or any(_is_list(one.kind) for one in asked):
        raise _NotPlainError
    for one, word in zip(asked, words, strict=False):
        yield one, [_value(one, word)]


def _given(one: Option, values: list[Any] | None) -> Any:
    _value_kind(one)
    if one.more.keys() & {"envvar", "is_eager"}:
        raise _NotPlainError
    if values is None:
        if one.default is REQUIRED:
            raise _NotPlainError
        value = one.default
    else:
        value = values if _is_list(one.kind) else values[0]
    obey = one.more.get("callback")
    return obey(value) if obey else value


def _is_list(kind: Any) -> bool:
    return any(get_origin(one) is list for one in _parts(kind))


def _parts(kind: Any) -> tuple[Any, ...]:
    """The types of a union without None; of any other the type itself."""
    parts = get_args(kind)
    return tuple(one for one in parts if one is not type(None)) if type(None) in parts else (kind,)


def _value_kind(one: Option) -> Any:
    """The type of a single value of ``one``, where it is one that is read here."""
    (kind, *others) = _parts(one.kind)
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if others or not (kind in (str, int, float, bool) or get_origin(kind) is Literal):
        raise _NotPlainError
    return kind


def _value(one: Option, text: str) -> Any:
    kind = _value_kind(one)
    if kind is str:
        return text
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise _NotPlainError
        return text
    digits = text.replace(".", "", 1) if kind is float else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 16):
        raise _NotPlainError
    value = kind(text)
    ends = one.more
    if not ends.get("min", value) <= value <= ends.get("max", value):
        raise _NotPlainError
    return value
