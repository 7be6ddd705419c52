"""What a session was seen to do, read from its stored log: files opened and edited, commands, and tests, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from aicx.evidence.calls import answered_calls, is_edit
from aicx.evidence.fixes import ends, topic_of
from aicx.evidence.patterns import command_rules
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.shell import Simple, simple_commands
from aicx.work.compliance import Observed

# Programs that print the files they are given.
_READERS = frozenset({"bat", "cat", "head", "less", "more", "nl", "sed", "tail"})
_PATH = re.compile(r"[\w@.+-]*(?:/[\w@.+-]+)+|[\w@+-]+\.[A-Za-z]\w{0,9}|Makefile|Dockerfile")
_DELETES = re.compile(r"(?:git rm|rm|unlink|trash)\s(?P<rest>.*)", re.DOTALL)
_DELETED_BY_PATCH = re.compile(r"^\*\*\* Delete File: (.+)$", re.MULTILINE)
_FINALIZES = re.compile(r"(?<![^\W_])aicx[_ ]finalize\b")


def observe(steps: Sequence[Step], roots: Roots, folder: str | None = None) -> Observed:
    """What the session of ``steps`` did. ``folder`` is where it worked. How it ended is for others to say."""
    opened: dict[str, None] = {}
    edited: dict[str, None] = {}
    commands: list[str] = []
    tests: list[str] = []
    orientation: list[str] = []
    deleted: dict[str, None] = {}
    finalized = False
    for call, result in answered_calls(steps):
        finalized = finalized or _FINALIZES.search(f"{call.tool} {call.command}") is not None
        paths = _relative(call.files, roots, folder)
        if is_edit(call):
            if result is None or not result.failed:
                edited |= dict.fromkeys(paths)
                gone = _relative(_DELETED_BY_PATCH.findall(call.text.replace("\\n", "\n")), roots, folder)
                deleted = {path: None for path in (*deleted, *gone) if path in gone or path not in paths}
            continue
        opened |= dict.fromkeys(paths)
        for part in simple_commands(call.command):
            read = dict.fromkeys(_relative(_read_by(part), roots, folder))
            opened |= read
            if (removes := _DELETES.match(part.text)) and (result is None or not result.failed):
                deleted |= dict.fromkeys(_relative(_named_in(removes["rest"]), roots, folder))
            if not (opened or edited) and command_rules().look.match(part.text):
                orientation.append(part.text)
            if not command_rules().look.match(part.text):
                commands.append(part.text)
                tests += [part.text] if topic_of(part) == "test" else []
    return Observed(
        tuple(opened),
        tuple(edited),
        tuple(commands),
        tuple(tests),
        tuple(orientation),
        finalized=finalized,
        deleted=tuple(deleted),
    )


def is_same_test(run: str, expected: str) -> bool:
    """Whether a command ran the expected test, or one that includes it."""
    wanted = simple_commands(expected)
    return bool(wanted) and any(ends(part, wanted[-1], "check") for part in simple_commands(run))


def _read_by(command: Simple) -> Iterator[str]:
    program, _, rest = command.text.partition(" ")
    if program in _READERS:
        yield from _named_in(rest)


def _named_in(arguments: str) -> Iterator[str]:
    """The arguments that look like paths."""
    yield from (word for word in arguments.replace('"', " ").replace("'", " ").split() if _PATH.fullmatch(word))


def _relative(paths: Iterable[str], roots: Roots, folder: str | None) -> list[str]:
    return [path for name in paths if (path := roots.relative(name, folder))]
