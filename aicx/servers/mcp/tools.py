"""The tools: each a name, words on when to call it, what it may be given, and a function of ours that answers."""

from __future__ import annotations

from aicx.servers.mcp.answering import explain, index_status, list_sessions, rank, resume_here, search, steer_chunks
from aicx.servers.mcp.arguments import (
    IndexStatusArguments,
    ProposeArguments,
    RankArguments,
    ReadArguments,
    RecallArguments,
    ResumeArguments,
    SearchArguments,
    SessionsArguments,
    SteerArguments,
    WhyArguments,
)
from aicx.servers.mcp.means import ToolHandler
from aicx.servers.mcp.reading import read
from aicx.servers.mcp.remembering import propose_memory, recall

TOOLS = {
    tool.name: tool
    for tool in (
        ToolHandler(
            "aicx_search",
            "Search past sessions",
            "Find what was said or done before, in past sessions of any coding agent on this machine. Call it before "
            "you debug, design or decide something that may have come up already: an error message, a file, a symbol, "
            "a decision and its reasons. A time in the question (January 2026, last week) limits the answers to it. "
            "Evidence says how far they have what was asked.",
            SearchArguments,
            search,
        ),
        ToolHandler(
            "aicx_steer",
            "List stored chunks",
            "List stored chunks of past sessions by what is known of them: project, agent, date, session, branch, "
            "touched file, run id; newest first. With a query, by what they are about as well, recent ones preferred. "
            "Call it when you know where or when something happened.",
            SteerArguments,
            steer_chunks,
        ),
        ToolHandler(
            "aicx_sessions",
            "List sessions or projects",
            "List past sessions with their titles, newest first, or the projects they belong to. Call it to see what "
            "there is: which repositories have history, and what was worked on lately.",
            SessionsArguments,
            list_sessions,
        ),
        ToolHandler(
            "aicx_rank",
            "Rank a project's chunks",
            "Rank a project's recent chunks by how much of them is decisions, reasons and results. Call it to catch up "
            "on a project without a question in mind.",
            RankArguments,
            rank,
        ),
        ToolHandler(
            "aicx_resume",
            "Brief a new session",
            "Tell what was being done in a repository: state of git, the session to go on from, what failed, what is "
            "open, which files to look at first. Call it once when a session starts, with the task if there is one.",
            ResumeArguments,
            resume_here,
        ),
        ToolHandler(
            "aicx_why",
            "Explain a change",
            "Tell which sessions made a commit, a file or a line, and why: what was asked, weighed, decided, what "
            "failed and what passed. Call it before you change or undo something whose reason you do not know.",
            WhyArguments,
            explain,
        ),
        ToolHandler(
            "aicx_memory",
            "Recall what is agreed",
            "Tell what people agreed to for this repository (rules, decisions, facts, procedures), what its "
            "instruction files say, and what is only proposed, on a question. Each says its status and tier. Call it "
            "before you decide or change something that a rule or an earlier decision may be about.",
            RecallArguments,
            recall,
        ),
        ToolHandler(
            "aicx_read",
            "Read a stored chunk",
            "Open what another tool named: one chunk in full, the list of chunks of a session, a file or a commit, or "
            "a record of the memory. Call it when an excerpt is not enough.",
            ReadArguments,
            read,
        ),
        ToolHandler(
            "aicx_index_status",
            "State of the indexes",
            "Say how fresh the search indexes are. Call it when answers seem to be missing or old.",
            IndexStatusArguments,
            index_status,
        ),
    )
}
# Only where whoever starts the server allows it. There is no tool that accepts, pins, edits or deletes.
PROPOSALS = {
    tool.name: tool
    for tool in (
        ToolHandler(
            "aicx_propose_memory",
            "Propose something to remember",
            "Propose a statement for the memory of this repository: a rule that a person gave you, a decision and its "
            "reason, a fact, steps that worked, a failure and its fix. It is a candidate until a person accepts it, "
            "and nobody believes it before. Call it when a person says that something holds from now on.",
            ProposeArguments,
            propose_memory,
            only_reads=False,
        ),
    )
}
