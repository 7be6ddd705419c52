"""A pseudo-terminal that behaves as the terminal it stands in for."""

from __future__ import annotations

import fcntl
import os
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

_OUTPUT_MODES = 1  # the index of them in what tcgetattr gives


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
