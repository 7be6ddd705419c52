"""The account of a startup block: where it comes from, what is in it, and what was left out for which reason."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

# Of the note, in the order in which they are shown; then what follows it.
NoteSection = Literal[
    "goal", "incompleteNext", "triedAndFailed", "notYetTried", "confirmedWorking", "filesDecisionsEnvironment"
]
Section = NoteSection | Literal["sources", "instructionFiles", "stagedCandidates", "agreedMemory", "teamEntries"]
FitReason = Literal["line_limit", "byte_limit"]


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not in the block: items of a section, or the file of a note."""

    target: Annotated[Literal["section", "sourceFile"], "what it is of: items of a section, or a note"]
    stage: Annotated[Literal["reading", "fitting"], "when it was left out"]
    reason: Annotated[Literal["broken_note"] | FitReason, "why"]
    section: Annotated[Section | None, "whose items they are"] = None
    path: Annotated[str | None, "the file of a note that cannot be understood"] = None
    count: Annotated[int, "number of items, or 1 for a file"] = 1


@dataclass(frozen=True, slots=True)
class CompactionSeam:
    """Where a compaction of the session comes in: what marks it, and what shows the block again afterwards."""

    markedBy: Annotated[str, "the hook before the compaction"]
    shownBy: Annotated[str, "the hook after it"]
    sections: Annotated[list[NoteSection], "the sections that are then shown again"]


@dataclass(frozen=True, slots=True)
class StartupManifest:
    """The block that a session is shown at its start, and how it was chosen."""

    text: Annotated[str, "the block; empty where no note says anything"]
    lineCount: Annotated[int, "its lines"]
    lineLimit: Annotated[int, "how many it may have"]
    continuityMode: Annotated[Literal["startup"], "the moment that the block is for"]
    continuityProvenanceKind: Annotated[Literal["temporary-continuity"], "what it is: no memory that was agreed to"]
    sourceFiles: Annotated[list[str], "the notes of which something is in the block"]
    candidateSourceFiles: Annotated[list[str], "all notes that were looked at"]
    continuitySourceKinds: Annotated[list[Literal["project", "local"]], "the layers of `sourceFiles`"]
    continuitySectionKinds: Annotated[list[NoteSection], "the sections of the note that are in the block"]
    sectionsRendered: Annotated[
        dict[str, bool], "whether each section of the note is in the block, and `sources`: the line with its files"
    ]
    omissions: Annotated[list[Omission], "what was left out"]
    omissionCounts: Annotated[dict[str, int], "number of items left out, by section"]
    futureCompactionSeam: Annotated[CompactionSeam, "what shows the block again after a compaction"]
