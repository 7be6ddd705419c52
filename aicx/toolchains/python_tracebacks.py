"""Tracebacks of Python, wherever they are printed: whole or cut, indented, in groups, one caused by another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from aicx.values import dataclass, regex

_FRAME = regex(
    r'(?P<lead>[ \t|+>:E]{0,40}+)File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d+)(?:, in (?P<name>.{1,200}))?'
)
EXCEPTION = regex(
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Z]\w{0,100}|[a-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,10})(?:: (?P<text>.*)|:?$)"
)
_LEAD = regex(r"[ \t|+>]*+(?:E(?:   |\s*$))?[ \t|]*+")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_FOREIGN = regex(
    r"(?:^|/)(?:site-packages|dist-packages|lib/python\d[\d.]*|lib64/python\d[\d.]*|Lib)/|^<|/_pytest/|(?:^|/)\.?v?env/lib/"
)
SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_MORE_LINES = 6  # of a message that goes on, indented


@dataclass(frozen=True, slots=True)
class Frame:
    file: str
    line: int
    name: str


@dataclass(slots=True)
class Traceback:
    """One exception with the frames that led to it; of a chain the last."""

    frames: list[Frame] = field(default_factory=list)
    type: str = ""
    text: str = ""
    end: int = 0  # the index of the line after it

    @property
    def kind(self) -> str:
        """The exception's class without its module."""
        return self.type.rpartition(".")[2]

    @property
    def message(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type

    @property
    def place(self) -> Frame | None:
        """The deepest frame in the project's own files, else the deepest of all."""
        return own_frame(self.frames)


def is_foreign(file: str) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return _FOREIGN.search(file.replace("\\", "/")) is not None


def own_frame(frames: Sequence[Frame]) -> Frame | None:
    own = [frame for frame in frames if not is_foreign(frame.file)]
    return own[-1] if own else frames[-1] if frames else None


def tracebacks(lines: Sequence[str]) -> Iterator[Traceback]:
    """The tracebacks in ``lines`` in order, without those that only caused a later one."""
    pending: Traceback | None = None
    position = 0
    while position < len(lines):
        line = lines[position]
        if pending is not None and any(mark in line for mark in _CHAINED):
            pending = None
        if 'File "' in line and (match := _FRAME.match(line)):
            found, position = _read(lines, position, len(match["lead"]))
            if found.type:
                if pending:
                    yield pending
                pending = found
            continue
        if pending is not None and position - pending.end > 3:
            yield pending
            pending = None
        position += 1
    if pending:
        yield pending


def _read(lines: Sequence[str], position: int, indent: int) -> tuple[Traceback, int]:
    """The traceback whose first frame is at ``position``, and the line after it."""
    found = Traceback()
    while position < len(lines):
        line = lines[position]
        if 'File "' in line and (match := _FRAME.match(line)):
            found.frames.append(Frame(match["file"], int(match["line"]), (match["name"] or "").strip()))
            indent = len(match["lead"])
            position += 1
            continue
        bare = line[len(_LEAD.match(line)[0]) :]  # type: ignore[index]  # it matches the empty text, too
        if len(line) - len(bare) > indent or (
            not bare and position + 1 < len(lines) and _FRAME.match(lines[position + 1])
        ):
            position += 1  # source text, carets, `[Previous line repeated 970 more times]`
            continue
        if bare.startswith("[Previous line repeated"):
            position += 1
            continue
        if match := EXCEPTION.match(bare):
            more = _continued(lines[position + 1 : position + 1 + _MORE_LINES], line[: len(line) - len(bare)])
            found.type, found.text = match["type"], "\n".join([(match["text"] or "").strip(), *more]).strip()
            position += 1 + len(more)
        break
    found.end = position
    return found, max(position, 1)


def _continued(lines: Sequence[str], lead: str) -> list[str]:
    """The lines by which an exception's message goes on."""
    more = []
    for line in lines:
        if not line.startswith((lead + " ", lead + "\t")) or not line.strip(" |") or 'File "' in line:
            break
        more.append(line[len(lead) :].strip())
    return more
