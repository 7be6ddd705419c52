"""How many first answers of a share are those of the same corpus searched where it is stored.

    python benchmarks/share_agreement.py HOME OTHER_HOME [QUESTIONS]

HOME is a corpus that was pushed whole, with a vector index. OTHER_HOME is a home with a session or two of its own, an
index of the same model, and part of that share. Questions are sentences that people and agents wrote in HOME, and some
of their words; the same ones every time.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aicx.config import load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import read_chunk
from aicx.corpus.views import searchable_texts, voices_of
from aicx.engine.search import Searcher, SearchQuery
from aicx.share.asking import asked_share

_SENTENCE = re.compile(r"[A-Z][A-Za-z'`_ /-]{30,160}[.?]")


def mined(home: Path, count: int) -> list[str]:
    """Sentences of the corpus, every third cut down to four of its words."""
    settings, chosen = load_settings(corpus=home), random.Random(7)
    with open_catalog(settings.layout) as opened:
        paths = [row["path"] for row in opened.catalog.rows("SELECT path FROM chunks ORDER BY id")]
    chosen.shuffle(paths)
    found: list[str] = []
    for path in paths:
        stored = read_chunk(settings.layout, path)
        texts = zip(searchable_texts(stored.sidecar, stored.markdown), voices_of(stored.sidecar), strict=True)
        sentences = [one for text, voice in texts if voice in ("asked", "said") for one in _SENTENCE.findall(text)]
        if sentences:
            sentence = chosen.choice(sentences)
            if len(found) % 3 == 2:
                words = sentence.rstrip(".?").split()
                sentence = " ".join(chosen.sample(words, min(4, len(words))))
            if sentence not in found:
                found.append(sentence)
        if len(found) == count:
            break
    return found


def main() -> None:
    home, other = Path(sys.argv[1]), Path(sys.argv[2])
    questions = mined(home, int(sys.argv[3]) if len(sys.argv) > 3 else 100)
    own = load_settings(corpus=home)
    team = replace(load_settings(corpus=other), team_wait_seconds=60.0)
    now = datetime.now(UTC)
    met: Counter[str] = Counter()
    with Searcher(own) as local, Searcher(team) as shared:
        for question in questions:
            here = local.search(SearchQuery(question, now)).hits
            there = shared.search(SearchQuery(question, now, team=asked_share(team))).hits
            first, second = ([f"{hit.sidecar.id}" for hit in hits[:1]] for hits in (here, there))
            sessions = [[hit.sidecar.session_id for hit in hits[:1]] for hits in (here, there)]
            same = "passage" if first == second else "session" if sessions[0] == sessions[1] else "nothing"
            met[same] += 1
            if first != second:
                ranks = [hit.rank for hit in there if [hit.sidecar.id] == first]
                print(f"{question[:100]!r}: {first} here; {second} there, where that is at {ranks or 'none'}")
                for hit in (*here[:2], *there[:2]):
                    votes = {name: (round(vote.score, 3), round(vote.worth, 3)) for name, vote in hit.votes.items()}
                    print(f"    {hit.sidecar.id} {hit.score:.3f} {votes}")
    print("the first answers share:", dict(met), "of", len(questions))


if __name__ == "__main__":
    main()
