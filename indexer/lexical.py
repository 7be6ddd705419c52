"""Writes the BM25 index: one tantivy document for each document it is handed, its texts already analysed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged
from aicx.types import Document

# Analysed text as (words in order, whole names); how it was made is the caller's business.
Analyzed = tuple[Sequence[str], Sequence[str]]
Analyze = Callable[[str], Analyzed]

HEADER = "header"
_HEAP_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LexicalSchema:
    """The index's fields: texts, each with its whole names in ``<field>_names``, and the columns to filter on."""

    fields: tuple[str, ...]
    text_columns: tuple[str, ...]
    number_columns: tuple[str, ...]


class LexicalWriter:
    """An open index. One at a time: the caller holds a lock."""

    def __init__(self, folder: Path, schema: LexicalSchema, analyze: Analyze, *, fresh: bool) -> None:
        import tantivy

        self._tantivy = tantivy
        self._schema = schema
        self._analyze = analyze
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._index = tantivy.Index(_build(tantivy, schema), path=str(folder))
        except ValueError as error:
            raise CorpusDamaged(f"the lexical index in {folder} cannot be continued: {error}") from error

    def update(self, documents: Iterable[Document], removed: Iterable[str]) -> int:
        """Replaces ``documents`` and drops ``removed`` in one commit; returns how many documents were written.

        Readers see the index as it was before or as it is after.
        """
        writer = self._index.writer(_HEAP_BYTES, 1)
        count = 0
        try:
            for document_id in removed:
                writer.delete_documents_by_term("id", document_id)
            for document in documents:
                writer.delete_documents_by_term("id", document.id)
                writer.add_document(self._tantivy_document(document))
                count += 1
            writer.commit()
        except ValueError as error:
            writer.rollback()
            raise CorpusDamaged(f"the lexical index could not be written: {error}") from error
        writer.wait_merging_threads()
        return count

    def _tantivy_document(self, document: Document) -> Any:
        fields: dict[str, Any] = {"id": document.id}
        texts: dict[str, list[str]] = {HEADER: [document.header]}
        for part in document.parts:
            texts.setdefault(part.field, []).append(part.text)
        for name, pieces in texts.items():
            words, names = self._analyze("\n".join(pieces))
            fields[name] = " ".join(words)
            fields[f"{name}_names"] = " ".join(names)
        for column in (*self._schema.text_columns, *self._schema.number_columns):
            value = document.columns.get(column)
            if value is not None:
                fields[f"c_{column}"] = value
        return self._tantivy.Document(**fields)


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
