"""Which session a brief goes on from, and which others are worth a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aicx.evidence.commits import merged_by, number_of
from aicx.evidence.session_brief import Ending, SessionBrief, with_later
from aicx.evidence.sessions import SessionRow
from aicx.evidence.since import Since, is_clean, same_place
from aicx.evidence.statements import tells_unpushed
from aicx.git.branches import CURRENT, Branches, BranchState, Landed
from aicx.git.subjects import Subject
from aicx.refs import Ref
from aicx.resume.place import Place
from aicx.resume.query import ResumeQuery
from aicx.resume.select.ranking import Ask, Mentions, Scored, confidence
from aicx.resume.select.reader import SessionReader
from aicx.resume.select.report import BriefedSession, Considered, Reason
from aicx.sources.reopen import reopen_command
from aicx.sources.run import AGENT as RUN

# Sessions whose branch is looked up: those that may be shown.
_MAX_STANDINGS = 12
# Sessions since that are read for what they have done of it; each costs reading its chunks.
_MAX_LATER = 4
_REASONS_OF_PARTS = {
    "recall": Reason.MATCHES_TASK,
    "files": Reason.SHARES_FILES,
    "branch": Reason.SAME_BRANCH,
    "folder": Reason.SAME_FOLDER,
}

_REASONS_OF_STANDINGS: dict[BranchState, Reason] = {
    "merged": Reason.MERGED_BRANCH,
    "unmerged": Reason.OTHER_BRANCH_UNMERGED,
}


class SessionChoice:
    """The choice among ranked sessions. ``considered`` and ``warnings`` say why each was taken or left out.

    ``latest`` is the session that ended last, ``landed`` what the head holds. After `resumed`, ``unmerged`` are the
    sessions that would have come first, had their branches been merged.
    """

    def __init__(
        self,
        query: ResumeQuery,
        place: Place,
        reader: SessionReader,
        ask: Ask,
        mentions: Mentions,
        coverages: Mapping[tuple[str, str], float],
        ranked: Sequence[Scored],
        latest: SessionRow | None,
        landed: Landed | None,
    ) -> None:
        self._branch, self._limit = query.branch, query.limits.others
        self._reader = reader
        self._ask, self._mentions, self._coverages = ask, mentions, coverages
        self._ranked, self._latest = ranked, latest
        self._landed, self._state = landed, place.state
        self._branches: Branches | None = None
        if place.look is not None and place.state.usable:
            shown = [item.session.branch or "" for item in ranked[:_MAX_STANDINGS]]
            names = [*shown, (latest.branch or "") if latest else ""]
            self._branches = Branches(place.look.git, place.state, names, landed)
        self.unmerged: list[BriefedSession] = []
        self.warnings: list[str] = []
        self.considered: list[Considered] = []

    def resumed(self) -> BriefedSession | None:
        """The session the work goes on from: the first that says something, on a branch that is part of the head."""
        for item in self._ranked[:_MAX_STANDINGS]:
            session = item.session
            if self._is_behind_typed(session):
                self.considered.append(_considered(self._described(item, "unknown"), Reason.AUTOMATED))
                continue
            brief = self._brief(session)
            standing = self._standing(session, brief)
            if standing not in CURRENT:
                described = self._described(item, standing)
                self.unmerged.append(replace(described, facts=self._reader.titled(session), brief=brief))
                continue
            if brief is None or not (brief.goal or brief.progress or brief.edits):
                continue
            if session.agent == RUN and brief.goal is None and not (brief.commits or brief.pull_requests):
                # A program that was given no task: how it ended is told by itself.
                self.considered.append(_considered(self._described(item, standing), Reason.SAYS_NOTHING))
                continue
            if session.automated_why is not None and not (brief.edits or brief.commits or brief.pull_requests):
                # What a program asked and got answered is no work to go on with.
                self.considered.append(_considered(self._described(item, standing), Reason.AUTOMATED))
                continue
            described = self._described(item, standing)
            resumed = replace(described, facts=self._reader.titled(session), brief=brief)
            self.considered.append(_considered(resumed, None))
            self._explain(resumed)
            return resumed
        self._explain(None)
        return None

    def _explain(self, resumed: BriefedSession | None) -> None:
        """Says why later sessions, or one that fits the task better, are not what the work goes on from."""
        for one in self.unmerged:
            session = one.facts
            branch = f"branch {session.branch}, which is not merged here"
            if self._ask.task and session.ref == self._ranked[0].session.ref:
                self.warnings.append(f"what fits the task best is on {branch}: {session.ref}")
            elif resumed is None or session.completed_at > resumed.facts.completed_at:
                self.warnings.append(f"a later session is left out, since it was on {branch}: {session.ref}")
        latest = self._latest
        if resumed is None or latest is None or self._ask.task or self._is_latest(resumed.facts):
            return
        if latest.automated_why is None and all(one.facts.ref != latest.ref for one in self.unmerged):
            why = {Reason.SAME_BRANCH: "on this branch", Reason.SAME_FOLDER: "in this folder"}
            said = [text for reason, text in why.items() if reason in resumed.reasons]
            of_latest = f"{latest.ref}, {'on ' + latest.branch if latest.branch else 'elsewhere'}"
            reason = f"this goes on from the last one {' and '.join(said)}" if said else "it says nothing to go on from"
            self.warnings.append(f"the latest session is another: {of_latest}; {reason}")

    def others(self, resumed: BriefedSession | None) -> list[BriefedSession]:
        """Further sessions worth a line, the latest one always among them."""
        rest = [item for item in self._ranked if resumed is None or item.session.ref != resumed.facts.ref]
        known = {item.ref for item in self.considered}
        for item in (item for item in rest if item.session.automated_why is not None and item.session.ref not in known):
            self.considered.append(_considered(self._described(item, "unknown"), Reason.AUTOMATED))
        rest = [item for item in rest if item.session.automated_why is None]
        last = self._limit - 1
        newest = next((n for n, item in enumerate(rest) if self._is_latest(item.session)), 0)
        if newest > last:
            rest.insert(last, rest.pop(newest))
        shown: list[BriefedSession] = []
        for number, item in enumerate(rest):
            # The branches of those beyond are not looked up: nothing would show it.
            left = next((one.standing for one in self.unmerged if one.facts.ref == item.session.ref), None)
            standing = left or (self._standing(item.session) if number < _MAX_STANDINGS else "unknown")
            if len(shown) >= self._limit:
                self.considered.append(_considered(self._described(item, standing), Reason.OVER_LIMIT))
                continue
            facts = self._reader.titled(item.session)
            standing, ending, is_pushed = self._left(item, standing)
            outcome = self._reader.outcome(item.session, is_open=ending is not None, is_pushed=is_pushed)
            described = replace(self._described(item, standing), facts=facts, outcome=outcome, ending=ending)
            left_out = None if outcome or facts.title else Reason.SAYS_NOTHING
            shown += [described] if left_out is None else []
            self.considered.append(_considered(described, left_out))
        return shown

    def _left(self, item: Scored, standing: BranchState) -> tuple[BranchState, Ending | None, bool]:
        """How the branch of another session stands, and how that session left the work, where this still holds,
        with whether it is pushed.

        That something is open takes more than the session's word: git has to show its work outside the head, and no
        later session may have gone on with it.
        """
        session, ending = item.session, self._reader.ending(item.session)
        if ending is None and standing not in ("gone", "unmerged"):
            return standing, None, False
        brief = self._reader.brief(session, Since())
        if brief is None:
            return standing, None, False
        standing = self._standing(session, brief)
        if ending is None or self._has_landed(session, brief) or self._is_gone_on_with(item, brief):
            return standing, None, False
        is_outside = standing == "unmerged" and not self._state.shallow
        is_outside |= not {edit.path for edit in brief.edits}.isdisjoint(self._state.changed)
        if ending != "broke off" and (not is_outside or self._is_followed(session)):
            return standing, None, False
        return standing, ending, self._is_pushed(session, brief)

    def _is_gone_on_with(self, item: Scored, brief: SessionBrief) -> bool:
        """Whether a later session had to do with the files that this one changed, or was asked for nearly the same."""
        edited, wanted = {edit.path for edit in brief.edits}, Subject.of(item.session.title or "")
        return any(
            not edited.isdisjoint(other.files) or wanted.nearness(Subject.of(other.session.title or ""))
            for other in self._later(item.session)
        )

    def _is_followed(self, session: SessionRow) -> bool:
        """Whether a later session worked in the same place."""
        place = session.branch, session.cwd
        return any(same_place(place, (item.session.branch, item.session.cwd)) for item in self._later(session))

    def _later(self, session: SessionRow) -> list[Scored]:
        """The sessions that ended after ``session``, the best first."""
        return [item for item in self._ranked if item.session.completed_at > session.completed_at]

    def _brief(self, session: SessionRow) -> SessionBrief | None:
        """The session in brief, without what later sessions in its place have done."""
        clean = is_clean(self._state.dirty, self._state.root, session.cwd)
        commits = self._landed.commits if self._landed else ()
        merged = merged_by(one.subject for one in commits)
        after = tuple(one.subject for one in commits if one.at > session.completed_at)
        since = Since(merged, clean=clean, done=after)
        brief = self._reader.brief(session, since)
        if brief is None:
            return None
        unpushed = any(line and tells_unpushed(line.text) for line in (brief.progress, brief.reported))
        if not (brief.failures or brief.ahead or brief.unanswered or brief.questions or unpushed):
            return brief
        landed = self._has_landed(session, brief)
        since = replace(since, landed=landed, pushed=self._is_pushed(session, brief))
        place = session.branch, session.cwd
        later = sorted(
            (item.session for item in self._later(session)),
            key=lambda other: not same_place(place, (other.branch, other.cwd)),
        )[:_MAX_LATER]
        here, elsewhere = list[SessionBrief](), list[SessionBrief]()
        for other in later:
            if (found := self._reader.brief(other, Since())) is not None:
                (here if same_place(place, (other.branch, other.cwd)) else elsewhere).append(found)
        return self._reader.brief(session, with_later(since, here, elsewhere))

    def _has_landed(self, session: SessionRow, brief: SessionBrief) -> bool:
        """Whether the head holds what a session made: its pull request, or the last commit it made, by any hash.

        Of a session that left its edits to somebody else to commit: every file of them, since its last edit.
        """
        if self._landed is None:
            return False
        if not brief.commits and brief.edits:
            last = max(edit.at for edit in brief.edits)
            return self._landed.holds_files({edit.path for edit in brief.edits}, last)
        own = {number_of(line.text.removesuffix(" (merged)")) for line in brief.pull_requests}
        return not own.isdisjoint(merged_by(one.subject for one in self._landed.commits)) or any(
            self._landed.holds_subject(line.text, session.started_at) for line in brief.commits[:1]
        )

    def _is_pushed(self, session: SessionRow, brief: SessionBrief) -> bool:
        """Whether a remote has what a session committed last, by any hash: in a branch of it, or by way of the head."""
        if self._landed is None:
            return False
        if any(self._landed.is_at_remote(line.text, session.started_at) for line in brief.commits[:1]):
            return True
        if not self._has_landed(session, brief):
            return False
        if self._state.ahead == 0:
            return True
        hashes = [Ref.parse(line.refs[0]).value for line in brief.commits[:1]]
        return self._branches is not None and any(self._branches.holds_commit(one) is not True for one in hashes)

    def _standing(self, session: SessionRow, brief: SessionBrief | None = None) -> BranchState:
        if self._branches is None:
            return "same_branch" if self._branch is not None and session.branch == self._branch else "unknown"
        standing = self._branches.standing(session.branch, session.completed_at)
        if standing not in ("gone", "unmerged") or brief is None:
            return standing
        # Its name is gone or not part of the head, its commits may be.
        held = [self._branches.holds_commit(Ref.parse(line.refs[0]).value) for line in brief.commits[:1]]
        if held == [True] or self._has_landed(session, brief):
            return "merged"
        return "unmerged" if held == [False] else standing

    def _is_behind_typed(self, session: SessionRow) -> bool:
        """Whether a program ran ``session``, and a person's own session of this worktree was left open since."""
        if session.automated_why is None:
            return False
        return any(
            other.automated_why is None and self._is_of_worktree(other) and self._reader.ending(other) is not None
            for other in (item.session for item in self._later(session))
        )

    def _is_of_worktree(self, session: SessionRow) -> bool:
        """Whether a session worked in the folder that is asked about, or on its branch; any, where none is known."""
        folder, branch = self._ask.folder, self._ask.branch
        in_folder = session.cwd is not None and session.cwd == folder
        return folder is None or in_folder or (branch is not None and session.branch == branch)

    def _described(self, item: Scored, standing: BranchState) -> BriefedSession:
        session = item.session
        reasons = [_REASONS_OF_PARTS[name] for name, _ in _by_worth(item.parts) if name in _REASONS_OF_PARTS]
        reasons += [Reason.LATEST_HERE] if self._is_latest(session) else []
        reasons += [_REASONS_OF_STANDINGS[standing]] if standing in _REASONS_OF_STANDINGS else []
        reopen = reopen_command(session.agent, session.session_id, session.lane, session.parent)
        coverage = self._coverages.get((session.agent, session.session_id), 0.0)
        sure = confidence(item, self._ask, coverage, self._mentions)
        return BriefedSession(session, standing, item.score, tuple(reasons), sure, reopen=reopen)

    def _is_latest(self, session: SessionRow) -> bool:
        return self._latest is not None and session.ref == self._latest.ref


def _by_worth(parts: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(((name, worth) for name, worth in parts.items() if worth > 0), key=lambda part: (-part[1], part[0]))


def _considered(item: BriefedSession, left_out: Reason | None) -> Considered:
    return Considered(item.facts.ref, "session", item.score, item.reasons, left_out, {"standing": item.standing})
