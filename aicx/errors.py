"""Every failure a user can meet, each with an exit code and the next step.

AicxError                     1  anything below, as one family
├── UsageError                2  the call's words do not fit
│   └── UnsafePath            2  a path or name that could leave its folder
├── NotFound                  3  the thing asked for does not exist
├── MissingExtra              4  an optional part is not installed
├── StoreLocked               5  another writer holds the store for too long
├── StoreUnwritable           6  disk full, read-only home, no permission
├── RecordChanged             1  a record is not as it was when a decision about it was made
├── CorpusDamaged             7  a stored file cannot be read as what it should be
├── SourceUnreadable          8  an agent's log cannot be read at all
├── MalformedPolicy           9  a memory policy cannot be understood, so no memory is shown
└── HomeTooNew               10  the home was written by a newer release
"""

from __future__ import annotations


class AicxError(Exception):
    """An expected failure: a message for people, a hint with the next step, an exit code for scripts."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def plainly(error: Exception) -> str:
    """Returns what went wrong in a line, for a part of an answer that has to go without."""
    if isinstance(error, AicxError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


class UsageError(AicxError):
    exit_code = 2


class PatternRefused(UsageError):
    """An expression is not one, or one that cannot be searched for in time that grows with the text alone.

    ``number`` is its place, where there are several.
    """

    def __init__(self, message: str, *, hint: str | None = None, number: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.number = number


class UnsafePath(UsageError):
    pass


class NotFound(AicxError):
    exit_code = 3


class MissingExtra(AicxError):
    exit_code = 4

    def __init__(self, feature: str, extra: str) -> None:
        from aicx.installation import install_command

        super().__init__(
            f"{feature} needs the optional part [{extra}], which is not installed.", hint=install_command(extra)
        )
        self.feature = feature
        self.extra = extra


class StoreLocked(AicxError):
    exit_code = 5


class StoreUnwritable(AicxError):
    exit_code = 6


class RecordChanged(AicxError):
    pass


class CorpusDamaged(AicxError):
    exit_code = 7


class SourceUnreadable(AicxError):
    exit_code = 8


class MalformedPolicy(AicxError):
    exit_code = 9


class HomeTooNew(AicxError):
    exit_code = 10
