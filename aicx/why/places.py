"""What ties a session to a commit's author: the home folder that it worked in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aicx.corpus.places.standing import LocalRepository as LocalRepository
from aicx.corpus.places.standing import same_file as same_file
from aicx.git.history import HistoryCommit

_HOME = re.compile(r"(?:/Users|/home|[A-Za-z]:[\\/]Users)[\\/]([^\\/]+)")
_WORD = re.compile(r"[^\W_]+")
_MIN_NAME = 3


def is_author(change: HistoryCommit, cwd: str | None) -> bool:
    """Whether the home folder that a session worked in bears the name of a commit's author."""
    home = _HOME.match(cwd or "")
    if home is None:
        return False
    local = change.email.partition("@")[0].rpartition("+")[2]
    names = {*_words(change.author), *_words(local), "".join(_words(change.author)), local.casefold()}
    return home[1].casefold() in {name for name in names if len(name) >= _MIN_NAME}


def _words(text: str) -> Iterable[str]:
    return [word.casefold() for word in _WORD.findall(text)]
