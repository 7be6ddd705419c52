"""The commands by subject, and their table: names, places, and what each name before was folded into.

A place is a "module" with a function `command`, "module:function", or one of `aicx.commands.groups`, as of `aicx index
status`.
"""

from __future__ import annotations

# Section of the help -> command -> its place and what it does, in a line.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask": {
        "search": ("aicx.commands.search", "Find the passages that answer a question."),
        "show": ("aicx.commands.show", "Read what a reference names: a session, a chunk, a task, a record."),
        "why": ("aicx.commands.why", "From a commit, file or line to the session and its reason."),
        "sessions": ("aicx.commands.groups:SESSIONS", "List sessions, what each came from, and where it stands."),
        "failures": ("aicx.commands.groups:FAILURES", "Show what failed before, and what resolved it."),
        "steer": ("aicx.commands.steer", "List chunks by project, date, branch, file or run."),
        "map": ("aicx.commands.groups:MAP", "Map a repository: where to look first for a task."),
    },
    "Continue": {
        "resume": ("aicx.commands.resume", "Brief a new session on what was done here and what is open."),
        "task": ("aicx.commands.groups:TASK", "Keep the state of your work: goal, proof, what comes next."),
        "finalize": ("aicx.commands.finalize", "End a session: a handoff, and how the contract was kept."),
        "pack": ("aicx.commands.groups:PACK", "Bundle a task or a repository's sessions under one digest."),
        "run": ("aicx.commands.run", "Run a program with its context, and record what it did."),
    },
    "Keep": {
        "store": ("aicx.commands.store", "Read the agents' logs and store what is new."),
        "memory": ("aicx.commands.groups:MEMORY", "Keep what is worth believing: proposed by anybody, agreed by you."),
        "index": ("aicx.commands.groups:INDEX", "Embed the corpus, so that search also matches by meaning."),
        "projects": ("aicx.commands.groups:PROJECTS", "See which repository each folder belongs to, and decide it."),
        "forget": ("aicx.commands.forget", "Remove a session, a project or a text for good."),
        "reports": ("aicx.commands.reports", "List workflow reports, or make one page of them."),
        "share": ("aicx.commands.groups:SHARE", "Search with other machines and people: a shared index."),
    },
    "Set up": {
        "init": ("aicx.commands.init", "Set agents up: a brief at the start, logs stored at the end."),
        "serve": ("aicx.commands.groups:SERVE", "Answer agents over MCP, or people on a page in the browser."),
        "status": ("aicx.commands.state", "Show what is stored and kept, and what needs a person."),
        "doctor": ("aicx.commands.doctor", "Check everything stored, and repair it with --fix."),
    },
    "Try out": {
        "demo": ("aicx.commands.demo", "Show the main job on invented logs."),
        "bench": ("aicx.commands.groups:BENCH", "Measure how well each way of searching finds the right answer."),
    },
}
# Commands that no list shows: what agents call, and the names before.
HIDDEN = {
    "hook": "aicx.commands.hook",
    "all": "aicx.commands.store:every_agent",
    "boot": "aicx.commands.prepare:explain_start",
    "cas": "aicx.commands.groups:CAS",
    "claude": "aicx.commands.store:claude",
    "clean": "aicx.commands.uninstall:clean",
    "codex": "aicx.commands.store:codex",
    "continuity": "aicx.commands.groups:CONTINUITY",
    "dashboard": "aicx.commands.dashboard",
    "extract": "aicx.commands.extract",
    "gemini": "aicx.commands.store:gemini",
    "install": "aicx.commands.install",
    "list": "aicx.commands.state:list_agents_logs",
    "next": "aicx.commands.next",
    "prepare": "aicx.commands.prepare",
    "rank": "aicx.commands.rank",
    "refs": "aicx.commands.state:list_stored_projects",
    "reminded": "aicx.commands.usage:show_recall",
    "review": "aicx.commands.groups:REVIEW",
    "state": "aicx.commands.state",
    "uninstall": "aicx.commands.uninstall",
    "usage": "aicx.commands.usage",
}
COMMANDS = {name: place for section in SECTIONS.values() for name, (place, _) in section.items()} | HIDDEN

# Command -> options that ask for something else in its place -> the words that do it, and what it is, in a line.
# The rest of the command line is theirs.
INSTEAD: dict[str, dict[str, tuple[str, str]]] = {
    "search": {
        "--in memory": ("memory recall", "What the memory says to a question."),
        "--in sessions": ("sessions search", "Whole sessions in place of passages."),
        "--in windows": ("sessions recall", "Sessions, context windows or chunks, with what each is in."),
        "--in map": ("map query", "Files and symbols of a repository, for a task."),
        "--list": ("steer", "Chunks by project, date, branch, file or run, the newest first."),
        "--worth": ("rank", "A project's decisions, reasons and results, the best first."),
    },
    "show": {
        "--about": ("sessions show", "What a session did, where it came from, and whether it is open."),
        "--windows": ("sessions windows", "The context windows of a session."),
        "--summarize": ("sessions summarize", "What a session, or one of its windows, came to."),
        "--pack": ("pack show", "A pack as it was made, or in fewer words."),
    },
    "resume": {
        "--next": ("next", "What to do next here, in a line."),
        "--note": ("continuity load", "The note that the last session left, and you may have edited."),
        "--restore": ("sessions restore", "What a session had before its context was compacted."),
        "--start --explain": ("boot", "What a session would begin with here, and why."),
        "--start": ("prepare", "Banner, open tasks, brief and contract, recorded as the start of a session."),
    },
    "init": {
        "--undo --everywhere": ("uninstall", "Take aicx out of every repository and agent; what is stored stays."),
        "--undo --mcp": ("install --remove", "Take aicx out of an agent's MCP servers."),
        "--undo": ("clean", "Take out of a repository what init put in."),
        "--mcp": ("install", "Let an agent search the corpus: add aicx to its MCP servers."),
    },
    "status": {
        "--logs": ("list", "The agents' logs on this machine."),
        "--projects": ("refs", "The stored projects."),
        "--vectors": ("index status", "What of the corpus is embedded."),
        "--map": ("map status", "How fresh the map of a repository is."),
        "--memory": ("memory stats", "How many records the memory holds, by status."),
        "--recall": ("reminded", "What sessions were told unasked, and whether they used it."),
        "--usage": ("usage", "Sessions, handoffs, contracts and failures, counted."),
    },
    "reports": {"--raw": ("extract", "One log or session as a readable report.")},
}
# These are shown under both names.
_BOTH = frozenset({"steer", "index status", "map status", "install --remove"})
# Former name -> the words that do the same now. What the name is followed by stays as it is.
FORMER = {
    target: f"{command} {options}"
    for command, rows in INSTEAD.items()
    for options, (target, _) in rows.items()
    if target not in _BOTH
} | {
    "all": "store",
    "claude": "store --agent claude",
    "codex": "store --agent codex",
    "gemini": "store --agent gemini",
    "state": "status",
    "dashboard": "serve page",
    "failures show": "show",
    "task show": "show",
    "memory get": "show",
    **{
        f"memory {name}": f"memory decide {name}"
        for name in ("hold", "release", "pin", "unpin", "archive", "restore", "validate", "seal", "delete")
    },
    **{f"memory {name}": f"memory check {name}" for name in ("lint", "curate", "eval", "audit", "verify")},
    "memory backfill": "memory candidates backfill",
    "review": "memory candidates queue",
    "review candidates": "memory candidates queue",
    **{
        f"review {name}": f"memory candidates {name}"
        for name in ("build", "show", "adopt", "approve", "reject", "promote", "apply-prep", "verify-apply")
    },
    "cas": "pack objects",
    **{f"cas {name}": f"pack objects {name}" for name in ("list", "get", "put", "pin", "unpin", "gc")},
    "continuity": "task note",
    **{f"continuity {name}": f"task note {name}" for name in ("status", "save", "refresh", "clear", "open")},
}
