"""Reads what a user asks for: words, names, and quoted phrases."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from aicx.values import dataclass
from retrieval.analysis import Terms, analyze_runs, in_any_language

_QUOTED = re.compile(r'"([^"\n]{1,500})"')
# A question is a few words. What goes beyond (a pasted log) is cut, and the answer says so.
MAX_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question. ``runs`` are its terms, word by word and name by name; ``phrases`` its quoted parts.

    ``corrected`` has what was typed and what is searched for in its place.
    """

    text: str
    terms: Terms
    runs: tuple[Terms, ...] = ()
    phrases: tuple[str, ...] = ()
    shortened: bool = False
    corrected: tuple[tuple[str, str], ...] = ()

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
    shortened = len(text) > MAX_CHARS
    text = text[:MAX_CHARS]
    phrases = tuple(phrase.strip() for phrase in _QUOTED.findall(text) if phrase.strip())
    return _question(text, tuple(analyze_runs(text)), phrases, shortened=shortened)


def correct(question: Question, corrections: Mapping[str, str]) -> Question:
    """The question with other terms in place of what was typed: ``corrections`` has a stem or a whole name for each."""
    runs = tuple(corrected(run, corrections[run.typed]) if run.typed in corrections else run for run in question.runs)
    changed = _question(question.text, runs, question.phrases, shortened=question.shortened)
    return replace(changed, corrected=tuple(corrections.items()))


def widen(question: Question, unknown: Collection[str]) -> Question:
    """The question with the words of ``unknown``, as typed, in whichever language they may be."""
    runs = tuple(in_any_language(run) if run.typed in unknown else run for run in question.runs)
    return replace(question, runs=runs)


def _question(text: str, runs: tuple[Terms, ...], phrases: tuple[str, ...], *, shortened: bool) -> Question:
    words = [word for run in runs for word in run.words]
    names = [name for run in runs for name in run.names]
    return Question(text, Terms(words, names), runs, phrases, shortened)


def corrected(run: Terms, form: str) -> Terms:
    """A word or a name of a question in another form; without terms for a word that is never indexed."""
    if run.names:
        return Terms([], [form], typed=run.typed)
    return replace(next(iter(analyze_runs(form)), Terms()), typed=run.typed)
