"""Tool calls of a session with their answers, which logs as stored do not link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.evidence.transcript import Step

_Numbered = tuple[int, Step]


def answered_calls(steps: Sequence[Step]) -> list[tuple[Step, Step | None]]:
    """Every tool call in order, with its answer; None where it printed nothing and so has none stored.

    Answers of one tool come in the order of its calls. Where there are fewer answers than calls between two moments at
    which the model or a person spoke, an answer belongs to the latest call before it.
    """
    found = [pair for calls, results in _batches(steps) for pair in _pair(calls, results)]
    return [(call, result) for _, call, result in sorted(found, key=lambda pair: pair[0])]


def _batches(steps: Sequence[Step]) -> Iterator[tuple[list[_Numbered], list[_Numbered]]]:
    """Calls and results, by tool, between two moments at which somebody spoke."""
    batch: dict[str, tuple[list[_Numbered], list[_Numbered]]] = {}
    for number, step in enumerate(steps):
        if step.tool is None:
            yield from batch.values()
            batch = {}
            continue
        calls, results = batch.setdefault(step.tool, ([], []))
        (calls if step.phase == "call" else results).append((number, step))
    yield from batch.values()


def _pair(calls: list[_Numbered], results: list[_Numbered]) -> list[tuple[int, Step, Step | None]]:
    if len(calls) == len(results):
        return [(number, call, result) for (number, call), (_, result) in zip(calls, results, strict=True)]
    answers: dict[int, Step] = {}
    for place, result in results:
        free = [number for number, _ in calls if number < place and number not in answers]
        if free:
            answers[free[-1]] = result
    return [(number, call, answers.get(number)) for number, call in calls]
