"""Reads what a user asks for: words, names, and quoted phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.analysis import Terms, analyze, analyze_runs

_QUOTED = re.compile(r'"([^"\n]{1,500})"')
# A question is a few words. What goes beyond (a pasted log) is cut, and the answer says so.
LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question. ``runs`` are its terms, word by word and name by name; ``phrases`` its quoted parts."""

    text: str
    terms: Terms
    runs: tuple[Terms, ...] = ()
    phrases: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def is_lookup(self) -> bool:
        """Whether it consists of names only: a path, a symbol, an error code. Such a thing is looked up."""
        return bool(self.runs) and all(run.names for run in self.runs)

    @property
    def empty(self) -> bool:
        """Whether nothing is left to look for: only stop words, punctuation or symbols."""
        return not self.terms.words and not self.terms.names


def parse_question(text: str) -> Question:
    """The question in ``text``. An unbalanced quote is a quote character, not an error."""
    shortened = len(text) > LONGEST
    text = text[:LONGEST]
    phrases = tuple(phrase.strip() for phrase in _QUOTED.findall(text) if phrase.strip())
    return Question(text, analyze(text), tuple(analyze_runs(text)), phrases, shortened)
