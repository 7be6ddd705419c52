"""The execution contract and its audit, as `resume` and the commands of a session's life cycle give them."""

from __future__ import annotations

from typing import Annotated

from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class FirstActionAnswer:
    """What to do first."""

    type: Annotated[str, "`open_file`, or `inspect_entry_points`: look at `expected_first_files` before anything else"]
    path: Annotated[str | None, "the file to open"]
    binding: Annotated[str, "`must_open_first` or `must_inspect_listed_entry_points_only`"]
    reason: Annotated[str, "what speaks for it"]


@dataclass(frozen=True, slots=True)
class EditScopeAnswer:
    """The files that the work is expected to change, from the repository's root."""

    primary: Annotated[list[str], "those it is about, at most 3"]
    secondary: Annotated[list[str], "those it may need, at most 4"]
    avoid: Annotated[list[str], "those that were looked at and discarded"]


@dataclass(frozen=True, slots=True)
class TestCommandAnswer:
    """The command that proves the work."""

    command: Annotated[str | None, "null where nothing says how the project is tested"]
    source: Annotated[
        str, "`previous_successful_command` (it passed in an earlier session), `makefile`, `project_convention`, `none`"
    ]


@dataclass(frozen=True, slots=True)
class ContractAnswer:
    """[What a session is asked to keep to](work.md#contracts): checked afterwards, never enforced."""

    task_goal: Annotated[str, "the task"]
    contract_strength: Annotated[str, "`strict`, `soft`, or `exploratory`, which asks for no file"]
    first_action: Annotated[FirstActionAnswer | None, "null where the contract is exploratory"]
    edit_scope: Annotated[EditScopeAnswer, "the files that the work is expected to change"]
    test_command: Annotated[TestCommandAnswer, "the command that proves it"]
    finalize_command: Annotated[str, "what reports the end of the session"]
    expected_first_files: Annotated[list[str], "the files to look at first, at most 3"]
    signals: Annotated[list[str], "what its strength comes from"]


@dataclass(frozen=True, slots=True)
class ContractResult:
    """How an earlier session kept to its contract."""

    ref: Annotated[str, "reference of the attempt"]
    status: Annotated[str, "`followed`, `partial` or `violated`"]
    score: Annotated[float, "0 to 1"]
    main_issue: Annotated[str | None, "the code of the first violation or warning, or null"]
    compact_summary: Annotated[str, "one line of at most 120 characters"]
    at: Annotated[str, "when it was written last"]
