"""AIT: every document a note in the memory of an empty git repository, asked by its memory search."""

import subprocess

from loop import Ask, Place, serve


def build(place: Place) -> None:
    from ait.memory.notes import add_memory_note_with_repository
    from ait.memory.repository import open_memory_repository

    place.index.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(place.index)], check=True, capture_output=True)
    with open_memory_repository(place.index) as repository:
        for row in place.lines():
            add_memory_note_with_repository(
                repository, body=row["text"], topic="document", source=f"manual:{row['number']}"
            )


def opened(place: Place) -> Ask:
    from ait.memory.search import search_repo_memory

    def ask(text: str, limit: int) -> list[int]:
        found = search_repo_memory(place.index, text, limit=limit, ranker=place.mode)
        return [int(str(row.metadata["source"]).rpartition(":")[2]) for row in found]

    return ask


serve(build, opened)
