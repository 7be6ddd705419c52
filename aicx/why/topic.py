"""What a commit is about, in words, and which of the sentences of a session are about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from aicx.evidence.transcript import Step
from aicx.why.asked import alike, terms
from aicx.why.report import CommitQuery

# What a word of a message's body or of a file's name says, beside one of the subject, and the characters of a body.
_OF_BODY, _OF_FILES, _MAX_BODY = 0.5, 0.5, 1000
# "fix" in "fix(parser): read brackets" says what kind of change it is, and is in every other sentence.
_KIND = re.compile(r"^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?=\(|!?:)", re.IGNORECASE)
# A sentence is about a commit from here: it has a word of the subject that nothing else said in the session has, or
# several that other things have too.
_LEAST = 1.0

Said = tuple[str, Step]


def message_of(wanted: CommitQuery) -> Mapping[str, float]:
    """The terms of a commit's message, and what each says of it: those of its subject most; of none, its files'."""
    change = wanted.change
    found = dict.fromkeys(terms(change.body[:_MAX_BODY]), _OF_BODY)
    found |= dict.fromkeys(terms(f"{wanted.name} {_KIND.sub('', change.subject)}"), 1.0)
    return found or dict.fromkeys(_of_files(wanted), 1.0)


def for_requests(message: Mapping[str, float], wanted: CommitQuery) -> Mapping[str, float]:
    """The terms that requests are compared with: also the kind of change, and the names of the commit's files."""
    subject = dict.fromkeys(terms(wanted.change.subject), 1.0)
    return {**dict.fromkeys(_of_files(wanted), _OF_FILES), **message, **subject}


def _of_files(wanted: CommitQuery) -> frozenset[str]:
    stems = (path.rpartition("/")[2].partition(".")[0] for path in wanted.files)
    return terms(" ".join(re.sub(r"[/._-]", " ", stem) for stem in stems))


class Fit:
    """How well a sentence fits a commit's ``message``, beside the other ``texts`` and the ``requests`` of its session.

    A session is often about several commits of the same files: the names of files do not tell them apart, nor do words
    that the whole session is about. What a session with a single request says belongs to that, unless it made another
    commit before (``several``).
    """

    def __init__(
        self, message: Mapping[str, float], requests: Sequence[str], texts: Iterable[str], *, several: bool
    ) -> None:
        every = [terms(text) for text in {*requests, *texts}]
        counts = Counter(term for one in every for term in one & message.keys())
        most = log(1 + len(every))
        self._worth = {term: message[term] * log(1 + len(every) / count) / most for term, count in counts.items()}
        self._least = _LEAST if several or len(requests) > 1 else 0.0

    def best(self, said: Sequence[Said], limit: int) -> list[Said]:
        """Those that are about the commit, at most ``limit``, later ones first where that is equal; in order."""
        rated = [(sum(self._worth.get(term, 0.0) for term in terms(text)), text, step) for text, step in said]
        best: list[Said] = []
        for worth, text, step in sorted(rated, key=lambda one: (one[0], one[2].at), reverse=True):
            if worth < self._least or len(best) == limit:
                break
            if not any(alike(text, other) for other, _ in best):
                best.append((text, step))
        return sorted(best, key=lambda one: one[1].at)
