"""The report for a new session: stages that combine git, the corpus, search, the repository map and what is stated."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import id_in, the_project
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.errors import CorpusDamaged, MalformedPolicy, NotFound, StoreLocked, StoreUnwritable, plainly
from aicx.git.state import Git, GitProbe
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.resume import ResumeQuery
from aicx.resume.contract import contract_of
from aicx.resume.files import ask_map, choose_files, consider_changed
from aicx.resume.ranking import MAIN_NAMES
from aicx.resume.recall import choose
from aicx.resume.report import Considered, Reason, ResumeReport
from aicx.resume.session_choice import choose_others, choose_resumed, list_earlier, number_session, rank_earlier
from aicx.resume.state import ResumeState, Stage, locate, require_folder
from aicx.resume.stated import ask_memory, gone_on_from, prove_open, read_work
from aicx.work.gone_on import Choice

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from aicx.work.place import WorkPlace
    from aicx.work.state import OpenTasks


_MAX_COMMITS = 50  # that are named
_OF_TIE = {"task": Reason.MATCHES_TASK, "files": Reason.SHARES_FILES, "branch": Reason.SAME_BRANCH}


def or_without(name: str, stage: Stage) -> Stage:
    """A stage that the report can do without: where it cannot read what it needs, that is named."""

    def run(state: ResumeState) -> None:
        try:
            stage(state)
        except (StoreLocked, StoreUnwritable, CorpusDamaged, MalformedPolicy, OSError, sqlite3.Error) as error:
            state.failed.append(f"without {name}: {plainly(error)}")
            state.warnings.append(state.failed[-1])

    return run


def ask_team(state: ResumeState) -> None:
    """Asks a share what other members did here. It answers while the corpus is searched."""
    query, place = state.query, state.place
    if query.team is None:
        return
    from aicx.share.rows import shared_name  # imported here, as below: most are part of no share
    from aicx.share.sessions import AboutPlace

    folder = place.folder and shared_name(NON_REPOSITORY, place.folder)
    projects = place.scope.projects or tuple(filter(None, [folder]))
    about = AboutPlace.now(
        projects,
        query.now,
        branch=branch if (branch := query.branch or place.state.branch) not in MAIN_NAMES else None,
        files=[path for path in place.state.changed if not path.endswith("/")],
        text=state.topic,
        but=query.exclude_session,
        limit=query.limits.team,
    )
    query.team.ask(replace(about, since=max(about.since, query.since)) if about.since and query.since else about)


def search_history(state: ResumeState) -> None:
    """Searches for the task, and notes of each hit how much of the task it holds."""
    if not state.topic:
        return
    from aicx.resume.search import recall  # imported here: without a task nothing is searched

    found = recall(state)
    state.rarity = rarity = state.reader.rarity(state.topic, state.sessions)
    state.passages = [replace(item, coverage=state.reader.coverage(item, rarity)) for item in found]


def read_git(state: ResumeState) -> None:
    """Asks git what is checked out, and what was committed since the session that is told of."""
    query, found, report = state.query, state.place.state, state.report
    report.git = replace(found, branch=query.branch) if query.branch else found
    told = report.resumed or report.latest
    last = told.facts if told and not report.is_guess else state.latest
    commits = state.landed.commits if state.landed and last else ()
    # A rebase gives a session's own commits a date after its end.
    own = {line.text for line in told.brief.commits} if told and told.brief else set()
    made = [one for one in commits if last and one.at > last.completed_at and one.subject not in own]
    report.commits, report.commit_count = tuple(made[:_MAX_COMMITS]), len(made)
    report.authors = tuple(name for name, _ in Counter(one.author for one in made).most_common())
    state.warnings += found.notes
    since = (Reason.SINCE_LAST_SESSION,)
    state.considered += (Considered(str(Ref("commit", one.hash)), "commit", None, since) for one in report.commits)


def choose_passages(state: ResumeState) -> None:
    """Chooses the passages to quote."""
    query = state.query
    limits = query.limits
    state.chosen, considered = choose(state.passages, query.now, query.exclude_session, limits.recalled, limits.related)
    state.considered += considered


def quote_passages(state: ResumeState) -> None:
    """Quotes the passages in their own words, without those in which nobody said anything that stands by itself."""
    found = []
    for item in state.chosen:
        if lines := state.reader.quote(item, state.rarity):
            found.append(replace(item, lines=lines))
            continue
        ref, nothing = str(Ref("chunk", item.chunk)), Reason.SAYS_NOTHING
        state.considered = [one._replace(left_out=nothing) if one.ref == ref else one for one in state.considered]
    state.report.recalled = tuple(found)


def hear_team(state: ResumeState) -> None:
    """Takes what the share answered."""
    if state.query.team is None:
        return
    state.report.team, notes = state.query.team.answer()
    state.warnings += notes
    for one in state.report.team:
        reasons = (Reason.SHARED_BY_MEMBER, *(_OF_TIE[tie] for tie in one.ties if tie in _OF_TIE))
        state.considered.append(Considered(one.ref, "session", None, reasons, None, {"member": one.member}))


def warn(state: ResumeState) -> None:
    """Collects the warnings of the report: first of all what was altered on disk."""
    report = state.report
    if state.topic and state.ranked and not report.recalled and state.is_unsure:
        nearest = f"; the nearest session is {report.resumed.facts.ref}" if report.resumed else ""
        state.warnings.append(f"nothing in the history clearly fits this task{nearest}")
    report.altered = tuple(sorted(state.reader.altered | {item.chunk for item in state.passages if item.altered}))
    said = []
    if count := len(report.altered):
        chunks = "1 chunk was" if count == 1 else f"{count} chunks were"
        said = [f"{chunks} altered on disk since being stored, and nothing of that is quoted (next: aicx doctor --fix)"]
    report.warnings = tuple(dict.fromkeys([*said, *state.warnings, *state.reader.notes]))
    report.considered, report.unavailable = tuple(state.considered), tuple(state.unavailable)


def ask_arbiter(state: ResumeState) -> None:
    """Lets a configured command judge the files to begin with."""
    command = state.settings.arbiter_for(state.query.agent)
    if command and state.query.outside:
        from aicx.resume.arbiter import arbitrate  # imported here: few have one

        state.report = arbitrate(command, state.report)


def draw_contract(state: ResumeState) -> None:
    """The contract of the session that begins, and what helped before against the failures that it goes on from."""
    resumed = state.report.resumed
    state.report.known_fixes = state.history.known_fixes(resumed)
    ran = resumed.brief.tests if resumed and resumed.brief else ()
    passed = dict.fromkeys(ran, (resumed.facts.ref,)) if resumed and ran else state.history.tests()
    state.report.contract = contract_of(state.report, passed, state.topic)


def ask_summarizer(state: ResumeState) -> None:
    """Lets a configured command sum the brief up: claims, each with the evidence of the lines that it names."""
    command, report = state.settings.summarizer, state.report
    if not command or not state.query.outside:
        return
    # Imported here: few have one.
    from aicx.resume.brief.compose import compose
    from aicx.work.summarizer import SECONDS, Fact, summarize

    parts = [part for part in compose(report) if part.text]
    facts = [Fact(part.slot, part.text, part.refs or (part.entry,)) for part in parts]
    found = summarize(command, "brief", report.task, facts, SECONDS)
    report.summary = tuple((claim, parts[claim.fact].entry) for claim in found.claims)
    report.summary_by, report.summary_note = found.by, found.note


STAGES: tuple[Stage, ...] = (
    ask_team,  # where a share is asked too
    list_earlier,  # the sessions of the repository
    or_without("the search", search_history),  # passages that answer the task
    rank_earlier,
    choose_resumed,  # the session that the work goes on from
    read_git,
    choose_others,
    choose_passages,
    choose_files,  # where to look first
    or_without("the map", ask_map),
    consider_changed,
    quote_passages,
    or_without("the memory", ask_memory),
    or_without("open tasks", read_work),
    or_without("what is open", prove_open),  # of what that session left, what nothing settled since
    hear_team,
    warn,
    number_session,
    ask_arbiter,
    draw_contract,  # what the session is to keep to
    ask_summarizer,
)
# The session that the work goes on from without a task, and nothing else.
GONE_ON: tuple[Stage, ...] = (list_earlier, rank_earlier, choose_resumed)


def resume(settings: Settings, query: ResumeQuery, look: GitProbe | None = None) -> ResumeReport:
    """Everything a new session may need, best first; only what was read of sessions is kept, below ``index/``.

    ``look`` is one at the query's folder that was begun earlier. A corpus with nothing in it gives a report with what
    git and the map say. Raises UsageError for a folder that is not there or may not be read, and for a name of several
    projects, NotFound for one of none.
    """
    with ExitStack() as stack:
        if look is not None:
            stack.enter_context(look)
        if query.folder is not None:
            require_folder(query.folder)
            look = look or stack.enter_context(GitProbe(Git(query.folder.absolute())))
        empty: str | None
        try:
            opened = stack.enter_context(open_catalog(settings.layout))
        except NotFound as error:
            opened = Opened(stack.enter_context(closing(Catalog.in_memory())), None, [])
            empty = f"{error.message} (next: {error.hint})"
        else:
            is_empty = not opened.catalog.rows("SELECT 1 FROM chunks WHERE ignored=0 LIMIT 1")
            empty = f"nothing is stored in {settings.layout.home} yet (next: aicx store)" if is_empty else None
        query = replace(
            query,
            project=the_project(query.project, opened.catalog) if query.project is not None else None,
            exclude_session=tuple(map(id_in, query.exclude_session)),
            also=tuple(the_project(name, opened.catalog) for name in query.also),
        )
        state = ResumeState.of(settings, query, opened.catalog, locate(settings, query, opened.catalog, look))
        stack.callback(state.reader.close)
        state.warnings += [note for note in (empty, opened.fallback_reason, *opened.notes) if note]
        for stage in STAGES:
            stage(state)
        state.report.empty = "; ".join([empty, *state.failed]) if empty else None
        return state.report


def gone_on(settings: Settings, folder: Path, now: datetime, look: GitProbe, *, keep: bool = True) -> Choice:
    """Finds what `resume` without a task goes on from in ``folder``, and nothing else: for `next`, tasks and packs.

    Without ``keep`` nothing is written, not even what was read of sessions for the next question.
    Raises NotFound where nothing is stored, CorpusDamaged.
    """
    with open_catalog(settings.layout) as opened:
        query = ResumeQuery(now=now, folder=folder, outside=False)
        state = ResumeState.of(settings, query, opened.catalog, locate(settings, query, opened.catalog, look))
        with ExitStack() as stack:
            stack.callback(state.reader.close, keep=keep)
            for stage in GONE_ON:
                stage(state)
        notes = [note for note in (opened.fallback_reason, *opened.notes, *state.reader.notes) if note]
        return gone_on_from(state.report.resumed, state.report.unmerged), notes


# In doubt `next`, the open tasks and the page say this and nothing else.
NOTHING_OPEN = "Nothing is open here that I could prove."


def open_work(
    settings: Settings, place: WorkPlace, now: datetime, look: GitProbe | None = None, begun: OpenTasks | None = None
) -> OpenTasks:
    """`open_tasks` with the derived task of the session that `resume` goes on from, where no task was begun."""
    from aicx.work.state import open_tasks  # imported here: a brief reads open tasks by itself

    return open_tasks(settings, place, now, look, gone_on=chosen(settings, place, now), begun=begun)


def chosen(settings: Settings, place: WorkPlace, now: datetime) -> Callable[[], Choice]:
    """The choice of the session that work goes on from, made when it is called."""

    def choose() -> Choice:
        with GitProbe(Git(place.root)) as look:
            return gone_on(settings, place.root, now, look)

    return choose
