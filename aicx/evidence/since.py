"""The time after a session: some of what it left open is done by now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from aicx.evidence.calls import is_about_finished
from aicx.evidence.fixes import ends
from aicx.evidence.patterns import statement_rules
from aicx.evidence.runs import CommandRun
from aicx.git import repository_of
from aicx.git.subjects import NEAR, Subject
from aicx.storage.typed import from_json
from aicx.values import dataclass

# A subject in fewer words is in many a longer text.
_TELLING = 4


@dataclass(frozen=True, slots=True)
class Since:
    """``merged`` are the numbers of pull requests, ``passed`` the checks of later sessions, ``committed_at`` when one
    of these committed last. ``clean`` is whether git has nothing uncommitted in the session's folder now, ``landed``
    whether the session's work is in the head, and ``pushed`` whether it came there by way of a remote. ``done`` are
    subjects of commits, and what later sessions were asked.
    """

    merged: Collection[str] = ()
    passed: tuple[CommandRun, ...] = ()
    committed_at: datetime | None = None
    clean: bool = False
    landed: bool = False
    pushed: bool = False
    done: tuple[str, ...] = ()

    @property
    def is_committed(self) -> bool:
        """Whether a later session committed."""
        return self.committed_at is not None

    def has_merged(self, number: str, also: Collection[str]) -> bool:
        """Whether a pull request is merged, or among those that are so ``also``."""
        return number in self.merged or number in also

    def has_finished(self, text: str, own: Collection[str], also: Collection[str] = ()) -> bool:
        """Whether ``text`` concerns only pull requests that are merged; ``own`` and ``also`` are a session's."""
        return is_about_finished(text, own, {*self.merged, *also} if also else self.merged)

    def has_done(self, text: str) -> bool:
        """Whether a commit says nearly the same as ``text``, or a later session was asked for it."""
        wanted = Subject.of(text)
        return any(wanted.nearness(Subject.of(one)) for one in self.done)

    def may_have_done(self, text: str) -> bool:
        """Whether nearly all words of a commit's subject, or of what a later session was asked, are in ``text``."""
        wanted = Subject.of(text).whole
        subjects = (Subject.of(one).bare for one in self.done)
        return any(len(one) >= _TELLING and len(one & wanted) >= NEAR * len(one) for one in subjects)

    def has_landed(self, text: str) -> bool:
        """Whether ``text`` is only about bringing the session's work in, which it is by now."""
        rules = statement_rules()
        if self.pushed and rules.unpushed.search(text):
            return True
        return self.landed and bool(rules.about_request.search(text) or rules.uncommitted.search(text))

    def passes(self, failed: CommandRun) -> bool:
        """Whether a later run says that ``failed`` no longer fails."""
        return any(
            run.at > failed.at and run.kind == failed.kind and ends(part, failed.parts[-1], failed.kind)
            for run in self.passed
            for part in run.parts
        )

    def has_committed(self, text: str, at: datetime, own: Iterable[datetime]) -> bool:
        """Whether ``text``, said at ``at``, is only about a commit that was made since; ``own`` are those of the
        session itself.
        """
        if not statement_rules().uncommitted.search(text):
            return False
        return self.clean or any(one > at for one in (*own, *filter(None, [self.committed_at])))


class AskedSince:
    """A `Since` that notes what it is asked, with its ``answers``: one that gives the same makes the same brief."""

    def __init__(self, since: Since) -> None:
        self._since = since
        self.answers: list[tuple[str, tuple[Any, ...], bool]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._since, name)
        return (
            (lambda *given: self._noted(name, given, found(*given)))
            if callable(found)
            else self._noted(name, (), found)
        )

    def _noted(self, name: str, given: tuple[Any, ...], answer: bool) -> bool:
        if (noted := (name, given, answer)) not in self.answers:
            self.answers.append(noted)
        return answer


def answers_alike(since: Since, answers: Iterable[Sequence[Any]]) -> bool:
    """Whether ``since`` gives the ``answers`` that were kept as JSON."""
    return all(_answer(since, name, given) == answer for name, given, answer in answers)


def _answer(since: Since, name: str, given: Sequence[Any]) -> bool:
    if name == "passes":
        return since.passes(from_json(CommandRun, given[0]))
    if name == "has_committed":
        return since.has_committed(given[0], datetime.fromisoformat(given[1]), map(datetime.fromisoformat, given[2]))
    found = getattr(since, name)
    return bool(found(*given) if given else found)


def same_place(one: tuple[str | None, str | None], other: tuple[str | None, str | None]) -> bool:
    """Whether two sessions, each (branch, folder), worked on one branch or, where a log names none, in one folder."""
    if one[0] is not None and other[0] is not None:
        return one[0] == other[0]
    return one[1] == other[1]


def is_clean(dirty: bool | None, root: str | None, folder: str | None) -> bool:
    """Whether nothing is uncommitted in ``folder``, where a session worked; ``dirty`` is what git says of ``root``."""
    if dirty is not False or root is None or folder is None or repository_of(folder) != folder:
        return False
    return folder == root or folder.startswith(f"{root}/")
