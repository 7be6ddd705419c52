"""Which session a brief goes on from, and which others are worth a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property

from aicx.evidence import Statement
from aicx.evidence.calls import hash_of, number_of
from aicx.evidence.session_brief import Ending, SessionBrief, with_later
from aicx.evidence.sessions import MAX_SESSIONS as LISTED_SESSIONS
from aicx.evidence.sessions import SessionRow, count_sessions, list_sessions, load_sessions, short_ids
from aicx.evidence.since import Since, is_clean, same_place
from aicx.evidence.statements import tells_unpushed
from aicx.git.branches import CURRENT, Branches, BranchState
from aicx.git.subjects import Subject
from aicx.resume.ranking import Ask, Mentions, Scored, confidence, files_of, rank_sessions, shared_branches
from aicx.resume.recall import coverages, is_near, shares
from aicx.resume.report import BriefedSession, Considered, Reason
from aicx.resume.state import ResumeState
from aicx.sources import MEMORIES, RUN, reopen_command
from aicx.telling import telling_words
from aicx.text import first_of
from aicx.values import regex

# Sessions whose branch is looked up: those that may be shown.
_MAX_STANDINGS = 12
# Sessions since that are read for what they have done of it; each costs reading its chunks.
_MAX_LATER = 4
# A session that begins so soon after another one was left was begun in its stead.
_AT_ONCE = timedelta(minutes=5)
# Work goes on elsewhere so long after a session's end, and on a branch of everybody's where it went on elsewhere since.
_JUST_BEFORE, _DAY = timedelta(minutes=30), timedelta(days=1)
_DIRTY = 3  # files that a line names
_RARE = 2  # titles: a word of more of them tells none from the others
_JOINTS = regex(r"[-_./]")
_HASH = regex(r"(?<![\w/-])(?=\w*[a-f])(?=\w*\d)[0-9a-f]{7,40}(?![\w-])")
_REASONS_OF_PARTS = {
    "recall": Reason.MATCHES_TASK,
    "files": Reason.SHARES_FILES,
    "branch": Reason.SAME_BRANCH,
    "folder": Reason.SAME_FOLDER,
}

_REASONS_OF_STANDINGS = {"merged": Reason.MERGED_BRANCH, "unmerged": Reason.OTHER_BRANCH_UNMERGED}


def list_earlier(state: ResumeState) -> None:
    """The sessions of the repository, the newest first, without subagents and those that are not to count."""
    for session in list_sessions(state.catalog, state.place.scope, state.query.now, state.query.since):
        left_out = _against(state, session)
        if left_out is None:
            state.sessions.append(session)
        else:
            state.considered.append(Considered(session.ref, "session", None, (), left_out))
            state.helpers += [session] if left_out is Reason.SUBAGENT else []
    state.latest = next(iter(state.sessions), None)


def rank_earlier(state: ResumeState) -> None:
    """Ranks the sessions, those that the search found beyond the newest ones too."""
    query, place = state.query, state.place
    own = [passage for passage in state.passages if passage.relation is None]
    if not any(map(is_near, own)):
        own = []  # no session is chosen for a word that stands everywhere
    changed = tuple(path for path in place.state.changed if not path.endswith("/"))
    state.ask = Ask(state.topic, query.now, query.branch or place.state.branch, place.folder, changed)
    listed = {(session.agent, session.session_id) for session in state.sessions}
    missing = [owner for owner in dict.fromkeys(passage.owner for passage in own) if owner not in listed]
    found = load_sessions(state.catalog, missing, query.now)
    state.sessions += [session for session in found if _against(state, session) is None]
    files = (path for session in state.sessions for path in files_of(session, place.roots))
    state.mentions = Mentions.of(state.ask, files)
    state.coverages = coverages(own) if state.rarity.is_discriminative else {}
    state.ranked = rank_sessions(state.sessions, state.ask, shares(own), state.mentions, place.roots)
    state.report.session_count = len(state.ranked)


def choose_resumed(state: ResumeState) -> None:
    """Chooses the session that the work goes on from."""
    place = state.place
    if place.look is not None and place.state.usable:
        names = [item.session.branch or "" for item in state.ranked[:_MAX_STANDINGS]]
        names.append((state.latest.branch or "") if state.latest else "")
        state.branches = Branches(place.look.git, place.state, names, state.landed)
    state.report.resumed = SessionChoice(state).resumed()
    state.report.unmerged = tuple(state.unmerged)


def choose_others(state: ResumeState) -> None:
    """Chooses further sessions that are worth a line."""
    state.report.others = tuple(SessionChoice(state).others(state.report.resumed))


def number_session(state: ResumeState) -> None:
    """The number of the session that begins, and the ids of those that are quoted as short as they may be."""
    resumed, known = state.report.resumed or state.report.latest, len(state.ranked)
    if known >= LISTED_SESSIONS - 1:  # only the newest were looked at
        own = next(iter(state.query.exclude_session), None)
        known = count_sessions(state.catalog, state.place.scope, state.query.now, but=own)
    state.report.session_number = known + 1
    ids = [item.session_id for item in state.chosen] + ([resumed.facts.session_id] if resumed else [])
    state.report.short = short_ids(state.catalog, ids)


def _against(state: ResumeState, session: SessionRow) -> Reason | None:
    if session.session_id.startswith(state.query.exclude_session):
        return Reason.EXCLUDED_BY_USER
    if session.session_id.startswith(MEMORIES):
        return Reason.SAYS_NOTHING
    return Reason.SUBAGENT if session.lane == "subagent" else None


class SessionChoice:
    """The choice among ranked sessions; the run says why each was taken or left out."""

    def __init__(self, run: ResumeState) -> None:
        self._run, self._reader, self._state = run, run.reader, run.place.state

    def resumed(self) -> BriefedSession | None:
        """The session the work goes on from: the first that says something, on a branch that is part of the head."""
        passed: list[BriefedSession] = []
        for item in self._run.ranked[:_MAX_STANDINGS]:
            session = item.session
            if self._is_behind_typed(session):
                self._run.considered.append(_considered(self._described(item, "unknown"), Reason.AUTOMATED))
                continue
            brief = self._brief(session)
            standing = self._standing(session, brief)
            if standing not in CURRENT:
                self._run.unmerged.append(self._described(item, standing, brief))
                continue
            if brief is None or not _tells(brief):
                continue
            resumed = self._described(item, standing, brief)
            made = brief.commits or brief.pull_requests
            # How a program ended that was given no task is told by itself; what one asked is no work to go on with.
            is_bare = session.agent == RUN and brief.goal is None and not made
            if is_bare or (session.automated_why is not None and not (brief.edits or made)):
                why = Reason.SAYS_NOTHING if is_bare else Reason.AUTOMATED
                self._run.considered.append(_considered(resumed, why))
                continue
            if self._is_of_other_work(item, brief, standing, passed=bool(passed)):
                passed.append(resumed)
                continue
            self._run.considered.append(_considered(resumed, None))
            self._explain(resumed)
            return resumed
        self._explain(None)
        if not self._run.ask.task.strip():
            every = [item for item in (*passed, *self._run.unmerged) if item.facts.automated_why is None]
            every.sort(key=lambda one: (self._is_named(one.facts), one.facts.completed_at), reverse=True)
            self._run.report.latest = next((one for one in every if _tells(one.brief)), None)
        return None

    def _explain(self, resumed: BriefedSession | None) -> None:
        """Says why later sessions, or one that fits the task better, are not what the work goes on from."""
        for one in self._run.unmerged:
            session = one.facts
            branch = f"branch {session.branch}, which is not merged here"
            if self._run.ask.task and session.ref == self._run.ranked[0].session.ref:
                self._run.warnings.append(f"what fits the task best is on {branch}: {session.ref}")
            elif resumed is None or session.completed_at > resumed.facts.completed_at:
                self._run.warnings.append(f"a later session is left out, since it was on {branch}: {session.ref}")
        latest, own = self._run.latest, self._run.ask.branch
        if resumed is None and latest is not None and not self._run.unmerged and latest.branch not in (None, own):
            is_older = any(item.session.was_on(own) for item in self._run.ranked)
            helper = next((one.ref for one in self._run.helpers if one.was_on(own)), None)
            only = f"only helpers of other sessions ran on branch {own}, the last was {helper}"
            nothing = only if helper else f"nothing ties a stored session to branch {own}"
            why_not = f"what ran on branch {own} is older" if is_older else nothing
            self._run.warnings.append(f"{why_not}; the latest was on {latest.branch}: {latest.ref}")
        if resumed is None or latest is None or self._run.ask.task or self._is_latest(resumed.facts):
            return
        if latest.automated_why is None and all(one.facts.ref != latest.ref for one in self._run.unmerged):
            why = {Reason.SAME_BRANCH: "on this branch", Reason.SAME_FOLDER: "in this folder"}
            said = [text for reason, text in why.items() if reason in resumed.reasons]
            of_latest = f"{latest.ref}, {'on ' + latest.branch if latest.branch else 'elsewhere'}"
            reason = f"this goes on from the last one {' and '.join(said)}" if said else "it says nothing to go on from"
            self._run.warnings.append(f"the latest session is another: {of_latest}; {reason}")

    def others(self, resumed: BriefedSession | None) -> list[BriefedSession]:
        """Further sessions worth a line, the latest one always among them."""
        told = resumed or self._run.report.latest
        rest = [item for item in self._run.ranked if told is None or item.session.ref != told.facts.ref]
        known = {item.ref for item in self._run.considered}
        for item in (item for item in rest if item.session.automated_why is not None and item.session.ref not in known):
            self._run.considered.append(_considered(self._described(item, "unknown"), Reason.AUTOMATED))
        rest = [item for item in rest if item.session.automated_why is None]
        if resumed is None:  # where nothing ties, what a branch is called may
            rest.sort(key=lambda item: not self._is_named(item.session))
        limit = self._run.query.limits.others
        last = limit - 1
        newest = next((n for n, item in enumerate(rest) if self._is_latest(item.session)), 0)
        if newest > last:
            rest.insert(last, rest.pop(newest))
        shown: list[BriefedSession] = []
        for number, item in enumerate(rest):
            # The branches of those beyond are not looked up: nothing would show it.
            left = next((one.standing for one in self._run.unmerged if one.facts.ref == item.session.ref), None)
            standing = left or (self._standing(item.session) if number < _MAX_STANDINGS else "unknown")
            if len(shown) >= limit:
                self._run.considered.append(_considered(self._described(item, standing), Reason.OVER_LIMIT))
                continue
            facts = self._reader.titled(item.session)
            standing, ending, is_pushed = self._left(item, standing)
            outcome = self._reader.outcome(item.session, is_open=ending is not None, is_pushed=is_pushed)
            described = replace(self._described(item, standing), facts=facts, outcome=outcome, ending=ending)
            left_out = None if outcome or facts.title else Reason.SAYS_NOTHING
            shown += [described] if left_out is None else []
            self._run.considered.append(_considered(described, left_out))
        return [replace(one, standing=_with_its_branch(one, [*shown, *filter(None, [resumed])])) for one in shown]

    def _is_named(self, session: SessionRow) -> bool:
        """Whether the branch that is checked out is called by words of a session's title, and of few others."""
        about = telling_words(_JOINTS.sub(" ", self._run.ask.branch or ""))
        return any(self._words[one] <= _RARE for one in about & telling_words(session.title or ""))

    @cached_property
    def _words(self) -> Counter[str]:
        """In how many of the titles each word is."""
        return Counter(word for item in self._run.ranked for word in telling_words(item.session.title or ""))

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
        is_followed = self._is_begun_anew(session, brief) if ending == "broke off" else self._is_followed(session)
        may_be_at_work = self._run.query.now - session.completed_at <= _AT_ONCE
        if is_followed or may_be_at_work or (ending == "open" and not is_outside):
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

    def _is_begun_anew(self, session: SessionRow, brief: SessionBrief) -> bool:
        """Whether a session that changed nothing was left for another one in the same place at once.

        A plan is often carried out in a session of its own, and a prompt that was stopped is said again in another one.
        """
        place, until = (session.branch, session.cwd), session.completed_at + _AT_ONCE
        return not brief.edits and any(
            item.session.started_at <= until and same_place(place, (item.session.branch, item.session.cwd))
            for item in self._later(session)
        )

    def _later(self, session: SessionRow) -> list[Scored]:
        """The sessions that ended after ``session``, the best first."""
        return [item for item in self._run.ranked if item.session.completed_at > session.completed_at]

    def _brief(self, session: SessionRow) -> SessionBrief | None:
        """The session in brief, without what later sessions in its place have done."""
        clean = is_clean(self._state.dirty, self._state.root, session.cwd)
        commits = self._run.landed.commits if self._run.landed else ()
        after = tuple(one.subject for one in commits if one.at > session.completed_at)
        since = Since(self._run.merged, clean=clean, done=after)
        brief = self._reader.brief(session, since)
        if brief is None:
            return None
        unpushed = any(line and tells_unpushed(line.text) for line in (brief.progress, brief.reported))
        if not (brief.failures or brief.ahead or brief.unanswered or brief.questions or unpushed):
            return brief
        landed = self._has_landed(session, brief)
        done = (*after, *self._of_lost_commits(brief))
        since = replace(since, landed=landed, pushed=self._is_pushed(session, brief), done=done)
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

    def _of_lost_commits(self, brief: SessionBrief) -> list[str]:
        """What a session left to do with commits that no branch has: it is over, or is not known to be open."""
        if (branches := self._run.branches) is None:
            return []
        left = [line.text for line in (brief.unanswered, *brief.ahead, *brief.questions) if line]
        named = ((text, _HASH.findall(text)) for text in left)
        return [text for text, hashes in named if hashes and all(map(branches.is_lost, hashes))]

    def _has_landed(self, session: SessionRow, brief: SessionBrief) -> bool:
        """Whether the head holds what a session made: its pull request, or the last commit it made, by any hash.

        Of a session that left its edits to somebody else to commit: every file of them, since its last edit.
        """
        landed, known = self._run.landed, self._run.has_landed
        if landed is None:
            return False
        if session.ref not in known:
            own = {number_of(line.text.removesuffix(" (merged)")) for line in brief.pull_requests}
            if not brief.commits and brief.edits:
                last = max(edit.at for edit in brief.edits)
                known[session.ref] = landed.holds_files({edit.path for edit in brief.edits}, last)
            else:
                known[session.ref] = not own.isdisjoint(self._run.merged) or any(
                    landed.holds_subject(line.text, session.started_at) for line in brief.commits[:1]
                )
        return known[session.ref]

    def _is_pushed(self, session: SessionRow, brief: SessionBrief) -> bool:
        """Whether a remote has what a session committed last, by any hash: in a branch of it, or by way of the head."""
        if self._run.landed is None:
            return False
        if any(self._run.landed.is_at_remote(line.text, session.started_at) for line in brief.commits[:1]):
            return True
        if not self._has_landed(session, brief):
            return False
        if self._state.ahead == 0:
            return True
        return any(held is not True for held in self._held(brief.commits[:1]))

    def _in_git(self, session: SessionRow, brief: SessionBrief) -> str:
        """What git shows of a session's commits, or of its edits where it made none; empty where that is unsure."""
        landed, paths = self._run.landed, {edit.path for edit in brief.edits}
        if landed is None or not landed.commits or self._state.shallow:
            return ""
        commits = brief.commits
        held = [landed.holds_subject(one.text, session.started_at) or self._held([one]) == [True] for one in commits]
        if any(held):
            count = "what it committed" if all(held) else f"{sum(held)} of its {len(held)} commits"
            return f"this head holds {count}{'' if held[0] else ', and not the last one'}"
        if self._has_landed(session, brief):
            return "every file that it edited was committed since" if paths and not held else ""
        after = [Subject.of(one.subject) for one in landed.commits if commits and one.at >= session.started_at]
        is_reworded = any(Subject.of(one.text).nearness(other) for one in commits for other in after)
        first = min((edit.at for edit in brief.edits), default=None)
        if is_reworded or not (held or paths) or (first and landed.changed(paths, first)):
            return ""
        dirty = first_of(sorted(paths.intersection(self._state.changed)), _DIRTY)
        there = f"; not committed here: {dirty}" if dirty else ""
        return f"this head holds {'none of its commits' if held else 'no commit of its edits'}{there}"

    def _held(self, commits: Sequence[Statement]) -> list[bool | None]:
        """Whether the head holds each of a session's commits whose hash is known."""
        branches, hashes = self._run.branches, filter(None, map(hash_of, commits))
        return [branches.holds_commit(one) for one in hashes] if branches else []

    def _standing(self, session: SessionRow, brief: SessionBrief | None = None) -> BranchState:
        if self._run.branches is None:
            branch = self._run.query.branch
            return "same_branch" if branch is not None and session.branch == branch else "unknown"
        standing = self._run.branches.standing(session.branch, session.completed_at)
        if standing not in ("gone", "unmerged") or brief is None:
            return standing
        # Its name is gone or not part of the head, its commits may be.
        held = self._held(brief.commits[:1])
        if held == [True] or self._has_landed(session, brief):
            return "merged"
        return "unmerged" if held == [False] else standing

    def _is_of_other_work(self, item: Scored, brief: SessionBrief, standing: BranchState, *, passed: bool) -> bool:
        """Whether nothing ties a session to what is checked out, where no task says more.

        It changed nothing of what is changed here, and was on another branch than this one, or than everybody's: it is
        at work there, or ended a while ago. Where a later one was ``passed`` over for that, older ones tell little too.
        """
        ask, session, shared = self._run.ask, item.session, shared_branches(self._run.sessions)
        if ask.task.strip() or item.parts["files"] or ask.branch is None:
            return False
        silent, is_shared = ask.now - session.completed_at, ask.branch in shared
        if session.was_on(ask.branch):
            return passed and is_shared and silent > _DAY
        if brief.may_be_at_work(ask.now):
            return True
        commits = self._run.landed.commits if self._run.landed else ()
        is_left = brief.open_at(ask.now) and not any(one.at > session.completed_at for one in commits)
        if is_left and not self._is_followed(session):
            return False  # a branch that was made of what it left
        is_apart = passed or not is_shared or standing == "gone"
        return session.branch is not None and is_apart and silent > _JUST_BEFORE

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
        folder = self._run.ask.folder
        return folder is None or session.cwd == folder or session.was_on(self._run.ask.branch)

    def _described(self, item: Scored, standing: BranchState, brief: SessionBrief | None = None) -> BriefedSession:
        session = item.session
        parts = sorted((-worth, name) for name, worth in item.parts.items() if worth > 0)
        reasons = [_REASONS_OF_PARTS[name] for _, name in parts if name in _REASONS_OF_PARTS]
        reasons += [Reason.LATEST_HERE] if self._is_latest(session) else []
        reasons += [_REASONS_OF_STANDINGS[standing]] if standing in _REASONS_OF_STANDINGS else []
        reopen = reopen_command(session.agent, session.session_id, session.lane, session.parent)
        coverage = self._run.coverages.get((session.agent, session.session_id), 0.0)
        sure = confidence(item, self._run.ask, coverage, self._run.mentions)
        found = BriefedSession(session, standing, item.score, tuple(reasons), sure, reopen=reopen)
        if brief is None:
            return found
        return replace(found, facts=self._reader.titled(session), brief=brief, in_git=self._in_git(session, brief))

    def _is_latest(self, session: SessionRow) -> bool:
        return self._run.latest is not None and session.ref == self._run.latest.ref


def _tells(brief: SessionBrief | None) -> bool:
    """Whether a session in brief says something to go on with."""
    return brief is not None and bool(brief.goal or brief.progress or brief.edits)


def _with_its_branch(one: BriefedSession, every: Sequence[BriefedSession]) -> BranchState:
    """How a session stands: where its branch is gone, and what a later one of that branch made came in, so did its own.

    What came after that may have been left behind.
    """
    branch = [other for other in every if other.standing == "merged" and other.facts.branch == one.facts.branch]
    if one.standing != "gone" or not branch:
        return one.standing
    return "merged" if any(other.facts.completed_at > one.facts.completed_at for other in branch) else "unknown"


def _considered(item: BriefedSession, left_out: Reason | None) -> Considered:
    return Considered(item.facts.ref, "session", item.score, item.reasons, left_out, {"standing": item.standing})
