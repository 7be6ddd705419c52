"""`aicx.store/1` and `aicx.entries/1`: what a run of `aicx store` did, and all that it read."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from aicx.api.answers import INLINE, OPTIONAL
from aicx.api.answers.index import IndexBuilt
from aicx.corpus.ingest.report import StoreReport
from aicx.corpus.views.report import EntryList
from aicx.values import dataclass

SCHEMA = "aicx.store/1"
REDACTION_SCHEMA = "aicx.redaction/1"
ENTRIES_SCHEMA = "aicx.entries/1"


@dataclass(frozen=True, slots=True)
class IndexFailed:
    """As in [errors](#errors-aicxerror1)."""

    error: Annotated[str, "the error message"]
    kind: Annotated[str, "the error's class"]
    hint: Annotated[str | None, "the next step, or null"]


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """Also of `all`, `claude`, `codex` and `gemini`. Where embedding fails, the exit code is that of the failure."""

    home: Annotated[str, "the corpus's folder"]
    dry_run: Annotated[bool, "whether nothing was written"]
    report: StoreReport = field(metadata=INLINE)
    index: Annotated[IndexBuilt | IndexFailed | None, "only with `--index`: what was embedded, or why not"] = field(
        default=None, metadata=OPTIONAL
    )


@dataclass(frozen=True, slots=True)
class EntriesAnswer:
    """Everything read in this run, redacted, under the names that consumers of such exports expect."""

    generated_at: str
    project_filter: Annotated[str | None, "the project that was asked for"]
    requested_source_filters: Annotated[list[str], "the same as a list"]
    requested_agents: Annotated[list[str], "the agents asked for; all of them: none"]
    requested_since: Annotated[str | None, "from when on; null without a limit"]
    resolved_repositories: Annotated[list[str], "repositories where chunks were written"]
    includes_non_repository_contexts: Annotated[bool, "whether chunks of no repository were written"]
    resolved_store_buckets: Annotated[dict[str, dict[str, int]], "project → agent → chunks written"]
    hours_back: Annotated[float | None, "how many hours that is; null without a limit"]
    entries: EntryList = field(metadata=INLINE)
    store_paths: Annotated[list[str], "chunks written, as absolute paths"]
