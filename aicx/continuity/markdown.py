"""The note as Markdown: written for people, and read back with a parser, whatever they made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from aicx.continuity.note import (
    FENCE,
    HEADINGS,
    KINDS,
    LABELS,
    MAX_BYTES,
    NOTES,
    PLACEHOLDER,
    STATUSES,
    TITLES,
    Broken,
    Kind,
    Layer,
    Note,
    NoteItem,
    fields_of,
    front_matter_of,
    unescaped,
    updated_of,
)
from aicx.text import instant
from aicx.values import dataclass

_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)")


def render(note: Note, layer: Layer) -> str:
    """The note as its file has it."""
    lines = [FENCE, f"status: {note.status}"]
    lines += [f"updated: {instant(note.updated_at, 'seconds')}"] if note.updated_at else []
    lines += [f"session: {note.source}"] if note.source else []
    lines += note.front_matter.splitlines()
    lines += [FENCE, "", f"# {TITLES[layer]}"]
    for heading, kinds in HEADINGS.items():
        lines += ["", f"## {heading}", ""]
        if not kinds:
            lines.append(_escaped(note.goal.text, "") if note.goal else PLACEHOLDER)
            continue
        items = [item for kind in kinds for item in note.sections.get(kind, ())]
        lines += (_bullet(item, labelled=len(kinds) > 1) for item in items)
        lines += [] if items else [PLACEHOLDER]
    if note.unknown_text:
        lines += ["", f"## {NOTES}", "", note.unknown_text]
    return "\n".join(lines) + "\n"


def parse(body: bytes, layer: Layer) -> Note:
    """The note in a file. Raises Broken for what is none, or what was left half merged."""
    if len(body) > MAX_BYTES:
        raise Broken(f"longer than {MAX_BYTES // 1024} KiB")
    try:
        text = body.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Broken("not UTF-8") from error
    if "\0" in text:
        raise Broken("it holds a NUL byte")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _CONFLICT.search(text):
        raise Broken("it holds marks of a merge conflict")
    front, text = front_matter_of(text)
    fields, unknown = fields_of(front)
    lines = text.split("\n")
    if not _ends(lines):
        raise Broken("a code block or a comment in it has no end")
    read = _ParsedNote(lines, layer)
    if text.strip() and not read.found:
        raise Broken(f"it has none of the headings, as '## {next(iter(HEADINGS))}'")
    return Note(
        goal=read.goal,
        sections={kind: tuple(items) for kind in KINDS if (items := read.items.get(kind))},
        unknown_text=read.unknown,
        updated_at=updated_of(fields.get("updated")),
        status=next((status for status in STATUSES if status == fields.get("status", "active")), "active"),
        source=fields.get("session", ""),
        front_matter=unknown,
    )


def _without_placeholder(lines: Sequence[str]) -> Iterator[str]:
    """Lines without the placeholder, where it stands alone: within a block of HTML an empty line would end that."""
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        yield "" if line.strip() == PLACEHOLDER and not before.strip() and not after.strip() else line


@dataclass(slots=True)
class _ParsedNote:
    """The sections of a text. What was taken into none is ``unknown``, line for line."""

    lines: list[str]
    layer: Layer
    goal: NoteItem | None = None
    items: dict[Kind, list[NoteItem]] = field(default_factory=dict)
    found: bool = False
    unknown: str = ""

    def __post_init__(self) -> None:
        section: str | None = None
        taken: set[int] = set()
        goal: list[str] = []
        headings = list(_headings(self.lines))
        ends = [line for line, _, _ in headings[1:]] + [len(self.lines)]
        for (start, after, name), end in zip(headings, ends, strict=False):  # without headings there is an end too many
            section = {_words(heading): heading for heading in HEADINGS}.get(_words(name))
            if section is None:
                if _words(name) in map(_words, (*TITLES.values(), NOTES)):
                    taken.update(range(start, after))
                continue
            self.found = True
            taken.update(range(start, after))
            if not HEADINGS[section]:
                goal += [
                    *_without_placeholder(self.lines[after:end]),
                    "",
                ]  # between parts, so that they do not become one
                taken.update(range(after, end))
            else:
                taken.update(self._list(section, after, end))
        said = unescaped(_plain(_stripped("\n".join(goal))))
        if said:
            self.goal = NoteItem(said, "goal", self.layer)
        left = ("" if number in taken else line for number, line in enumerate(self.lines))
        self.unknown = re.sub(r"\n{3,}", "\n\n", "\n".join(left)).strip("\n")

    def _list(self, section: str, start: int, end: int) -> Iterator[int]:
        """Takes the items of a section; gives the numbers of the lines that they were in."""
        kinds = HEADINGS[section]
        part = self.lines[start:end]
        for node in _tree(part).children:
            if node.map is None:
                continue
            low, high = node.map
            if node.type in ("bullet_list", "ordered_list"):
                for child in node.children:
                    assert child.map is not None
                    self._take(_item_text(part[child.map[0] : child.map[1]]), kinds)
            elif node.type == "paragraph":
                self._take(_plain("\n".join(part[low:high])), kinds)
            else:
                continue
            yield from range(start + low, start + high)

    def _take(self, text: str, kinds: tuple[Kind, ...]) -> None:
        text = _stripped(text)
        if not text or text == PLACEHOLDER:
            return
        kind = kinds[-1]
        if len(kinds) > 1:
            label, colon, rest = text.partition(":")
            if colon and label in LABELS and rest.strip():
                kind, text = LABELS[label], rest.strip()
        if said := unescaped(text):
            self.items.setdefault(kind, []).append(NoteItem(said, kind, self.layer))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(first line, line after, words) of each heading of the first two levels."""
    for node in _tree(lines).children:
        if node.type == "heading" and node.tag in ("h1", "h2") and node.map is not None:
            yield node.map[0], node.map[1], node.children[0].content if node.children else ""


def _ends(lines: Sequence[str]) -> bool:
    """Whether a heading behind the text is one, rather than part of something that was never closed."""
    return any(start == len(lines) + 1 for start, _, _ in _headings([*lines, "", "# End"]))


def _tree(lines: Sequence[str]) -> SyntaxTreeNode:
    return SyntaxTreeNode(_parser().parse("\n".join(lines)))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable(["inline", "text_join"], ignoreInvalid=True)


def _words(name: str) -> str:
    """A heading as headings are compared: `Incomplete / Next` is `Incomplete and next`."""
    return " ".join(word for word in re.findall(r"\w+", name.casefold()) if word != "and")


def _item_text(lines: list[str]) -> str:
    """Returns what an item of a list says: one line for a paragraph, otherwise its Markdown as it was written."""
    first = _MARKER.match(lines[0])
    assert first is not None
    indent = len(first[0])
    rest = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[1:]]
    return _plain("\n".join([lines[0][indent:], *rest]))


def _plain(text: str) -> str:
    """``text`` on one line where it is one paragraph."""
    nodes = _tree(text.strip("\n").split("\n")).children
    if len(nodes) == 1 and nodes[0].type == "paragraph":
        return " ".join(text.split())
    return _stripped(text)


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).strip()


def _bullet(item: NoteItem, *, labelled: bool) -> str:
    label = next((f"{name}: " for name, kind in LABELS.items() if kind == item.kind), "") if labelled else ""
    return "- " + re.sub(r"\n(?=[^\n])", "\n  ", _escaped(item.text, label))


def _escaped(text: str, label: str) -> str:
    """``text`` behind ``label`` so that it is read back as it is: a line is never read as a block of its own."""
    escape = text.startswith("\\") or text == PLACEHOLDER
    escape = escape or ("\n" not in text and not label and not _is_paragraph(text))
    return f"{label}\\{text}" if escape else label + text


def _is_paragraph(text: str) -> bool:
    nodes = _tree([text]).children
    return len(nodes) == 1 and nodes[0].type == "paragraph"
