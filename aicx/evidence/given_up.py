"""Ways that a session gave up: commands that did not work, and ways that an agent or a person says failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.evidence import Statement, Step, statement_in
from aicx.evidence.fixes import repeats
from aicx.evidence.patterns import command_rules, statement_rules
from aicx.evidence.runs import CommandRun, open_failures
from aicx.evidence.statements import PASTED, STATEMENT_LENGTH
from aicx.evidence.texts import sentences
from aicx.refs import Ref
from aicx.shell import Simple
from aicx.text import shorten
from aicx.types import PROMPTS

MAX_GIVEN_UP = 8
# The tool's answer where a person refused a call and wrote what to do instead; clients word it alike.
_REFUSED = "the user said:"
_REFUSAL_LENGTH = 160


def given_up(
    steps: Sequence[Step], calls: Sequence[tuple[Step, Sequence[Step]]], runs: Sequence[CommandRun]
) -> list[Statement]:
    """Returns what was tried in a session without success and not until it worked, the latest first, each once.

    ``calls`` are the session's calls with all their answers, as `aicx.evidence.runs.followed` gives them, and ``runs``
    what they ran. What fails at the session's end is not among it: `aicx.evidence.session_brief` tells that.
    """
    found = [*_commands(runs), *_refused(steps, calls), *_told(steps)]
    latest: dict[str, Statement] = {}
    for one in sorted(found, key=lambda one: one.at)[::-1]:
        latest.setdefault(one.text, one)
    return list(latest.values())[:MAX_GIVEN_UP]


def _commands(runs: Sequence[CommandRun]) -> Iterator[Statement]:
    """Commands that failed and never passed again, while the session went on another way."""
    still_failing = set(map(id, open_failures(runs)))
    last: dict[tuple[str, ...], Statement] = {}
    passed: list[Simple] = []
    for run in reversed(runs):
        if run.outcome in ("ok", "quiet", "unknown"):  # a command that printed nothing has no answer stored
            passed += run.parts
        elif run.outcome == "failed" and id(run) not in still_failing and _is_telling(run):
            tried = run.parts[-1]
            if not any(repeats(later, tried) for later in passed):
                # Of several forms of one command that all failed, the last says as much as all.
                verb = [word for word in tried.text.split() if not word.startswith("-")][:2]
                told = Statement(f"`{run.line}` failed: {run.telling}", run.at, (str(Ref("chunk", run.chunk)),))
                last.setdefault(tuple(verb), told)
    yield from last.values()


def _is_telling(run: CommandRun) -> bool:
    """Whether a failed command says something of a way to do the work, rather than of the work or of a slip."""
    rules = command_rules()
    # Whatever a check found was mended, or it would fail still; conflicts of a merge are resolved.
    if run.kind == "check" or rules.conflict.search(run.telling):
        return False
    # Of several commands in a line it is not said which failed.
    if run.kind == "other" and len(run.parts) > 1:
        return False
    no_work = (rules.probe, rules.own_program, rules.asks_what_is)
    if any(known.match(part.text) for part in run.parts for known in no_work):
        return False
    told = any(expression.search(run.telling) for expression in rules.telling)
    return told and not rules.passing.search(run.telling) and not rules.slip.search(run.telling)


def _refused(steps: Sequence[Step], calls: Sequence[tuple[Step, Sequence[Step]]]) -> Iterator[Statement]:
    """Commands and edits that a person refused with an order to leave them; a question only interrupts."""
    for call, answers in calls:
        if not answers or not answers[-1].text.rstrip().endswith(_REFUSED):
            continue
        place = next(number for number, step in enumerate(steps) if step is answers[-1])
        said = next((step for step in steps[place + 1 :] if step.role != "tool"), None)
        if said is None or said.role != "user" or said.origin not in PROMPTS:
            continue
        order = next(sentences(said.text), None)
        if order is None or not statement_rules().refusals.search(order.text):
            continue
        # A message given as a here-document says nothing of what was refused.
        command = call.command.partition("<<")[0].partition(' "$(')[0].strip()
        changed = f"Changing `{call.files[0].rpartition('/')[2]}`" if call.files else ""
        what = f"`{shorten(command, _REFUSAL_LENGTH)}`" if command else changed
        if what:
            yield statement_in(f"{what} was refused: {shorten(order.text, _REFUSAL_LENGTH)}", said)


def _told(steps: Sequence[Step]) -> Iterator[Statement]:
    """Sentences in which the agent or a person says that something was tried and failed."""
    rules = statement_rules()
    for step in steps:
        typed = step.role == "user" and step.origin in PROMPTS and len(step.text) <= PASTED
        # Two looks, as taking a message apart takes much longer. A sentence may go over several lines.
        if not (typed or step.role == "assistant") or not rules.of_trying.search(step.text):
            continue
        if not rules.gave_up.search(step.text.replace("\n", " ")):
            continue
        for said in sentences(step.text):
            if rules.gave_up.search(said.text) and not rules.not_given_up.search(said.text):
                yield statement_in(shorten(said.text, STATEMENT_LENGTH), step)
