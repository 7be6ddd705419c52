"""aicx of Loctree, a program: it indexes the session logs of its HOME, and is started anew for every question."""

import json
import os
import re
import subprocess
from typing import Any

from loop import Ask, Place, serve

_SECONDS = 10  # for one question


# A colon, a bracket or a leading hyphen is syntax to its parser, which may then refuse the whole question.
_PLAIN = re.compile(r"\w[\w./-]*")


class Refused(RuntimeError):
    """The program ended with an error."""


def _run(*arguments: str, seconds: float | None = None) -> Any:
    environ = os.environ | {"AICX_NO_MUTATION_WARN": "1"}
    command = [os.environ["PEER_PROGRAM"], *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=seconds)
    if done.returncode:
        # stderr begins with what it scanned, whatever happened.
        raise Refused(f"aicx {arguments[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[:300]}")
    return json.loads(done.stdout)


def build(place: Place) -> None:
    answer = _run("index", "--json")
    if answer["sources_skipped"]:
        raise RuntimeError(f"{answer['sources_skipped']} of {answer['sources_total']} logs were skipped")


def opened(place: Place) -> Ask:
    def ask(text: str, limit: int) -> list[int]:
        asked = ("search", "--json", "--limit", str(limit), "--")
        try:
            answer = _run(*asked, text, seconds=_SECONDS)
        except Refused as error:
            if "parse lexical query" not in str(error):
                raise
            answer = _run(*asked, " ".join(_PLAIN.findall(text)), seconds=_SECONDS)
        if reason := answer["oracle_status"]["fallback_reason"]:
            raise RuntimeError(f"something else than its index has answered: {reason}")
        return [int(item["session_id"][:8], 16) for item in answer["items"]]

    return ask


serve(build, opened)
