"""Reads the notes of a place. Nothing is written, and a note that cannot be understood is named."""

from __future__ import annotations

from dataclasses import replace

from aicx.config import Settings
from aicx.continuity.markdown import MAX_BYTES, Broken, parse
from aicx.continuity.note import BrokenNote, Layer, Layers, Note, NoteItem, merged
from aicx.continuity.places import NotePlaces, note_places, plain_file
from aicx.continuity.state import read_state, with_known
from aicx.errors import UnsafePath
from aicx.work.place import WorkPlace


def read_layers(settings: Settings, place: WorkPlace) -> Layers:
    """The notes of a place, without secrets that a person may have written into them."""
    places = note_places(settings, place)
    broken: list[BrokenNote] = []
    found: dict[Layer, Note | None] = {}
    for layer in ("project", "local"):
        try:
            note = read_note(places, layer)
            found[layer] = None if note is None else _redacted(note)
        except Broken as error:
            broken.append(BrokenNote(layer, places.of(layer), str(error)))
            found[layer] = None
    paths = {layer: places.of(layer) for layer in found if found[layer] is not None}
    paths |= {one.layer: one.path for one in broken}
    return Layers(found["project"], found["local"], merged(found["project"], found["local"]), tuple(broken), paths)


def read_note(places: NotePlaces, layer: Layer) -> Note | None:
    """One layer as its file has it, with what is known of its items; None where there is none. Raises Broken."""
    body = read_body(places, layer)
    return None if body is None else with_known(parse(body, layer), read_state(places.state(layer)))


def read_body(places: NotePlaces, layer: Layer) -> bytes | None:
    """The bytes of one layer's file, at most a few more than a note may have. Raises Broken."""
    path = places.of(layer)
    try:
        if not plain_file(path, places.root if layer == "local" else places.continuity):
            return None
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Broken(error.strerror or str(error)) from error
    except UnsafePath as error:
        raise Broken(error.message) from error


def _redacted(note: Note) -> Note:
    from aicx.redaction import redact_plain  # imported here: where there is no note, nothing has to be redacted

    def item(one: NoteItem) -> NoteItem:
        return replace(one, text=redact_plain(one.text).text)

    return replace(
        note,
        goal=item(note.goal) if note.goal else None,
        sections={kind: tuple(map(item, items)) for kind, items in note.sections.items()},
        unknown_text=redact_plain(note.unknown_text).text,
        front_matter=redact_plain(note.front_matter).text,
    )
