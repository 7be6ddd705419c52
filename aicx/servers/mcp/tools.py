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
            "Find what was said or done in past sessions of any coding agent on this machine: an error message, a "
            "file, a symbol, a decision and its reasons. Call it before you debug, design or decide what may have "
            "come up already. Answers five sessions.",
            SearchArguments,
            search,
        ),
        ToolHandler(
            "aicx_steer",
            "List stored chunks",
            "List stored chunks of past sessions by project, agent, date, branch or touched file, newest first. Call "
            "it when you know where or when something happened.",
            SteerArguments,
            steer_chunks,
        ),
        ToolHandler(
            "aicx_sessions",
            "List sessions or projects",
            "List past sessions with their titles, newest first, or the projects that have history. Call it to see "
            "what was worked on lately.",
            SessionsArguments,
            list_sessions,
        ),
        ToolHandler(
            "aicx_rank",
            "Rank a project's chunks",
            "Rank a project's recent chunks by how much of them is decisions, reasons and results. Call it to catch "
            "up on a project without a question in mind.",
            RankArguments,
            rank,
        ),
        ToolHandler(
            "aicx_resume",
            "Brief a new session",
            "Brief a new session on a repository: state of git, the session to go on from, what failed, what is open, "
            "which files to look at first. Call it once when you start, with the task.",
            ResumeArguments,
            resume_here,
        ),
        ToolHandler(
            "aicx_why",
            "Explain a change",
            "Explain which sessions made a commit, a file or a line, and why: what was asked, decided, what failed. "
            "Call it before you change or undo something whose reason you do not know.",
            WhyArguments,
            explain,
        ),
        ToolHandler(
            "aicx_memory",
            "Recall what is agreed",
            "Recall what people agreed to for this repository (rules, decisions, facts, procedures) and what its "
            "instruction files say. Call it before you decide or change what a rule may be about.",
            RecallArguments,
            recall,
        ),
        ToolHandler(
            "aicx_read",
            "Read a stored chunk",
            "Open in full what another tool named: a chunk, a session, a record of the memory, a task, a failure, a "
            "pack. Call it when an excerpt is not enough.",
            ReadArguments,
            read,
        ),
        ToolHandler(
            "aicx_index_status",
            "State of the indexes",
            "Tell how fresh the search indexes are. Call it when answers seem to be missing or old.",
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
            "Propose a statement for this repository's memory: a rule that a person gave, a decision and its reason, "
            "steps that worked, a failure and its fix. It stays a candidate until a person accepts it. Call it when a "
            "person says that something holds from now on.",
            ProposeArguments,
            propose_memory,
            only_reads=False,
        ),
    )
}
