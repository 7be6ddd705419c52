"""Regular expressions that people and repositories write, searched for without backtracking.

`re` may need longer than anybody waits for `(.*){30}x`. Here Python's own parser reads an expression, so that it means
the same, and an automaton that is made while it runs looks at each character once. docs/decisions/linear-patterns.md
has the reasons. Patterns as .gitignore has them are matched by it too, in time that grows with the path alone.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any

from aicx.errors import PatternRefused, UsageError

# Not public, but the same in every Python from 3.11 on; a test compares the answers with those of `re`.
_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_codes: Any = import_module("re._constants")

MAX_LENGTH = 5000  # of one expression
_MAX_NODES = 100_000  # of all expressions together, with each repetition written out
_MAX_KEPT = 200_000  # transitions, before the automaton is made anew
# What all searches for the same expressions may do besides looking characters up: about two seconds of work.
_ALLOWANCE = 2_000_000

# What is before a place: nothing, or a character of this kind.
_START, _OTHER, _NEWLINE, _ASCII_WORD, _WORD = range(5)
_END, _LAST_NEWLINE = "", "\n$"  # what follows a place, beside single characters

_REFUSED = {
    "GROUPREF": "a reference to a group, such as \\1",
    "GROUPREF_EXISTS": "a condition on a group, (?(1)…)",
    "ASSERT": "a look ahead or behind, (?=…) or (?<=…)",
    "ASSERT_NOT": "a look ahead or behind, (?!…) or (?<!…)",
    "ATOMIC_GROUP": "an atomic group, (?>…)",
    "POSSESSIVE_REPEAT": "a possessive repetition, such as a++",
}


class TooSlow(UsageError):
    """A search took more work than it may."""


class _Node:
    """A place in an expression: where one may go from it, after a character, under a condition, or freely."""

    __slots__ = ("accepts", "test", "then", "when")

    def __init__(self, then: list[_Node]) -> None:
        self.then = then
        self.test: Callable[[str], object] | None = None
        self.when: Callable[[int, str], bool] | None = None
        self.accepts: int | None = None


class ExpressionSearch:
    """Searches texts for several expressions at once, each with the number of its place in ``expressions``.

    With ``apart`` a path through the group of that name does not count, where an expression has it.
    """

    def __init__(self, expressions: Iterable[str], flags: int = 0, apart: str | None = None) -> None:
        self._starts: list[_Node] = []
        self._words: list[str] = []
        count = 0
        for number, expression in enumerate(expressions):
            accept = _Node([])
            accept.accepts = number
            try:
                reading = _Parser(expression, flags, apart, count)
                self._starts.append(reading.nodes(accept))
            except PatternRefused as error:
                error.number = number
                raise
            self._words.append(reading.word())
            count = reading.count
        self._states: dict[tuple[frozenset[_Node], int, frozenset[int]], _State] = {}
        self._begun: dict[tuple[int, str], tuple[frozenset[_Node], frozenset[int]]] = {}
        self._kept, self._left = 0, _ALLOWANCE

    def found(self, text: str) -> Collection[int]:
        """The numbers of the expressions that ``text`` has somewhere. Raises TooSlow."""
        if all(word and word not in text for word in self._words):
            return frozenset()
        state = self.state(frozenset(), _START, frozenset())
        body = text.removesuffix("\n")
        for character in body:
            state = state[character]
        if body is not text and len(body) < len(text):
            state = state[_LAST_NEWLINE]
        return state[_END].found

    def __call__(self, text: str) -> bool:
        """Whether ``text`` has any of the expressions somewhere. Raises TooSlow."""
        return bool(self.found(text))

    def state(self, nodes: frozenset[_Node], before: int, found: frozenset[int]) -> _State:
        if len(found) == len(self._starts):
            nodes = frozenset()  # there is nothing more to find
        key = nodes, before, found
        if (state := self._states.get(key)) is None:
            state = self._states[key] = _State(self, nodes, before, found)
        return state

    def step(self, state: _State, character: str) -> _State:
        """The state after one more character, or after the text."""
        self._kept += 1
        if self._kept > _MAX_KEPT:
            self._states, self._begun, self._kept = {}, {}, 0
        if len(state.found) == len(self._starts):
            return self.state(frozenset(), _START, state.found)
        moved, found = self._moved(state.nodes, state.before, character)
        begun = self._begun.get((state.before, character))
        if begun is None:
            begun = self._begun[state.before, character] = self._moved(self._starts, state.before, character)
        return self.state(moved | begun[0], _kind(character), state.found | found | begun[1])

    def _moved(self, nodes: Iterable[_Node], before: int, character: str) -> tuple[frozenset[_Node], frozenset[int]]:
        """Where one is from ``nodes`` after ``character``, and what was found before it."""
        seen = set(nodes)
        waiting = list(seen)
        moved: set[_Node] = set()
        found: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node.accepts is not None:
                found.add(node.accepts)
            elif node.test is not None:
                if character and node.test(character[0]):
                    moved.add(node.then[0])
            elif node.when is None or node.when(before, character):
                waiting += [one for one in node.then if one not in seen]
                seen.update(node.then)
        self._left -= len(seen)
        if self._left < 0:
            raise TooSlow(
                "the pattern takes too long to search for", hint="make it simpler, or give its parts one by one"
            )
        return frozenset(moved), frozenset(found)


class _State(dict[str, "_State"]):
    """Where a search is in all expressions at once, and where it is after each character that came up so far."""

    __slots__ = ("before", "found", "nodes", "search")

    def __init__(self, search: ExpressionSearch, nodes: frozenset[_Node], before: int, found: frozenset[int]) -> None:
        self.search, self.nodes, self.before, self.found = search, nodes, before, found

    def __missing__(self, character: str) -> _State:
        state = self[character] = self.search.step(self, character)
        return state


@lru_cache(maxsize=8)
def searching(expression: str) -> ExpressionSearch:
    """The search for one expression. Raises PatternRefused."""
    return ExpressionSearch([expression])


class _Parser:
    """Makes the nodes of one expression. Raises PatternRefused."""

    def __init__(self, expression: str, flags: int, apart: str | None, count: int) -> None:
        if len(expression) > MAX_LENGTH:
            raise PatternRefused(f"is longer than {MAX_LENGTH:,} characters")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._read = _parser.parse(expression, flags)
        except re.error as error:
            raise PatternRefused(
                f"is not a regular expression: {error}", hint="the syntax is that of Python"
            ) from error
        except ValueError as error:
            raise PatternRefused(f"is not a regular expression: {error}") from error
        except (OverflowError, RecursionError) as error:
            raise PatternRefused("is too complex") from error
        self._apart = self._read.state.groupdict.get(apart)
        self.count = count
        self._tests: dict[tuple[str, int], Callable[[str], object]] = {}

    def nodes(self, then: _Node) -> _Node:
        """The first node of the expression, after which ``then`` comes."""
        try:
            return self._sequence(self._read, self._read.state.flags, then)
        except RecursionError as error:
            raise PatternRefused("is too complex") from error

    def word(self) -> str:
        """The longest text that everything that fits has in it; empty where none is known."""
        if self._read.state.flags & re.IGNORECASE:
            return ""
        runs = [""]
        for code, argument in self._read:
            runs = [*runs[:-1], runs[-1] + chr(argument)] if code is _codes.LITERAL else [*runs, ""]
        return max(runs, key=len)

    def _node(self, then: list[_Node]) -> _Node:
        self.count += 1
        if self.count > _MAX_NODES:
            raise PatternRefused(f"has more than {_MAX_NODES:,} parts once its repetitions are written out")
        return _Node(then)

    def _sequence(self, items: Any, flags: int, then: _Node) -> _Node:
        for code, argument in reversed(list(items)):
            then = self._item(code, argument, flags, then)
        return then

    def _item(self, code: Any, argument: Any, flags: int, then: _Node) -> _Node:
        if code is _codes.SUBPATTERN:
            group, added, removed, inner = argument
            if group is not None and group == self._apart:
                return self._node([])
            return self._sequence(inner, (flags | added) & ~removed, then)
        if code is _codes.BRANCH:
            return self._node([self._sequence(branch, flags, then) for branch in argument[1]])
        if code in (_codes.MAX_REPEAT, _codes.MIN_REPEAT):
            least, most, inner = argument
            return self._repeated(least, most, inner, flags, then)
        if code is _codes.AT:
            node = self._node([then])
            node.when = _condition(argument, flags)
            return node
        if code in (_codes.LITERAL, _codes.NOT_LITERAL, _codes.ANY, _codes.IN):
            node = self._node([then])
            node.test = self._test(code, argument, flags)
            return node
        if code is _codes.FAILURE:
            return self._node([])
        named = _REFUSED.get(str(code), str(code).lower())
        raise PatternRefused(
            f"has {named}, which cannot be searched for in bounded time", hint="write it without; several may be given"
        )

    def _repeated(self, least: int, most: Any, inner: Any, flags: int, then: _Node) -> _Node:
        after = then
        if most is _codes.MAXREPEAT:
            then = self._node([after])
            then.then.append(self._sequence(inner, flags, then))
        else:
            for _ in range(most - least):
                then = self._node([self._sequence(inner, flags, then), after])
        for _ in range(least):
            before = self._sequence(inner, flags, then)
            if before is then:  # nothing is repeated
                break
            then = before
        return then

    def _test(self, code: Any, argument: Any, flags: int) -> Callable[[str], object]:
        """Whether a character fits one item, as `re` sees it."""
        key = f"{code} {argument}", flags
        if key not in self._tests:
            one = _parser.SubPattern(_parser.State(), [(code, argument)])
            self._tests[key] = _compiler.compile(one, flags & ~re.DEBUG).match
        return self._tests[key]


def _kind(character: str) -> int:
    if character.isalnum() or character == "_":
        return _ASCII_WORD if character.isascii() else _WORD
    return _NEWLINE if character[:1] == "\n" else _OTHER


def _condition(at: Any, flags: int) -> Callable[[int, str], bool]:
    """Whether a place is one that `^`, `$`, `\\b` and their like mean, by what is before and after it."""
    lines = bool(flags & re.MULTILINE)
    words = (_ASCII_WORD,) if flags & re.ASCII else (_ASCII_WORD, _WORD)
    if at is _codes.AT_BEGINNING:
        return lambda before, _: before == _START or (lines and before == _NEWLINE)
    if at is _codes.AT_BEGINNING_STRING:
        return lambda before, _: before == _START
    if at is _codes.AT_END:
        return lambda _, after: after in (_END, _LAST_NEWLINE) or (lines and after == "\n")
    if at is _codes.AT_END_STRING:
        return lambda _, after: after == _END
    differ = at is _codes.AT_BOUNDARY
    return lambda before, after: ((before in words) != (_kind(after) in words)) == differ


_BELOW_FOLDER = "ps_d"  # the group of pathspec's expressions that what is below a matching folder goes through


def ignoring(lines: Iterable[str]) -> Callable[[str], bool]:
    """Says of a path whether ``lines`` ignore it, the last that fits deciding. Raises PatternRefused.

    What is said of a file itself counts for more than what is said of a folder above it, as in pathspec.
    """
    # Imported here: most people have no such patterns, and every command would pay for it.
    from pathspec import GitIgnoreSpec
    from pathspec.util import normalize_file

    try:
        patterns = [
            (one.regex.pattern, one.include)
            for one in GitIgnoreSpec.from_lines(lines).patterns
            if one.include is not None and one.regex is not None
        ]
    except (ValueError, re.error) as error:
        raise PatternRefused(f"is not a pattern as .gitignore has them: {error}") from error
    expressions = [expression for expression, _ in patterns]
    above, itself = ExpressionSearch(expressions), ExpressionSearch(expressions, apart=_BELOW_FOLDER)

    def ignores(path: str) -> bool:
        path = normalize_file(path)
        exactly = itself.found(path)
        ignored, sure = False, False
        for number in sorted(above.found(path)):
            of_folder, wanted = number not in exactly, patterns[number][1]
            if not of_folder or wanted or not sure:
                ignored, sure = wanted, not of_folder
        return ignored

    return ignores


def excludes_nothing(line: str) -> bool:
    """Whether a line is a comment or empty. Raises PatternRefused."""
    from pathspec import GitIgnoreSpec

    try:
        return all(one.include is None for one in GitIgnoreSpec.from_lines([line]).patterns)
    except (ValueError, re.error) as error:
        raise PatternRefused(f"is not a pattern as .gitignore has them: {error}") from error
