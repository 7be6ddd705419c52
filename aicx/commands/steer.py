"""`aicx steer`: lists chunks by their metadata, and with a text by words, meaning and age too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from aicx import console, options
from aicx.brief import of_member
from aicx.commands.results import notify_nothing
from aicx.config import load_settings
from aicx.engine.steer_answer import SCHEMA, SteerAnswer, order_of, ranked_answer, steer_answer
from aicx.errors import UsageError
from aicx.fields import to_fields
from aicx.filters import EVERYTHING, Filters
from aicx.questions import Argument, Option
from aicx.share import list_chunks, passages_of_team
from aicx.text import ago, local

if TYPE_CHECKING:
    from aicx.engine.search import Hit


@options.filtered()
def command(
    text: Annotated[
        list[str] | None, Argument(metavar="[TEXT]...", help="What the chunks are about; without it, newest first.")
    ] = None,
    filters: Filters = EVERYTHING,
    decay: Annotated[
        str | None,
        Option(
            "--decay",
            metavar="HOW",
            help="With TEXT, prefer recent chunks: off, gentle (as without this option), strong, or a number of days.",
        ),
    ] = None,
    repo: options.Repo = None,
    everywhere: options.Everywhere = False,
    team: options.Team = False,
    explain: Annotated[
        bool, Option("--explain", help="With TEXT, show each retriever's rank and score, and what else counted.")
    ] = False,
    limit: options.Limit = 20,
) -> options.Answered:
    """List stored chunks by project, agent, date, session, branch or file, and by what they are about.

    Every filter has to hold. One that takes a name may be given several times, and then any of the names will do. With
    a text, chunks come in the order of a search: by words, by meaning where there is an index for it, and by age. It
    needs no quotes, and what is quoted in it has to occur. The repository you are in counts as in a search. Without a
    text the newest come first.

    Example: aicx steer -p myrepo --since 7d
    Example: aicx steer why does the parser lose lines -p myrepo --kind plans
    Example: aicx steer retry limit --decay off --explain
    Example: aicx steer --file src/parser.py --agent codex
    Example: aicx steer -p api -p web --failed --tool Bash
    Example: aicx steer --run-id r-2026-01-31 --json
    """
    place = options.place(repo, everywhere=everywhere)
    settings, question = load_settings(), " ".join(text or ()).strip()
    hits: Sequence[Hit] = ()
    if question:
        # Most uses of this command ask no index, and need none of what opens one.
        from aicx.commands.results import print_explanation
        from aicx.engine.search import search
        from aicx.engine.stages import STEER_DECAY, steer_query

        share = passages_of_team(settings, team=team)
        report = search(
            settings, steer_query(question, options.now(), filters, limit, decay or STEER_DECAY, place, share)
        )
        hits, answer = report.hits, ranked_answer(report)
    elif decay is not None or explain:
        option = "--explain" if decay is None else "--decay"
        raise UsageError(f"{option} is for a TEXT; without one the newest come first", hint="aicx steer --help")
    else:
        answer = steer_answer(list_chunks(settings, filters, limit, team=team))
    yield SCHEMA, answer
    for number, item in enumerate(answer.items):
        _print(item)
        if explain:
            print_explanation(hits[number])
    _print_summary(answer)


def _print_summary(answer: SteerAnswer) -> None:
    fields = to_fields(answer)
    if answer.items:
        console.say_zone()
    status = fields["oracle_status"]
    if status["fallback_reason"]:
        console.warn(status["fallback_reason"])
    if "freshness" in status:
        from aicx.engine.index_manifest import stale_indexes  # imported here: a list by facts alone asks no index

        for sentence in stale_indexes(status["freshness"]):
            console.warn(sentence)
    console.notify_notes(answer.notes)
    if not answer.items:
        notify_nothing("Nothing matches. `aicx status --projects` lists what there is; `aicx store` adds new sessions.")
        return
    more = answer.matched > answer.results
    shown = f"{answer.results} of {answer.matched} shown" if more else console.plural(answer.results, "chunk")
    if answer.query is not None:
        shown = f"{shown}, {order_of(fields)}"
    if more or answer.query is not None:
        console.notify(f"{shown}; --limit shows more." if more else f"{shown}.")


def _print(item: dict[str, Any]) -> None:
    style = console.style
    started = local(item["started_at"])
    title = console.title({"title": item["chunk_title"] or item["title"]})
    facts = [console.place(item["project"], item.get("cwd")), item["agent"], item["kind"]]
    if item.get("branch"):
        facts.append(f"branch {item['branch']}")
    if item.get("lane") == "subagent":
        facts.append("subagent")
    if item.get("errors"):
        facts.append(console.plural(len(item["errors"]), "error"))
    facts += console.runs(item["runs"])
    console.out(f"{style(console.when(started), fg='cyan')}  {style(title, bold=True)}")
    console.out(f"  {' · '.join(facts)} · {style(item['id'], fg='green')}")
    if item["path"]:
        console.out(f"  {console.link(style(item['path'], dim=True), item['path'])}")
    else:  # of a share
        said = of_member(item["member"], ago(started, options.now()))
        console.out(f"  {style(said, fg='magenta')}")
