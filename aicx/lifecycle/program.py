"""Runs a program with the streams, the terminal and the signals of this process, and hears what it prints."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import NamedTuple

Heard = Callable[[bytes], None]
_PASSED = frozenset(
    (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH)
)
_WATCHED = _PASSED | {signal.SIGCHLD}
_ENDING = frozenset((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
_OF_TERMINAL = frozenset((signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH))
_FROM_KERNEL = 0x80  # SI_KERNEL
_BLOCK = 64 * 1024
_MOMENT = 100  # milliseconds
_OUTPUT_MODES = 1  # the index of them in what tcgetattr gives


def hold_signals() -> set[int]:
    """Keeps back the signals that are for a program until it runs; the mask that was in force.

    To be called before anything starts a thread: one that lets them through would be given them.
    """
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED))


def obey_held(mask: set[int]) -> None:
    """Ends this process where a signal to do so was kept back: the program does not run yet."""
    if signal.sigpending() & _ENDING:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def run_program(
    command: Sequence[str], environ: Mapping[str, str], mask: set[int], umask: int = -1, heard: Heard | None = None
) -> int:
    """The program's exit code, 128 and the signal's number where one ended it, as shells have it.

    ``mask`` is what `hold_signals` gave, and is the program's. ``heard`` is given what it prints, as it comes; without
    it the program has the very streams of this process.
    Raises OSError where it does not start. Afterwards SIGHUP, SIGINT and SIGTERM are ignored.
    """
    with ExitStack() as stack:
        streams = stack.enter_context(_streams()) if heard else None
        given = streams.given if streams else {}
        terminal = streams.terminal if streams else None
        controls = terminal is not None and terminal.interactive
        stack.callback(_unblock, mask)

        def begin() -> None:
            if controls:
                take_terminal()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

        program: subprocess.Popen[bytes] = subprocess.Popen(
            command,
            stdin=given.get("stdin"),
            stdout=given.get("stdout"),
            stderr=given.get("stderr"),
            env=environ,
            umask=umask,
            close_fds=False,  # whatever else this process was given is for the program
            start_new_session=controls,
            preexec_fn=begin,
        )
        if streams is None or heard is None:
            _wait(program, None)
        else:
            if controls:
                stack.enter_context(raw(0))
            _copy(program, streams, heard)
        return program.returncode if program.returncode >= 0 else 128 - program.returncode


class _Streams(NamedTuple):
    """The streams that the program is given, and from where to where what it prints is copied.

    ``own`` are the descriptors that only the program needs.
    """

    given: dict[str, int]
    copied: list[tuple[int, int]]
    own: list[int]
    terminal: PseudoTerminal | None


@contextmanager
def _streams() -> Iterator[_Streams]:
    """A terminal is replaced by a pseudo-terminal, anything else by a pipe; standard input stays what it is.

    Two streams into the same file stay one, so that the order of what is printed stays.
    """
    found = _Streams({}, [], [], None)
    pipes: dict[tuple[int, int], int] = {}
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, f"__{name}__") is None:
            continue  # it was closed, and its number may be that of another file by now
        if os.isatty(descriptor):
            if found.terminal is None and name == "stderr":
                continue  # output goes elsewhere: what is left on the terminal is left to it
            if found.terminal is None:
                terminal = open_terminal(descriptor, interactive=sys.__stdin__ is not None and os.isatty(0))
                found = found._replace(terminal=terminal)
                found.copied.append((terminal.master, descriptor))
                found.own.append(terminal.slave)
            assert found.terminal is not None
            found.given[name] = found.terminal.slave
            continue
        status = os.fstat(descriptor)
        target = (status.st_dev, status.st_ino)
        if target not in pipes:
            source, pipes[target] = os.pipe()
            found.copied.append((source, descriptor))
            found.own.append(pipes[target])
        found.given[name] = pipes[target]
    if found.terminal is not None and found.terminal.interactive:
        found.given["stdin"] = found.terminal.slave
    try:
        yield found
    finally:
        _close(found.own)
        _close([source for source, _ in found.copied])


def _copy(program: subprocess.Popen[bytes], streams: _Streams, heard: Heard) -> None:
    """Copies until the program has ended and everything it printed is where it belongs."""
    _close(streams.own)
    terminal = streams.terminal
    ended, end = os.pipe()
    keep = terminal is not None
    copies = [Copying(source, target, ended, heard, keep=keep) for source, target in streams.copied]
    typing = [Copying(0, terminal.master, ended, keep=True)] if terminal is not None and terminal.interactive else []
    for copying in (*copies, *typing):
        copying.start()
    _wait(program, terminal)
    os.close(end)
    for copying in copies:
        copying.join()
        if copying.is_open:
            _leave(copying.source, copying.target)
    for copying in typing:
        copying.join()
    os.close(ended)
    # A source that was closed because its target was must not be closed again: the number may be another's by now.
    streams.copied[:] = [pair for pair, one in zip(streams.copied, copies, strict=True) if not one.was_closed]


def _leave(source: int, target: int) -> None:
    """Lets what the program left in the background print on, as it would without this process."""
    with suppress(OSError):
        subprocess.Popen(["cat"], stdin=source, stdout=target, stderr=subprocess.DEVNULL, start_new_session=True)


def _wait(program: subprocess.Popen[bytes], terminal: PseudoTerminal | None) -> None:
    """Waits for the end of the program; hands signals to it meanwhile.

    What the terminal sends to a whole group of processes, the program has got by itself unless it has its own session.
    """
    controls = terminal is not None and terminal.interactive
    while program.poll() is None:
        number, from_terminal = _next_signal()
        if number == signal.SIGWINCH and terminal is not None:
            terminal.copy_size()
        elif number != signal.SIGCHLD and (controls or not from_terminal):
            program.send_signal(number)


def _next_signal() -> tuple[int, bool]:
    """The number of the next signal, and whether it is the terminal that sent it."""
    if hasattr(signal, "sigwaitinfo"):
        found = signal.sigwaitinfo(_WATCHED)
        return found.si_signo, found.si_code == _FROM_KERNEL
    number = signal.sigwait(_WATCHED)  # macOS, which does not say who sent it
    return number, number in _OF_TERMINAL


def _unblock(mask: set[int]) -> None:
    """Lets signals through again. What ended the program, or its terminal, must not end this before it is recorded."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


class Copying(Thread):
    """Copies ``source`` to ``target`` until it ends, or until ``ended`` is readable and nothing more is waiting.

    A target that takes nothing more closes the source, so that the program is told as it would be without this; with
    ``keep`` the source is read on instead. Afterwards ``is_open`` is whether somebody
    else may still write there, ``was_closed`` whether the source was closed.
    """

    def __init__(self, source: int, target: int, ended: int, heard: Heard | None = None, *, keep: bool = False) -> None:
        super().__init__(daemon=True)
        self.source, self.target = source, target
        self.is_open, self.was_closed = True, False
        self._ended, self._heard, self._keep = ended, heard, keep

    def run(self) -> None:
        waiting = select.poll()
        waiting.register(self.source, select.POLLIN)
        waiting.register(self._ended, select.POLLIN)
        writes = True
        while self._is_ready(waiting):
            try:
                block = os.read(self.source, _BLOCK)
            except OSError:  # the last one that had a pseudo-terminal open is gone
                block = b""
            if not block:
                self.is_open = False
                return
            try:
                if writes:
                    write_all(self.target, block)
            except OSError:
                writes = False
                if not self._keep:
                    self.is_open, self.was_closed = False, True
                    os.close(self.source)
            if self._heard is not None:
                self._heard(block)
            if not self.is_open:
                return

    def _is_ready(self, waiting: select.poll) -> bool:
        """Waits until there is something to read; False where the program has ended and nothing is."""
        if self.source in {descriptor for descriptor, _ in waiting.poll()}:
            return True
        # What was written last to a pseudo-terminal is there a moment later.
        waiting.unregister(self._ended)
        found = bool(waiting.poll(_MOMENT))
        waiting.register(self._ended, select.POLLIN)
        return found


def write_all(target: int, block: bytes) -> None:
    """Writes all of ``block``, also to a target that does not wait. Raises OSError."""
    view = memoryview(block)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])


class PseudoTerminal(NamedTuple):
    """Both ends of it, and the terminal that it copies. ``interactive`` where the program reads from it, too."""

    master: int
    slave: int
    real: int
    interactive: bool

    def copy_size(self) -> None:
        with suppress(OSError):  # a terminal that was closed
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, fcntl.ioctl(self.real, termios.TIOCGWINSZ, bytes(8)))


def open_terminal(real: int, *, interactive: bool) -> PseudoTerminal:
    """One with the modes and the size of the terminal ``real``."""
    found = PseudoTerminal(*os.openpty(), real, interactive)
    modes = termios.tcgetattr(real)
    if not interactive:
        modes[_OUTPUT_MODES] &= ~termios.OPOST  # the real one does that
    termios.tcsetattr(found.slave, termios.TCSANOW, modes)
    found.copy_size()
    return found


def take_terminal() -> None:
    """Makes standard input the controlling terminal. For a program that begins a session of its own."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def raw(real: int) -> Iterator[None]:
    """Hands every key on: what Ctrl-C means is decided at the pseudo-terminal."""
    modes = termios.tcgetattr(real)
    try:
        tty.setraw(real)
        yield
    finally:
        with suppress(termios.error):  # it was closed
            termios.tcsetattr(real, termios.TCSADRAIN, modes)
