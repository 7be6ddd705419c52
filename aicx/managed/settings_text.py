"""Our hooks in the text of an agent's settings: put in, looked for, and taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aicx.errors import CorpusDamaged
from aicx.managed import blocks, jsonc
from aicx.managed.blocks import Insertion, line_end, put_in

_OURS = re.compile(
    r"""\baicx['"]? hook (?:session-start|pre-compact|session-end|stop|user-prompt|p(?:ost|re)-tool) --agent [a-z]+\b"""
)
_BLANK = "\ufeff \t\r\n"
_TOML_HEAD = "# `aicx init` wrote these hooks, and `aicx init --undo` removes them."
# As it is now, and as it was before it named the command of today.
_TOML_HEADS = r"\# `aicx init` wrote these hooks, and `aicx (?:init --undo|clean)` removes them\."
_TABLE = rf"\[\[hooks\.\w+\]\]\r?\n(?:matcher = [^\r\n]*\r?\n)?hooks = \[\{{[^\r\n]*{_OURS.pattern}[^\r\n]*"
_TOML_HOOKS = re.compile(rf"^(?:{_TOML_HEADS}\r?\n)?{_TABLE}(?:\r?\n{_TABLE})*", re.MULTILINE)
_NOTIFY = r'notify = \[[^\r\n]*aicx", "hook", "notify", "--agent", "[a-z]+"\][^\r\n]*(?:\r?\n|\Z)'
_TOML_NOTIFY = re.compile(rf"(?:^|(?<=\A\ufeff)){_NOTIFY}", re.MULTILINE)
_BY_HAND = "mend the file first; nothing was changed"


class WantedHooks(NamedTuple):
    """The hooks of one agent: its event -> what runs then, as its settings have it. ``notify`` is Codex's own.

    ``matchers`` are the tools for which it runs, of the events that are about one.
    """

    hooks: Mapping[str, Mapping[str, Any]]
    notify: Sequence[str] = ()
    matchers: Mapping[str, str] = {}

    def matcher(self, event: str) -> dict[str, str]:
        return {"matcher": self.matchers[event]} if event in self.matchers else {}


class SettingsFormat(NamedTuple):
    """A format of settings. All raise CorpusDamaged, with a line where there is one, for a text that is not of it.

    ``is_current`` says whether just what is wanted is there, ``put`` gives the insertions into a text without ours, and
    ``drop`` the text without ours.
    """

    is_current: Callable[[str, WantedHooks], bool]
    put: Callable[[str, WantedHooks], list[Insertion]]
    drop: Callable[[str], str]


def _json_is_current(text: str, wanted: WantedHooks) -> bool:
    found = [(one.event, one.chain[-1].value) for one in _ours(_parsed(text))] if text.strip(_BLANK) else []
    return _are_wanted(found, wanted)


def _json_put(text: str, wanted: WantedHooks) -> list[Insertion]:
    groups = {event: {**wanted.matcher(event), "hooks": [dict(handler)]} for event, handler in wanted.hooks.items()}
    if not text.strip(_BLANK):
        whole = json.dumps({"hooks": {event: [group] for event, group in groups.items()}}, ensure_ascii=False, indent=2)
        return [Insertion(len(text), f"{whole}\n")]
    made: list[Insertion] = []
    for event, group in groups.items():
        try:
            made.append(jsonc.appending(text, ("hooks", event), group))
        except RecursionError:
            raise CorpusDamaged("it is nested too deeply", hint=_BY_HAND) from None
        except ValueError as error:
            raise CorpusDamaged(str(error), hint=_BY_HAND) from error
        text = put_in(text, made[-1:])
    return made


def _json_drop(text: str) -> str:
    if not text.strip(_BLANK):
        return text
    while found := next(iter(_ours(_parsed(text))), None):
        root, hooks, groups, group, handlers, handler = found.chain
        parent, child = handlers, handler
        # What would be left empty goes too, but for comments and the file's own braces.
        for outer, inner in ((groups, group), (hooks, groups), (root, hooks)):
            around = text[inner.start : child.start] + text[child.end : inner.end]
            if len(parent.children) > 1 or "/" in around:
                break
            parent, child = outer, inner
        text = jsonc.removed(text, parent, child)
    return text


class _FoundHook(NamedTuple):
    """A handler of ours: its event, and the nodes that lead to it from the outermost value."""

    event: str
    chain: tuple[jsonc.Node, jsonc.Node, jsonc.Node, jsonc.Node, jsonc.Node, jsonc.Node]


def _ours(root: jsonc.Node) -> Iterator[_FoundHook]:
    hooks = root.members.get("hooks")
    for event, groups in hooks.members.items() if hooks else ():
        for group in groups.items:
            handlers = group.members.get("hooks")
            for handler in handlers.items if handlers else ():
                command = handler.members.get("command")
                if hooks and handlers and command and _OURS.search(str(command.value)):
                    yield _FoundHook(event, (root, hooks, groups, group, handlers, handler))


def _parsed(text: str) -> jsonc.Node:
    try:
        root = jsonc.parse(text)
    except RecursionError:
        raise CorpusDamaged("it is nested too deeply", hint=_BY_HAND) from None
    except ValueError as error:
        raise CorpusDamaged(f"{error}", hint=_BY_HAND) from error
    if not isinstance(root.value, dict):
        raise CorpusDamaged("line 1: the settings are not an object", hint=_BY_HAND)
    return root


def _are_wanted(found: list[tuple[str, Any]], wanted: WantedHooks) -> bool:
    """Whether the handlers that were found, by their events, are those wanted, in whichever order."""
    return sorted(found, key=str) == sorted(((event, dict(one)) for event, one in wanted.hooks.items()), key=str)


def value_of(text: str) -> Any:
    """Parses settings in JSON; None for a text that is not of that format, and for one without anything."""
    try:
        return _parsed(text).value or None
    except CorpusDamaged:
        return None


def _toml_is_current(text: str, wanted: WantedHooks) -> bool:
    held = _toml(text)
    notify, hooks = held.get("notify"), held.get("hooks")
    found = [
        (event, handler)
        for event, groups in (hooks.items() if isinstance(hooks, dict) else ())
        for group in (groups if isinstance(groups, list) else ())
        for handler in (group.get("hooks", ()) if isinstance(group, dict) else ())
        if isinstance(handler, dict) and _OURS.search(str(handler.get("command")))
    ]
    is_told = notify == list(wanted.notify) or (notify is not None and not _is_ours(notify))
    return is_told and _are_wanted(found, wanted)


def _toml_put(text: str, wanted: WantedHooks) -> list[Insertion]:
    """No line marks the end of ours: Codex moves comments behind a table to the next one, and writes between them.

    JSON's strings and lists of strings are TOML's as well.
    """
    end, made = line_end(text), []
    if "notify" not in _toml(text):
        begin = len(text) - len(text.removeprefix("\ufeff"))
        made.append(Insertion(begin, f"notify = {json.dumps(list(wanted.notify), ensure_ascii=False)}{end}"))
    lines = [_TOML_HEAD]
    for event, handler in wanted.hooks.items():
        inline = ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in handler.items())
        matcher = [f"matcher = {json.dumps(value)}" for value in wanted.matcher(event).values()]
        lines += [f"[[hooks.{event}]]", *matcher, f"hooks = [{{ {inline} }}]"]
    made.append(blocks.appended(put_in(text, made), end.join(lines)))
    _toml(put_in(text, made), "[hooks] is written in a way that nothing can be added to; put our hooks in by hand")
    return made


def _toml_drop(text: str) -> str:
    while found := _TOML_HOOKS.search(text):
        text = blocks.cut(text, *found.span())
    text = _TOML_NOTIFY.sub("", text)
    held = _toml(text)
    if _is_ours(held.get("notify")) or _OURS.search(str(held.get("hooks"))):
        raise CorpusDamaged("our hooks are written in another way by now", hint="take them out by hand")
    return text


def _is_ours(notify: Any) -> bool:
    words = [str(word) for word in notify] if isinstance(notify, list) else []
    return words[-4:-1] == ["hook", "notify", "--agent"] and words[-5:][0].endswith("aicx")


def _toml(text: str, otherwise: str = "it cannot be read as TOML") -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CorpusDamaged(f"{otherwise}: {error}", hint=_BY_HAND) from error


JSON = SettingsFormat(_json_is_current, _json_put, _json_drop)
TOML = SettingsFormat(_toml_is_current, _toml_put, _toml_drop)
