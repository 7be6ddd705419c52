"""Writes the BM25 index: one tantivy document for each document it is handed, its texts already analysed."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, StoreUnwritable
from aicx.types import Document
from aicx.values import dataclass

# Analyses a text into its words in order and its whole names; how is the caller's business.
Analyze = Callable[[str], tuple[Sequence[str], Sequence[str]]]

HEADER = "header"
_HEAP_BYTES = 64 * 1024 * 1024
_OS_ERROR = re.compile(r"os error (\d+)")


@dataclass(frozen=True, slots=True)
class LexicalSchema:
    """The index's fields: texts, each with its whole names in ``<field>_names``, and the columns to filter on."""

    fields: tuple[str, ...]
    text_columns: tuple[str, ...]
    number_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnalyzedDocument:
    """A document ready for the index: by field, its terms joined with spaces."""

    id: str
    terms: Mapping[str, str]
    columns: Mapping[str, str | int | None]


def analyze_document(document: Document, analyze: Analyze) -> AnalyzedDocument:
    """The terms of a document, field by field. Costly, and independent of any index: it may run in another process."""
    texts: dict[str, list[str]] = {HEADER: [document.header]}
    for part in document.parts:
        texts.setdefault(part.field, []).append(part.text)
    terms: dict[str, str] = {}
    for name, pieces in texts.items():
        # Each on its own: a person and an agent may write in different languages.
        found = [analyze(piece) for piece in pieces]
        terms[name] = " ".join(chain.from_iterable(words for words, _ in found))
        terms[f"{name}_names"] = " ".join(chain.from_iterable(names for _, names in found))
    return AnalyzedDocument(document.id, terms, document.columns)


class LexicalWriter:
    """An open index. One at a time: the caller holds a lock."""

    def __init__(self, folder: Path, schema: LexicalSchema, *, fresh: bool) -> None:
        import tantivy

        self._tantivy = tantivy
        self._columns = (*schema.text_columns, *schema.number_columns)
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._index = tantivy.Index(_build(tantivy, schema), path=str(folder))
        except ValueError as error:
            raise _failure(f"the lexical index in {folder} cannot be continued", error, folder) from error

    def update(self, documents: Iterable[AnalyzedDocument], removed: Iterable[str]) -> int:
        """Replaces ``documents`` and drops ``removed`` in one commit; returns how many documents were written.

        Readers see the index as it was before or as it is after.
        """
        writer = self._index.writer(_HEAP_BYTES, 1)
        count = 0
        try:
            for document_id in removed:
                writer.delete_documents_by_term("id", document_id)
            for document in documents:
                columns = {f"c_{name}": document.columns.get(name) for name in self._columns}
                known = {name: value for name, value in columns.items() if value is not None}
                writer.delete_documents_by_term("id", document.id)
                writer.add_document(self._tantivy.Document(id=document.id, **document.terms, **known))
                count += 1
            writer.commit()
        except ValueError as error:
            with suppress(ValueError):
                writer.rollback()
            raise _failure("the lexical index could not be written", error) from error
        writer.wait_merging_threads()
        return count


def _failure(what: str, error: ValueError, folder: Path | None = None) -> CorpusDamaged | StoreUnwritable:
    """Only tantivy's message says whether the index is damaged, a file of it missing, or the disk refused.

    With ``folder`` a refusal is told as of any other file there.
    """
    refused = _OS_ERROR.search(str(error))
    if refused and int(refused[1]) != errno.ENOENT:
        told = f"{what}: {error}" if folder is None else f"cannot write {folder}: {os.strerror(int(refused[1]))}"
        return StoreUnwritable(told, hint="free some space, or check the folder's permissions")
    return CorpusDamaged(f"{what}: {error}")


def _build(tantivy: Any, schema: LexicalSchema) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in (HEADER, *schema.fields):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(f"{name}_names", tokenizer_name="whitespace", index_option="freq")
    for column in schema.text_columns:
        builder.add_text_field(f"c_{column}", tokenizer_name="raw", index_option="basic")
    for column in schema.number_columns:
        builder.add_integer_field(f"c_{column}", indexed=True, fast=True)
    return builder.build()
