"""`aicx.resume/1`: the brief of a new session. What makes it is `aicx.resume.brief.json_brief`."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any

from aicx.fields import OPTIONAL
from aicx.share import TeamSession
from aicx.values import dataclass
from aicx.work.contract import Contract, ContractResult
from aicx.work.session_facts import Said

SCHEMA = "aicx.resume/1"


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit made since the session that the brief tells of."""

    commit: Annotated[str, "hash"]
    at: str
    subject: Annotated[str, "first line of its message"]


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """The repository as git tells of it; null where it was not asked."""

    project: Annotated[str | None, "its name in the corpus"]
    root: Annotated[str | None, "its folder"]
    kind: Annotated[str, "`repository`, `bare`, `none`, or `unavailable` without git"]
    branch: Annotated[str | None, "the branch checked out"]
    head: Annotated[str | None, "the commit checked out"]
    detached: Annotated[bool, "whether no branch is"]
    dirty: Annotated[bool | None, "whether files are changed"]
    changed_count: Annotated[int | None, "number of changed files"]
    changed_files: Annotated[list[str], "the first of them"]
    commits_since_last_session: Annotated[int, "number of commits since the one that is told of"]
    commits: Annotated[list[CommitLine], "the latest of them"]
    ahead: Annotated[int | None, "commits that the upstream lacks"]
    behind: Annotated[int | None, "commits that only the upstream has"]
    shallow: Annotated[bool, "whether its history is cut"]
    submodule: Annotated[bool, "whether it is one"]
    worktrees: Annotated[int, "number of worktrees"]
    sessions: Annotated[int, "number of sessions stored of it"]


@dataclass(frozen=True, slots=True)
class TaskState:
    """Whether the work of the session gone on from is open, and why."""

    status: Annotated[str, "`active`, `completed` or `unknown`"]
    confidence: Annotated[str, "`low`, `medium` or `high`"]
    reason: Annotated[
        str,
        "such as `failure_open`, `git_shows` or `said_done`; `stated_failure` or `stated_next` by a statement; "
        "`nothing_proven` where what it left is not sure to be open",
    ]


@dataclass(frozen=True, slots=True)
class Match:
    """How well the session gone on from fits."""

    level: Annotated[str, "`low`, `medium` or `high`"]
    score: Annotated[float, "the sum of its signals"]
    signals: Annotated[list[str], "what speaks for it"]


@dataclass(frozen=True, slots=True)
class KnownFix:
    """An open failure that was seen and resolved before, and what was done then."""

    failure: Annotated[str, "reference of the failure, which `aicx show` opens"]
    message: Annotated[str, "what the tool said"]
    command: Annotated[str, "that failed"]
    files: Annotated[list[str], "edited before it passed"]
    commands: Annotated[list[str], "run before it passed"]
    at: Annotated[str, "when it passed"]
    session: Annotated[str, "reference of the session"]
    refs: list[str]


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file that was changed."""

    path: Annotated[str, "of the file"]
    count: Annotated[int, "how often it was changed"]
    at: Annotated[str, "when last"]
    refs: list[str]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A file to look at first."""

    path: Annotated[str, "of the file"]
    reason: Annotated[str, "why to look there"]
    refs: list[str]


@dataclass(frozen=True, slots=True)
class StatedDecision:
    """A decision that was stated at the end of a session: a candidate until a person accepts it."""

    text: Annotated[str, "as it was stated"]
    status: Annotated[str, "`candidate`"]
    at: str
    refs: list[str]


@dataclass(frozen=True, slots=True)
class StatedEnd:
    """The statement at the end of a session, made with `aicx finalize`. What its log says completes it."""

    ref: Annotated[str, "reference of the statement, which `aicx show` opens"]
    by: Annotated[str, "agent, `person`, or program that `aicx run` ran"]
    session: Annotated[str | None, "reference of its session, where it is known"]
    at: str
    age: Annotated[str, "how long ago, as `2 hours ago`"]
    outcome: Annotated[str, "`success` or `failure`"]
    goal: Annotated[str | None, "what it was about, where that was stated"]
    summary: Annotated[str, "what was reached, or what failed"]
    next: Annotated[list[Said], "what comes next"]
    failing: Annotated[list[Said], "errors that were seen"]
    decisions: Annotated[list[StatedDecision], "what was decided"]


@dataclass(frozen=True, slots=True)
class RanProgram:
    """A program that `aicx run` ran, and how it ended."""

    ref: Annotated[str, "reference of its record"]
    command: Annotated[str, "as it was given"]
    exit_code: Annotated[int, "as a shell has it"]
    telling: Annotated[str | None, "the line of its output that says most of what went wrong"]
    files: Annotated[list[str], "files that changed meanwhile"]
    commits: Annotated[list[str], "references of commits that were made meanwhile, the newest first"]
    at: str
    age: Annotated[str, "how long ago"]


@dataclass(frozen=True, slots=True)
class Capsule:
    """The session gone on from."""

    current_request: Annotated[str, "the task"]
    resuming: Annotated[str | None, "the session, or null"]
    reopen: str | None
    goal: Annotated[Said | None, "what it was about"]
    last_request: Annotated[Said | None, "the last prompt"]
    last_progress: Annotated[Said | None, "what was reached last"]
    next_action: Annotated[str | None, "what `stated` says comes next, else what is open first, as `--next` says it"]
    next: Annotated[list[Said], "what is sure to be open"]
    failures: Annotated[list[Said], "what failed and surely was not mended"]
    decisions: Annotated[list[Said], "what was decided"]
    validated: Annotated[list[Said], "what was tried and works"]
    commits: Annotated[list[Said], "commits made"]
    pull_requests: Annotated[list[Said], "pull requests named"]
    files_edited: Annotated[list[EditedFile], "files it edited"]
    entry_points: Annotated[list[EntryPoint], "where to look first"]
    automated: bool
    automated_why: str | None


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A piece of history that was used. It has a ``branch`` where it is a session."""

    kind: Annotated[str, "`handoff`, `session`, `recall`, `repo_map`, …"]
    source: Annotated[str, "`corpus`, or `map` for a place that the repository map names"]
    source_id: Annotated[str, "a reference to it"]
    summary: Annotated[str, "in a sentence, with `(open)` or `(broke off)` if that is known"]
    match_reasons: Annotated[list[str], "what speaks for it"]
    selection_reason: Annotated[str, "why it is here"]
    confidence: Annotated[str, "`low`, `medium` or `high`"]
    staleness: Annotated[str, "`fresh` (within a week), `recent` (a month), `old` (a quarter) or `stale`"]
    role: Annotated[str, "`primary` (the session gone on from), `caution` (a failure), `carryover` or `background`"]
    related_paths: Annotated[list[str], "files it has to do with"]
    at: str
    branch: Annotated[str | None, "the last git branch of a session"] = field(metadata=OPTIONAL)
    branch_standing: Annotated[
        str | None, "[whether its work is in the head](resume.md#which-session-the-work-continues), of a session"
    ] = field(metadata=OPTIONAL)
    automated: bool
    automated_why: str | None
    rank: Annotated[int, "from 1"]


@dataclass(frozen=True, slots=True)
class SymbolFacts:
    symbol: Annotated[str | None, "its name"]
    symbol_kind: Annotated[str, "such as `function`, or `file`"]
    line: Annotated[int | None, "where it begins"]


@dataclass(frozen=True, slots=True)
class SymbolEntry:
    """A place that the repository map names."""

    kind: Annotated[str, "as `symbol_kind`"]
    id: Annotated[str, "path and line"]
    path: Annotated[str, "of the file"]
    title: Annotated[str, "its name, or that of the file"]
    score: Annotated[float, "0 to 1"]
    reasons: list[str]
    symbols: Annotated[list[str], "names"]
    metadata: Annotated[SymbolFacts, "the symbol"]
    source: Annotated[str, "`repo_map`"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralContext:
    """The state of the repository map; null is what was not looked at."""

    provider_available: bool | None = None
    index_available: bool | None = None
    query_available: bool | None = None
    refresh_available: bool | None = None
    last_refresh_status: str | None = None
    last_refresh_at: str | None = None
    files_indexed: int | None = None
    symbols_indexed: int | None = None
    used: Annotated[bool, "whether any of it is in the brief"]
    entry_point_count: Annotated[int, "number of entries in the brief"]


@dataclass(frozen=True, slots=True)
class BudgetUsed:
    """The size of what is printed."""

    target_tokens: Annotated[int, "the budget"]
    estimated_tokens: Annotated[int, "of what is printed"]
    chars: Annotated[int, "of what is printed"]


@dataclass(frozen=True, slots=True)
class AgreedStatement:
    """A statement that a person accepted and that nothing speaks against now."""

    ref: Annotated[str, "the record, which `aicx show` opens"]
    kind: Annotated[str, "what it is: `policy`, `procedure`, `fact`, `decision`, `preference`, `failure` and others"]
    tier: Annotated[int, "its authority; the lower, the stronger"]
    usage: Annotated[str, "`instruction` or `evidence`"]
    statement: Annotated[str, "what it says"]


@dataclass(frozen=True, slots=True)
class GuidanceStatement:
    """A statement of an instruction file as it is now: guidance by whoever may write to it, never agreed."""

    ref: Annotated[str, "the file, or its lines"]
    path: Annotated[str, "the file, from the repository"]
    tier: Annotated[int, "its authority: 3"]
    statement: Annotated[str, "what it says; without a task how many statements it has"]


@dataclass(frozen=True, slots=True)
class ClaimStatement:
    """A line of the configured summarizer."""

    text: Annotated[str, "the claim"]
    refs: Annotated[list[str], "what it rests on, as the brief has it"]


@dataclass(frozen=True, slots=True)
class ResumeAnswer:
    """The brief. All fields but the last ones are always there, if need be empty; see [resume](resume.md).

    `--manifest FILE` writes `aicx.manifest/1`: `id`, `purpose`, `query`, `generated_at`, `write_mode`, `budget`,
    `method`, `entries` (each considered item once: `ref`, `kind`, `included`, `reasons`, `left_out`, `score`,
    `items_total`, `items_shown`, `bytes`, `standing`), `lines` (each printed line: `section`, `slot`, `found_by`,
    `entry`, `refs`), `sections`, `exclusions`, `lanes`, `output`.
    """

    generated_at: str
    mode: Annotated[str, "`agent_brief`"]
    agent_id: Annotated[str | None, "the asking agent"]
    request: Annotated[str, "the task"]
    repo: Annotated[RepositoryState, "what git says"]
    startup_banner_text: Annotated[str, "a line to show first, and up to four below it"]
    task_state: Annotated[TaskState, "whether the work is open"]
    continuity_match: Annotated[Match, "how well the session gone on from matches"]
    capsule: Annotated[Capsule, "the session gone on from"]
    loaded_context: Annotated[
        list[ContextItem],
        "the history used, best first; at most 12, of them 3 tasks, failures and decisions each, and 2 strategies",
    ]
    structural_entry_points: Annotated[list[SymbolEntry], "from the map"]
    structural_context: Annotated[StructuralContext, "the state of the map"]
    evidence: Annotated[str, "a reminder that quotations are evidence"]
    warnings: Annotated[list[str], 'such as "nothing in the history clearly fits this task"']
    altered: Annotated[
        list[str], "chunks that were altered on disk after they were stored, which are not used; a warning counts them"
    ]
    unavailable: Annotated[list[str], "sources that could not be used, with the reason"]
    oracle_status: Annotated[dict[str, Any], "as in [`search`](#search-aicxsearch1); with a task only"]
    budget: Annotated[BudgetUsed, "the size of what is printed"]
    known_fixes: Annotated[list[KnownFix], "what helped before against the failures"]
    previous_contract_result: Annotated[ContractResult | None, "of the last session that could be evaluated"]
    execution_contract: Annotated[Contract | None, "null where the budget has no room for it"]
    entry_points_by: Annotated[str, "what decided about the files to begin with: `rules` or `arbiter`"] = "rules"
    summary_by: Annotated[str, "what the brief's text is by: `rules`, or also the `summarizer`"] = "rules"
    summary: Annotated[
        list[ClaimStatement] | None, "claims of the configured summarizer, each with the evidence that it names"
    ] = field(default=None, metadata=OPTIONAL)
    agreed: Annotated[list[AgreedStatement] | None, "what is agreed in the memory, where something is"] = field(
        default=None, metadata=OPTIONAL
    )
    guidance: Annotated[list[GuidanceStatement] | None, "what instruction files say, where there is a memory"] = field(
        default=None, metadata=OPTIONAL
    )
    stated: Annotated[StatedEnd | None, "what was stated at the end of the last session, where something was"] = field(
        default=None, metadata=OPTIONAL
    )
    stated_before: Annotated[StatedEnd | None, "what was stated earlier about the task, where something was"] = field(
        metadata=OPTIONAL, default=None
    )
    ran: Annotated[
        list[RanProgram] | None, "programs that `aicx run` ran since, the last first, where there are any"
    ] = field(default=None, metadata=OPTIONAL)
    team: Annotated[list[TeamSession] | None, "sessions of other members, with `--team`, where there are any"] = field(
        default=None, metadata=OPTIONAL
    )
    written_files: Annotated[list[str] | None, "the file of `--manifest`"] = field(default=None, metadata=OPTIONAL)
    contract_ref: Annotated[str | None, "the record of the session that began, with `--record`"] = field(
        default=None, metadata=OPTIONAL
    )
    capsule_ref: Annotated[str | None, "the digest of the brief that is kept beside it, for `aicx show`"] = field(
        default=None, metadata=OPTIONAL
    )
    manifest: Annotated[dict[str, Any] | None, "the manifest, with `--explain`"] = field(
        default=None, metadata=OPTIONAL
    )
