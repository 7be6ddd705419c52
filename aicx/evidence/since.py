"""What is known of the time after a session: some of what it left open is done by now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from aicx.evidence.fixes import ends
from aicx.evidence.patterns import statement_rules
from aicx.evidence.runs import Run
from aicx.git.roots import repository_of
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.evidence.session_brief import SessionBrief


@dataclass(frozen=True, slots=True)
class Since:
    """``merged`` are the numbers of pull requests, ``passed`` the checks of later sessions, ``committed_at`` when one
    of these committed last. ``clean`` is whether git has nothing uncommitted in the session's folder now.
    """

    merged: Collection[str] = ()
    passed: tuple[Run, ...] = ()
    committed_at: datetime | None = None
    clean: bool = False

    def with_later(self, briefs: Iterable[SessionBrief]) -> Since:
        """The same with what later sessions in the same place did."""
        briefs = list(briefs)
        committed = [line.at for brief in briefs for line in brief.commits]
        return Since(
            self.merged,
            tuple(run for brief in briefs for run in brief.passed),
            max(committed, default=None),
            self.clean,
        )

    def passes(self, failed: Run) -> bool:
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
