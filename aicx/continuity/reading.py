"""Reads the notes of a place. Nothing is written, and a note that cannot be understood is named."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from aicx.config import Settings
from aicx.continuity.note import (
    HEADINGS,
    KINDS,
    LABELS,
    LAYERS,
    MAX_BYTES,
    PLACEHOLDER,
    STATUSES,
    TITLES,
    Broken,
    Kind,
    Layer,
    Layers,
    Note,
    NoteItem,
    fields_of,
    front_matter_of,
    merged,
    unescaped,
    updated_of,
)
from aicx.continuity.places import PROJECT_NAME, NotePlaces, NoteState, note_places, plain_file, read_state, with_known
from aicx.errors import CorpusDamaged, UnsafePath
from aicx.work.files import NOTES
from aicx.work.place import WorkPlace

_BULLET, _INDENT = "- ", "  "


# Where the content that counts is instead of in the note, by layer. None stands for a note that is not there.
Moved = Mapping[Layer, Path | None]


def read_layers(settings: Settings, place: WorkPlace) -> Layers:
    """The notes of a place."""
    places = note_places(settings, place)
    moved = _interrupted(settings, place, places)
    if _hidden(settings, places):
        moved = {**moved, "project": None}
    broken: dict[Layer, str] = {}
    found: dict[Layer, Note | None] = {}
    for layer in LAYERS:
        try:
            found[layer] = read_note(places, layer, moved)
        except Broken as error:
            broken[layer] = str(error)
            found[layer] = None
    there = [*(layer for layer in found if found[layer] is not None), *broken]
    both = merged(found["project"], found["local"])
    return Layers(found["project"], found["local"], both, broken, {layer: places.of(layer) for layer in there})


def _hidden(settings: Settings, places: NotePlaces) -> bool:
    """Whether `.aicxignore` hides the project's note."""
    layout = settings.layout
    if not layout.ignore_file.exists():
        return False
    from aicx.corpus.catalog.query import ignore_matcher

    return ignore_matcher(layout)(places.project.relative_to(layout.home).as_posix())


def read_note(places: NotePlaces, layer: Layer, moved: Moved | None = None) -> Note | None:
    """One layer as its file has it, with what is known of its items; None where there is none.

    Secrets that a person may have written into it are masked. Raises Broken.
    """
    if moved and layer in moved:
        path = moved[layer]
        body = None if path is None else _bytes(path)
    else:
        body = read_body(places, layer)
    if body is None:
        return None
    state = read_state(places.state(layer))
    note = read_as_written(body, layer, state.items.keys())
    if note is None:
        # Imported here: a note that nobody edited is read without the parser.
        from aicx.continuity.markdown import parse

        note = parse(body, layer)
    return with_known(_redacted(note, state), state)


def read_body(places: NotePlaces, layer: Layer) -> bytes | None:
    """The bytes of one layer's file, at most one more than a note may have; None where there is none. Raises Broken."""
    path = places.of(layer)
    try:
        top = places.root if layer == "local" else places.continuity.parent
        return _bytes(path) if plain_file(path, top) else None
    except OSError as error:
        raise Broken(error.strerror or str(error)) from error
    except UnsafePath as error:
        raise Broken(error.message) from error


def _bytes(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Broken(error.strerror or str(error)) from error


def _interrupted(settings: Settings, place: WorkPlace, places: NotePlaces) -> Moved:
    """Both notes as they were before a writing that was killed, or as they are after it: never one of each."""
    try:
        if not any(name.startswith("pending-") for name in os.listdir(places.continuity)):
            return {}
    except OSError:
        return {}
    # Imported here: nearly always nothing was interrupted.
    from aicx.continuity.publishing import digest_of, pendings
    from aicx.storage.journal import waiting
    from aicx.work.events import read_log, work_folder

    bodies: dict[Layer, Path | None] = {}
    with suppress(OSError, CorpusDamaged):
        writing = [one for one in pendings(places.continuity) if one.stage == "writing"]
        if not writing:
            return {}
        published = waiting(work_folder(settings.layout))
        name = f"{place.repo_id}/{NOTES}/{PROJECT_NAME}"
        if name in published:
            bodies["project"] = published[name]
        done = {event.id for event in read_log(settings.layout.work / place.repo_id, last=1).events}
        for one in writing:
            here = one.target is not None and one.target.parent == places.local_folder
            if here and not published and one.event not in done and digest_of(places.local) == one.new:
                bodies["local"] = one.before if one.before.exists() else None
    return bodies


def _redacted(note: Note, state: NoteState) -> Note:
    """``note`` without secrets in what a person wrote: what aicx wrote has none."""
    if all(item.key in state.items for item in note.items) and not (note.unknown_text or note.front_matter):
        return note
    from aicx.redaction import redact_plain  # imported here: its rules take a while to load
    from aicx.storage.typed import with_texts

    return with_texts(note, lambda text: redact_plain(text).text)


def read_as_written(body: bytes, layer: Layer, known: Collection[str]) -> Note | None:
    """The note in ``body``; None where a line, or an item whose key is not ``known``, is not as aicx writes it.

    It is read line by line: a parser of Markdown takes longer to load than all the rest. The keys are hashes of the
    items' words, so that what is read here is what was written.
    """
    if len(body) > MAX_BYTES:
        return None
    try:
        front, text = front_matter_of(body.decode("utf-8"))
        fields, unknown = fields_of(front)
        updated = updated_of(fields.get("updated"))
    except (UnicodeDecodeError, Broken):
        return None
    found = _items(text, layer)
    if unknown or found is None or any(item.key not in known for item in found):
        return None
    return Note(
        goal=next((item for item in found if item.kind == "goal"), None),
        sections={kind: items for kind in KINDS if (items := tuple(item for item in found if item.kind == kind))},
        updated_at=updated,
        status=next(status for status in STATUSES if status == fields.get("status", "active")),
        source=fields.get("session", ""),
    )


def _items(text: str, layer: Layer) -> list[NoteItem] | None:
    """The goal and the items of the sections; None where a line is none that aicx writes."""
    parts: list[tuple[tuple[Kind, ...], list[str]]] = []
    kinds: tuple[Kind, ...] | None = None
    seen: set[str] = set()
    blank = 0
    for line in text.split("\n"):
        heading = line.removeprefix("## ")
        if not line:
            blank += 1
            continue
        if heading in HEADINGS and heading != line and heading not in seen:
            seen.add(heading)
            kinds = HEADINGS[heading]
            if not kinds:
                parts.append((kinds, []))
        elif kinds is None:
            if line != f"# {TITLES[layer]}" or seen:
                return None
        elif line == PLACEHOLDER:
            pass
        elif not kinds:
            parts[-1][1].extend([""] * (blank if parts[-1][1] else 0) + [line])
        elif line.startswith(_BULLET):
            parts.append((kinds, [line[len(_BULLET) :]]))
        elif line.startswith(_INDENT) and parts and parts[-1][0] == kinds:
            parts[-1][1].extend([""] * blank + [line[len(_INDENT) :]])
        else:
            return None
        blank = 0
    return [_item(kinds, "\n".join(lines), layer) for kinds, lines in parts if lines]


def _item(kinds: tuple[Kind, ...], text: str, layer: Layer) -> NoteItem:
    if not kinds:
        return NoteItem(unescaped(text), "goal", layer)
    label, colon, rest = text.partition(": ")
    if len(kinds) > 1 and colon and label in LABELS:
        return NoteItem(unescaped(rest), LABELS[label], layer)
    return NoteItem(unescaped(text), kinds[-1], layer)
