"""`aicx memory check lint`: what is wrong with records as texts."""

from __future__ import annotations

from collections import Counter

import typer

from aicx import console, options
from aicx.commands.memory.common import Everywhere, open_desk, opened
from aicx.memory.checks import SCHEMA, LintAnswer, lint

_WORDS = {
    "duplicate": "says what another record says",
    "possible_secret": "holds what looks like a secret",
    "too_long": "is too long",
    "low_information": "says too little",
    "no_evidence": "rests on nothing: no evidence, no anchor, and no decision",
}
_COLORS = {"error": "red", "warning": "yellow", "info": "bright_black"}


def command(everywhere: Everywhere = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Find records that repeat another, hold a secret, are too long, say too little, or rest on nothing.

    Duplicates and secrets are errors: recall leaves them out, and the exit code is 1. Changes nothing.

    Example: aicx memory check lint
    Example: aicx memory check lint --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        assessed = memory.assessed(memory.records(everywhere=everywhere))
        found = list(lint(assessed))
    answer = LintAnswer(
        len(assessed),
        dict(sorted(Counter(one.code for one in found).items())),
        found,
        None if everywhere else desk.scope.repository,
    )
    if json:
        console.out_answer(SCHEMA, answer)
    else:
        for one in answer.findings:
            severity = console.style(f"{one.severity:8}", fg=_COLORS[one.severity])
            console.out(f"{severity}{one.ref}  {_WORDS[one.code]}{f': {one.other}' if one.other else ''}")
        console.notify(f"{console.plural(answer.checked, 'record')}, {console.plural(len(found), 'finding')}.")
    if any(one.severity == "error" for one in found):
        raise typer.Exit(1)
