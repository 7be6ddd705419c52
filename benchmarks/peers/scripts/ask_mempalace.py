"""MemPalace: `init` and `mine` as its command line has them, then its programmatic search."""

import subprocess
import sys

from loop import Ask, Place, number_of, serve

_PROGRAM = [sys.executable, "-m", "mempalace"]
_LAST = 300


def build(place: Place) -> None:
    documents, palace = str(place.documents), str(place.index)
    for arguments in (["init", documents, "--yes", "--no-llm"], ["mine", documents]):
        done = subprocess.run(
            [*_PROGRAM, "--palace", palace, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        sys.stderr.write(done.stdout)
        if done.returncode:
            raise RuntimeError(f"mempalace {arguments[0]} ended with {done.returncode}: {done.stdout[-_LAST:]}")


def opened(place: Place) -> Ask:
    from mempalace.searcher import search_memories

    palace = str(place.index)

    def ask(text: str, limit: int) -> list[int]:
        answer = search_memories(text, palace, n_results=limit, candidate_strategy=place.mode)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return [number_of(row["source_file"]) for row in answer["results"]]

    return ask


serve(build, opened)
