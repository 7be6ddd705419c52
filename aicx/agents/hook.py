"""The process behind `aicx hook`: a child does the work, and this one answers in time even if the child hangs.

Git or a disk may hang in a way that no signal ends. This process touches neither: it waits for the child's answer until
the deadline, and then exits with 0 and prints nothing. Little is imported before the child has started.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from aicx.agents import LANES, SAVE, STORE
from aicx.system import CAN_FORK, end_after

# The promise is 2 seconds; a loaded machine needs some of them to start an interpreter.
SECONDS = 1.7
_SECONDS_TO_NOTE, _SECONDS_TO_NOTE_HERE = 10, 0.1
# What an agent says of an event is bounded; a Stop hook quotes the model's last answer.
_MAX_INPUT = 4_000_000
# In which all that a hook left to itself has to be done: what still runs then hangs.
_SECONDS_IN_ALL = 4 * 3600
_END = b"\0"  # of an answer of the child


def main(arguments: Sequence[str]) -> None:
    """Answers one call of a hook and ends the process with 0; ``arguments`` are the words after `aicx hook`."""
    answer = b""
    if arguments[:1] == [STORE]:
        with suppress(BaseException):
            _store()
        os._exit(0)
    if arguments[:1] == [SAVE]:
        _save(arguments[1])
        os._exit(0)
    with suppress(BaseException):
        answer, in_time = within(SECONDS, lambda say: _answer(arguments, say))
        if not in_time:
            _note_apart(f"{' '.join(arguments[:3])}: gave up after {SECONDS} s")
    with suppress(OSError):
        os.write(1, answer)
    os._exit(0)


def within(seconds: float, work: Callable[[Callable[[bytes], None]], bytes]) -> tuple[bytes, bool]:
    """Returns the answer of ``work`` from another process, which is killed with its own after ``seconds``.

    Also whether the work came to its end. It is passed a function to say what the answer is if it does not. No answer
    has a NUL byte in it. Its output goes nowhere: an agent that reads until every writer is gone does not wait for it.
    """
    if not CAN_FORK:
        return _beside(seconds, work)
    until = time.monotonic() + seconds
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.close(reading)
            _stand_alone()
            with os.fdopen(writing, "wb") as stream:

                def say(answer: bytes) -> None:
                    stream.write(answer + _END)
                    stream.flush()

                say(work(say))
        os._exit(0)
    os.close(writing)
    said, in_time = _read(reading, until)
    if not in_time:
        for end in (os.killpg, os.kill):
            with suppress(OSError):
                end(child, signal.SIGKILL)
    _reap(child, max(until, time.monotonic() + 0.05))
    return said.split(_END)[-2] if _END in said else b"", in_time


def _beside(seconds: float, work: Callable[[Callable[[bytes], None]], bytes]) -> tuple[bytes, bool]:
    """As `within` on a system that does not fork: in a thread, which ends with this process whatever it waits for."""
    from threading import Thread

    said: list[bytes] = []

    def run() -> None:
        with suppress(BaseException):
            said.append(work(said.append))

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return said[-1] if said else b"", not thread.is_alive()


def _stand_alone() -> None:
    """Makes this process one that an agent does not wait for: of a group of its own, printing nothing."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _note_apart(text: str) -> None:
    """Adds a line to the log in a process that is left to itself, or a thread, since the disk may be what hangs."""
    if CAN_FORK:
        if os.fork():
            return
        with suppress(BaseException):
            _stand_alone()
            end_after(_SECONDS_TO_NOTE)
            _note(text)
        os._exit(0)
    from threading import Thread

    thread = Thread(target=_note, args=(text,), daemon=True)
    thread.start()
    thread.join(_SECONDS_TO_NOTE_HERE)


def _note(text: str) -> None:
    from aicx.agents.wishes import note

    note(text)


def _reap(child: int, until: float) -> None:
    """Waits for a process that has nothing left to do; one that cannot even be killed is left behind."""
    while os.waitpid(child, os.WNOHANG)[0] == 0 and time.monotonic() < until:
        time.sleep(0.002)


def _read(descriptor: int, until: float) -> tuple[bytes, bool]:
    """Everything until the other end is closed, and whether it was closed in time."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return b"".join(parts), False
        part = os.read(descriptor, 65536)
        if not part:
            return b"".join(parts), True
        parts.append(part)


def _answer(arguments: Sequence[str], say: Callable[[bytes], None]) -> bytes:
    """In the child: what to print. An error becomes a line in the log, and what was said before stays the answer."""
    event, agent, given = "", "", ""
    try:
        words = [word for word in arguments if word != "--agent"]
        event, agent = words[0], words[1]
        given = words[2] if len(words) > 2 else ""
        if event in LANES.values():
            from aicx.agents.unasked import answer as say_unasked

            return say_unasked(event, agent, given.encode() if given else _given())
        from aicx.agents.events import answer

        return answer(event, agent, given.encode() if given else _given(), say)
    except BaseException as error:
        with suppress(BaseException):
            from aicx.agents.wishes import note

            note(f"{event} {agent}: {type(error).__name__}: {error}")
        raise


def _store() -> None:
    """The process that `aicx.agents.background.request` starts; no agent waits for it."""
    from aicx.agents import background
    from aicx.config import load_settings

    end_after(_SECONDS_IN_ALL)
    layout = load_settings().layout
    background.run(layout, lambda file: background.save_apart(layout, file))


def _save(file: str) -> None:
    """The process that fulfils one wish. It ends in time also where the one that started it was killed."""
    from aicx.agents.background import SAVE_SECONDS
    from aicx.agents.wishes import fulfil
    from aicx.config import load_settings

    end_after(SAVE_SECONDS)
    fulfil(load_settings(), Path(file))


def _given() -> bytes:
    """Reads the agent's message from standard input: to its end, or until it is one whole JSON object."""
    import json

    body = b""
    if sys.stdin is None or os.isatty(0):
        return body
    while part := os.read(0, 65536):
        body += part
        if len(body) > _MAX_INPUT:
            return b""
        if body.rstrip().endswith(b"}"):
            with suppress(ValueError):
                json.loads(body)
                return body
    return body
