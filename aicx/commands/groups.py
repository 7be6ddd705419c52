"""The groups of commands: the help of each, and the places of its commands. A shell that lists them loads no more."""

from __future__ import annotations

from collections.abc import Mapping

from aicx.values import dataclass


@dataclass(frozen=True, eq=False)
class Group:
    """Commands of one subject, by their names; ``default`` is the one that is meant where none is named."""

    help: str
    commands: Mapping[str, str]
    default: str | None = None


# Commands that say how long a record counts and where it comes first, by their own names.
_STANDING = {
    name: f"aicx.commands.memory.decide:{name}"
    for name in ("hold", "release", "pin", "unpin", "archive", "restore", "validate")
}

SESSIONS = Group(
    """List sessions, find one, see what it came from and what came of it, and say where it stands.

Without an action, `aicx sessions` lists the stored sessions with their titles, the newest first.

A session continues another, was forked from one or was started by one. Where the logs say so, that is an edge with
origin log; where sessions of a repository share their goal, files or commits, it is derived, with a reason and a
confidence; what you state yourself counts before both. Nothing of it is a second store: edges and states are worked out
from what is stored and from the event log of work.

A session is named by its id or the beginning of it. Where none is named, the one is meant that asks: AICX_SESSION_ID,
then what the agent put into its commands' environment, then the session that `aicx sessions open` began in this working
folder, then the terminal.

Example: aicx sessions --since 7d
Example: aicx show --about 4f2a81c0
Example: aicx sessions chain --session 4f2a81c0 --depth 5
Example: aicx search --in sessions why exports lost their header
Example: aicx sessions close --status ok
""",
    {
        "list": "aicx.commands.sessions.finding:list_sessions",
        "show": "aicx.commands.sessions.showing:show",
        "search": "aicx.commands.sessions.showing:search_sessions",
        "recall": "aicx.commands.sessions.finding:recall_windows",
        "chain": "aicx.commands.sessions.showing:chain",
        "windows": "aicx.commands.sessions.showing:windows",
        "summarize": "aicx.commands.sessions.summarize:summarize_session",
        "restore": "aicx.commands.sessions.summarize:restore_context",
        "open": "aicx.commands.sessions.stated:open_",
        "fork": "aicx.commands.sessions.stated:fork",
        "close": "aicx.commands.sessions.stated:close",
        "link": "aicx.commands.sessions.stated:link",
        "stats": "aicx.commands.sessions.showing:count_sessions",
    },
    "list",
)

FAILURES = Group(
    """Show what failed before in this repository, and what resolved it.

Every build, test, lint and install command that stored sessions ran is read for the mistakes it reported. The same
mistake is recognised wherever it comes up again, whoever ran into it. Without an action, `aicx failures` lists them.

Example: aicx failures
Example: aicx show failure:3fa91c
Example: pytest 2>&1 | aicx failures parse --command pytest --json
""",
    {
        "list": "aicx.commands.failures:list_failures",
        "show": "aicx.commands.failures:show_failure",
        "parse": "aicx.commands.failures:parse_output",
    },
    "list",
)

MAP = Group(
    """Map a repository: which files define, import and describe the things a question is about.

The map holds the definitions, imports and headings of all files that git does not ignore. It is stored below
AICX_HOME; nothing is written to the repository. Without an action, `aicx map` shows the status.

Example: aicx map refresh
Example: aicx search --in map "where are retries limited"
Example: aicx map status --repo ../other
""",
    {
        "refresh": "aicx.commands.map:refresh",
        "status": "aicx.commands.map:show_status",
        "query": "aicx.commands.map:query_map",
    },
    "status",
)

TASK = Group(
    """Keep the state of your work: the goal, what was tried and proved, and what comes next.

A task is kept outside the repository, and the next session, of whatever agent, finds it with `aicx task status`, or
`aicx resume --next` for a line. It remembers the branch it was left on: elsewhere it is listed, but not used, until
that branch is merged. Several tasks may be open, and sessions that run at once do not overwrite each other. Without a
task, the latest session that was left open is shown in its place, and labelled as derived.

A task is named by its id, the beginning of it, or its title (fix-the-export). Where no task is named, the one that was
last begun or resumed in this folder is meant.

Example: aicx task start "Fix the export of empty files"
Example: aicx task update --verified "pytest tests/export passes" --next "Write the changelog"
Example: aicx task status
Example: aicx task close --status resolved
""",
    {
        "status": "aicx.commands.task.showing:status",
        "start": "aicx.commands.task.changing:start",
        "update": "aicx.commands.task.changing:update",
        "list": "aicx.commands.task.showing:list_open",
        "show": "aicx.commands.task.showing:show",
        "resume": "aicx.commands.task.changing:resume",
        "handoffs": "aicx.commands.task.showing:list_handoffs",
        "areas": "aicx.commands.task.showing:list_areas",
        "close": "aicx.commands.task.changing:close",
        "note": "aicx.commands.groups:CONTINUITY",
    },
    "status",
)

CONTINUITY = Group(
    """Keep a short note of the work that you can edit, and that the next session reads.

There are two: one of the project, shared by all its worktrees and kept in the home, and one of this worktree, in
.aicx/continuity/active.md, which git ignores. Each has six sections: goal, confirmed working, tried and failed, not yet
tried, incomplete and next, and files, decisions and environment. Edit them as you like: `save` adds what a session says
and keeps what you wrote, changed or took out; `refresh` makes them anew from one session.

Example: aicx task note save
Example: aicx resume --note
Example: aicx task note open --scope local
Example: aicx task note refresh --log ~/.codex/sessions/2026/01/31/rollout-2026-01-31T10-00-00-ID.jsonl
""",
    {
        "status": "aicx.commands.continuity:status",
        "save": "aicx.commands.continuity:save",
        "refresh": "aicx.commands.continuity:refresh",
        "load": "aicx.commands.continuity:load_notes",
        "clear": "aicx.commands.continuity:clear",
        "open": "aicx.commands.continuity:open_notes",
    },
    "status",
)

PACK = Group(
    """Bundle all that is known of a task, or of a repository's sessions, under one digest that can be cited.

The bundle is stored whole as JSON; what is printed is a summary of it within a budget. `aicx pack objects get DIGEST`
opens the bundle, `aicx show --pack DIGEST` sums it up again. The same inputs at the same instant (--now) give the same
digest.

Example: aicx pack task
Example: aicx pack family --date-from 2026-03-01 --date-to 2026-03-31
Example: aicx show --pack sha256:3fa29c01
""",
    {
        "task": "aicx.commands.pack:task",
        "family": "aicx.commands.pack:family",
        "show": "aicx.commands.pack:show_again",
        "objects": "aicx.commands.groups:CAS",
    },
)

CAS = Group(
    """Keep bytes under their SHA-256: packs, and what you want to cite by its digest.

An object is verified whenever it is read. Text is redacted before it is stored, so its digest is that of the redacted
text. What was not put for 30 days goes with `aicx pack objects gc --apply`, unless it is pinned. DIGEST is sha256: and
at least 8 digits.

Example: aicx pack objects put notes.md --tag release
Example: aicx pack objects get sha256:3fa29c01
Example: aicx pack objects gc
""",
    {
        "list": "aicx.commands.cas:list_objects",
        "get": "aicx.commands.cas:get",
        "put": "aicx.commands.cas:put_object",
        "pin": "aicx.commands.cas:pin_object",
        "unpin": "aicx.commands.cas:unpin_object",
        "gc": "aicx.commands.cas:collect_objects",
    },
    "list",
)

MEMORY = Group(
    """Keep what is worth believing: rules, decisions, facts, procedures, preferences, failures.

Whatever is stated is a candidate. It becomes agreed when a person accepts it by name, and by nothing else. What may be
believed is worked out anew at every reading: a record whose file changed is stale, one with a successor superseded.
Without an action, `aicx memory` lists the records of this repository.

Example: aicx memory put "Exports need an authorisation check" --kind policy --topic exports
Example: aicx memory accept mem:3fa29c01 --by "Ada Lovelace"
Example: aicx memory list
Example: aicx search --in memory how are exports authorised
""",
    {
        "list": "aicx.commands.memory.reading:list_records",
        "get": "aicx.commands.memory.reading:get",
        "recall": "aicx.commands.memory.recall:recall_records",
        "put": "aicx.commands.memory.put:put",
        "edit": "aicx.commands.memory.put:edit",
        "accept": "aicx.commands.memory.decide:accept",
        "reject": "aicx.commands.memory.decide:reject",
        "supersede": "aicx.commands.memory.decide:supersede",
        **_STANDING,
        "delete": "aicx.commands.memory.decide:delete_one",
        "seal": "aicx.commands.memory.decide:seal_decisions",
        "verify": "aicx.commands.memory.check:verify_decisions",
        "history": "aicx.commands.memory.reading:history",
        "stats": "aicx.commands.memory.reading:stats",
        "sources": "aicx.commands.memory.recall:show_sources",
        "candidates": "aicx.commands.groups:CANDIDATES",
        "decide": "aicx.commands.groups:DECIDE",
        "check": "aicx.commands.groups:CHECK",
        "backfill": "aicx.commands.memory.candidates:backfill",
        "lint": "aicx.commands.memory.check:lint_records",
        "curate": "aicx.commands.memory.check:curate",
        "eval": "aicx.commands.memory.check:evaluate",
        "audit": "aicx.commands.memory.check:audit_texts",
    },
    "list",
)

REVIEW = Group(
    """Decide what is kept of the work: suggestions become candidates, and a person takes each on.

`build` makes candidates of what the continuity note, or one session, suggests. What reads like a fact goes through
approve and promote into the memory, as with `aicx memory accept`. What reads like an instruction becomes a patch for
CLAUDE.md, AGENTS.md or GEMINI.md that you apply yourself; aicx never edits these files. What only a subagent said
needs a person to adopt it first. The queue is the one of the dashboard's page Memory.

Example: aicx memory candidates build
Example: aicx memory candidates queue
Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace"
Example: aicx memory candidates promote mem:3fa29c01 --by "Ada Lovelace"
""",
    {
        "list": "aicx.commands.memory.candidates:list_proposed",
        "backfill": "aicx.commands.memory.candidates:backfill",
        "queue": "aicx.commands.memory.review:list_queue",
        "build": "aicx.commands.memory.candidates:build_suggested",
        "candidates": "aicx.commands.memory.review:list_queue",
        "show": "aicx.commands.memory.review:show",
        "adopt": "aicx.commands.memory.review:adopt",
        "approve": "aicx.commands.memory.review:approve",
        "reject": "aicx.commands.memory.review:reject",
        "promote": "aicx.commands.memory.review:promote",
        "apply-prep": "aicx.commands.memory.review:prepare_patch",
        "verify-apply": "aicx.commands.memory.review:verify_patch",
    },
    "candidates",
)

DECIDE = Group(
    """Decide of a record: how long it counts, where it comes first, and whether it stays.

Example: aicx memory decide hold mem:3fa29c01 --why "to be looked at"
Example: aicx memory decide pin export-check --by "Ada Lovelace"
""",
    {
        **_STANDING,
        "seal": "aicx.commands.memory.decide:seal_decisions",
        "delete": "aicx.commands.memory.decide:delete_one",
    },
)

CHECK = Group(
    """Check what is remembered: records that contradict or repeat each other, seals, and answers that were used.

Example: aicx memory check lint
Example: aicx memory check curate
""",
    {
        "lint": "aicx.commands.memory.check:lint_records",
        "curate": "aicx.commands.memory.check:curate",
        "eval": "aicx.commands.memory.check:evaluate",
        "audit": "aicx.commands.memory.check:audit_texts",
        "verify": "aicx.commands.memory.check:verify_decisions",
    },
    "lint",
)

INDEX = Group(
    """Embed the corpus, so that `aicx search` also matches by meaning.

aicx embeds nothing until you call this. Without an action, `aicx index` builds;
`aicx index build --help` lists its options.

Example: aicx index
Example: aicx index --embedder static --rebuild
Example: aicx index status
""",
    {
        "build": "aicx.commands.index:build_index",
        "status": "aicx.commands.index:show_status",
        "drop": "aicx.commands.index:drop_index",
    },
    "build",
)

PROJECTS = Group(
    """Show which repository each folder belongs to and why, and decide it by hand.

aicx learns a folder's repository from what git, the forges and the agents showed in all sessions, never from its
name alone. A decision by hand wins over everything else and is applied to all stored sessions at once.
Without an action, `aicx projects` lists the folders.

Example: aicx projects
Example: aicx projects assign ~/work/site octo/website
Example: aicx projects rename octo/site octo/website
""",
    {
        "list": "aicx.commands.projects:list_projects",
        "assign": "aicx.commands.projects:assign",
        "ignore": "aicx.commands.projects:ignore",
        "reset": "aicx.commands.projects:reset",
        "merge": "aicx.commands.projects:merge",
        "rename": "aicx.commands.projects:rename",
    },
    "list",
)

SHARE = Group(
    """Search with other machines and people: a shared index, of the projects you choose.

Nothing is shared before `aicx share push --project` names a project. `aicx search --team`
asks your own corpus and the share at once.

Example: aicx share init s3://bucket/team --member ada
Example: aicx share push --project 'acme/*' --dry-run
Example: aicx search --team why did the migration fail
""",
    {
        "init": "aicx.commands.share:join_share",
        "push": "aicx.commands.share_push:push_projects",
        "build": "aicx.commands.share_push:build_share",
        "forget": "aicx.commands.share:forget_here",
        "leave": "aicx.commands.share:leave",
        "status": "aicx.commands.share:show_status",
        "verify": "aicx.commands.share:verify",
    },
)

SERVE = Group(
    """Answer agents over the Model Context Protocol (MCP), or people on a page in the browser.

Without an action, `aicx serve` is `aicx serve mcp`, which clients start themselves.

Example: aicx serve mcp
Example: aicx serve page --open
""",
    {"mcp": "aicx.commands.serve:serve_mcp", "page": "aicx.commands.dashboard"},
    "mcp",
)

BENCH = Group(
    """Measure which retriever finds the right answers, on public sets, a small bundled one, or your own history.

`run` measures and reports. `ablate` switches off each ranking rule in turn and shows the loss; `recommend` lists the
rules that such a result supports. `report` shows a result again and writes it as one HTML page. `compare` shows the
changes between two results and whether they are more than noise. `list` names datasets, retrievers and peers, which are
other tools measured beside aicx. Results are kept in AICX_HOME/bench; those of your own corpus contain figures and no
text.

Example: aicx bench run
Example: aicx bench run --dataset own
Example: aicx bench ablate --dataset own
Example: aicx bench compare before.json after.json
Example: aicx bench peers install qmd txtai
""",
    {
        "run": "aicx.commands.bench:measure",
        "ablate": "aicx.commands.bench:ablate",
        "recommend": "aicx.commands.bench_results:recommend",
        "report": "aicx.commands.bench_results:report",
        "compare": "aicx.commands.bench_results:compare_results",
        "list": "aicx.commands.bench:list_measurable",
        "peers": "aicx.commands.bench:peers_command",
    },
)

CANDIDATES = Group(REVIEW.help, REVIEW.commands, "list")
