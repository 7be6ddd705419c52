"""The tools of the memory: what is agreed on a question, a record whole, and a proposal."""

from __future__ import annotations

from aicx.fields import to_fields
from aicx.memory import answers as memory_answers
from aicx.memory.answers import entry_of, whole_of
from aicx.memory.assess import Assessment
from aicx.memory.evidence import resolve_evidence
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Memory
from aicx.memory.recall import asking as recall_answers
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.live import find_live
from aicx.memory.record import Record, Source
from aicx.servers.mcp import texts
from aicx.servers.mcp.arguments import ProposeArguments, RecallArguments
from aicx.servers.mcp.means import ToolContext, scope_of
from aicx.servers.mcp.replies import ToolReply, bounded, reply
from aicx.servers.mcp.strength import strength

_OF_AN_ENTRY = (
    *("ref", "name", "kind", "topic", "statement", "status", "freshness", "tier", "usage", "baseline", "reasons"),
    *("source", "evidence", "score", "superseded_by"),
)


def recall(means: ToolContext, asked: RecallArguments) -> ToolReply:
    scope = scope_of(means, asked.repo)
    query = RecallQuery(
        asked.query, means.now, scope, asked.limit, with_evidence=asked.with_evidence, decay=asked.decay
    )
    fields = bounded(to_fields(means.recaller.recall(query)), "excluded", "ask for less", most=means.bounds.fields)
    fields = bounded(fields, "entries", most=means.bounds.fields)
    return reply(
        recall_answers.SCHEMA, fields, texts.memory_text(fields, most=means.bounds.text), "entries", _OF_AN_ENTRY
    )


def propose_memory(means: ToolContext, asked: ProposeArguments) -> ToolReply:
    """Proposes, and nothing else: the origin is the assistant whatever it says, and a person decides later."""
    settings, scope = means.settings, scope_of(means, asked.repo)
    policy = of_records(policy_in(settings, scope), settings, scope)
    draft = Draft(
        asked.statement,
        asked.kind,
        asked.topic,
        Source("subagent" if asked.lane == "subagent" else "assistant", asked.lane),
        scope.repository,
        details=asked.details or (),
        evidence=[resolve_evidence(settings, text) for text in asked.evidence or ()],
        by="mcp",
    )
    (made,) = propose(settings, scope, [draft], means.now, lambda line: None)
    with Memory.open(settings, means.now, scope=scope, policy=policy) as memory:
        (found,) = memory.assessed([memory.find(made.record.ref)])
    return _proposed(found, made.record, new=made.new)


def _proposed(found: Assessment, record: Record, *, new: bool) -> ToolReply:
    said = "Proposed" if new else f"Seen again, {record.sightings} times now"
    graded = strength("none", "a proposal shows nothing until a person has agreed to it")
    text = f"{graded}\n{said}: {record.ref}, {found.status}. It counts for nothing until a person accepts it by name."
    answer = memory_answers.EntryAnswer(entry_of(found), [])
    return reply(memory_answers.ENTRY_SCHEMA, to_fields(answer), text)


def read_memory(means: ToolContext, ref: str) -> ToolReply:
    """A record whole, or what an instruction file says, as `aicx show` gives them."""
    settings, scope = means.settings, scope_of(means, None)
    if ref.startswith("live:"):
        fields = bounded(
            {"entries": [to_fields(one) for one in find_live(settings, scope, ref, means.now)]},
            "entries",
            most=means.bounds.fields,
        )
        text = texts.statements_text(fields["entries"], most=means.bounds.text)
        return reply(memory_answers.LIST_SCHEMA, fields, text, "entries", _OF_AN_ENTRY)
    policy = of_records(policy_in(settings, scope), settings, scope)
    with Memory.open(settings, means.now, scope=scope, policy=policy) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        fields = to_fields(whole_of(found, memory.context([record]).anchors))
    return reply(memory_answers.GET_SCHEMA, fields, texts.record_text(fields, most=means.bounds.text))
