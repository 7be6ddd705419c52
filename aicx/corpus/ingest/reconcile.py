"""Makes the stored chunks of a session say what its logs say, without ever losing a stored message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import StoredChunk, duplicates_of, put_chunk, remove_chunk, stored_chunks
from aicx.corpus.catalog.fields import own_messages
from aicx.corpus.files.tombstones import Tombstones
from aicx.corpus.ingest.drafts import MessageDraft, blank_message
from aicx.corpus.ingest.publishing import Publisher
from aicx.corpus.ingest.render import RenderedChunk
from aicx.corpus.ingest.report import StoreReport
from aicx.corpus.ingest.segments import run_after
from aicx.corpus.ingest.session_chunks import NotAlike, Restart, SessionScope, SessionState, session_chunks
from aicx.corpus.places.evidence import Session
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.paths import Layout


class Reconciler:
    """Writes sessions one after the other, and counts in the report what that changed.

    ``resolve`` says which repository a folder of a session belongs to. With ``compares_files`` a chunk is unchanged
    only if the files on disk are, too.
    """

    def __init__(
        self,
        layout: Layout,
        catalog: Catalog,
        publisher: Publisher,
        tombstones: Tombstones,
        resolve: Callable[[str | None, Session], RepositoryIdentity | None],
        report: StoreReport,
        *,
        compares_files: bool,
    ) -> None:
        self._layout = layout
        self._catalog = catalog
        self._publisher = publisher
        self._tombstones = tombstones
        self._resolve = resolve
        self._report = report
        self._compares_files = compares_files

    def write(self, scope: SessionScope, drafts: list[MessageDraft], state: SessionState) -> Restart | None:
        """Makes the stored chunks of a session say what its logs say, without ever losing a stored message.

        Where the logs still hold all that is stored, they decide. Where some of it is gone from them (a log was
        deleted, cut or replaced), what is stored stays as it is and only new messages are added behind it.

        Returns where the session could be taken up again, if it can. Raises NotAlike, having written nothing, where it
        was read on and is not what is stored from its open chunk on.
        """
        opened = state.opened
        first_number = opened.restart.number if opened else 1
        stored = stored_chunks(self._catalog, scope.agent, scope.session_id, scope.stream, first_number)
        since = opened.restart.index if opened else 0
        new, complete = _compare(stored, [draft for draft in drafts if draft.index >= since])
        if opened and not complete:
            raise NotAlike
        if not complete:
            drafts = new
        if not drafts:
            return None
        forgets = any(draft.key in self._tombstones.messages for draft in drafts)
        drafts = [blank_message(draft) if draft.key in self._tombstones.messages else draft for draft in drafts]
        state = replace(
            state,
            run=state.run if complete else run_after(self._layout, stored[-1].path),
            first_number=first_number if complete else stored[-1].number + 1,
            duplicates=duplicates_of(self._catalog, [draft.key for draft in drafts]),
            late_title=self._catalog.late_title(scope.agent, scope.session_id) if not scope.stream else None,
        )
        earlier = {chunk.number: chunk for chunk in stored} if complete else {}
        session = (scope.agent, scope.session_id)
        restarts: list[Restart] = []
        for chunk in session_chunks(scope, drafts, state, lambda cwd: self._resolve(cwd, session), restarts.append):
            fields = chunk.fields
            if self._tombstones.covers(fields["project"], fields.get("cwd"), fields.get("repo_source")):
                self._report.forgotten += 1
            else:
                self._put(chunk, earlier.pop(chunk.number, None))
        self._report.chunks_unchanged += first_number - 1
        for leftover in earlier.values():
            self._report.chunks_removed += 1
            self._publisher.remove(leftover.path)
            remove_chunk(self._catalog, leftover.id)
        return restarts[0] if restarts and complete and not forgets else None

    def _put(self, chunk: RenderedChunk, stored: StoredChunk | None) -> None:
        sidecar = chunk.sidecar
        digest = sha256(sidecar).hexdigest()
        path = f"{chunk.stem}.md"
        made = (path, chunk.fields["content_sha256"], digest)
        known = stored and (stored.path, stored.content_sha256, stored.sidecar_sha256)
        if known == made and (not self._compares_files or self._on_disk(chunk, sidecar)):
            self._report.chunks_unchanged += 1
            return
        self._count(chunk, stored)
        if self._publisher.stage(chunk.stem, chunk.markdown, sidecar):
            self._report.paths.append(path)
        if stored is not None and stored.path != path:
            self._publisher.remove(stored.path)
        put_chunk(self._catalog, chunk.fields, path, digest, chunk.markdown, is_new=stored is None)

    def _count(self, chunk: RenderedChunk, stored: StoredChunk | None) -> None:
        report = self._report
        report.chunks_written += 1
        bucket = report.buckets.setdefault(chunk.fields["project"], {})
        bucket[chunk.fields["agent"]] = bucket.get(chunk.fields["agent"], 0) + 1
        for rule, count in chunk.fields["redactions"].items():
            report.redactions[rule] = report.redactions.get(rule, 0) + count
        new = {item["key"] for item in own_messages(chunk.fields)}
        report.messages += len(new - set(stored.keys if stored else ()))

    def _on_disk(self, chunk: RenderedChunk, sidecar: bytes) -> bool:
        home = self._layout.home
        try:
            return (home / f"{chunk.stem}.md").read_bytes() == chunk.markdown and (
                home / f"{chunk.stem}.meta.json"
            ).read_bytes() == sidecar
        except OSError:
            return False


def _compare(stored: Sequence[StoredChunk], drafts: Sequence[MessageDraft]) -> tuple[list[MessageDraft], bool]:
    """The messages that are not stored yet, and whether all that is stored is among ``drafts``.

    A prompt that waited in the agent's queue when it was stored comes again under an id of its own once it was sent: a
    stored message that is gone and a new one with its text are one message.
    """
    told = {key: text for chunk in stored for key, text in zip(chunk.keys, chunk.text_keys, strict=True)}
    known = {draft.key for draft in drafts}
    gone = Counter(text for key, text in told.items() if key not in known)
    new: list[MessageDraft] = []
    for draft in drafts:
        if draft.key in told:
            continue
        if gone[draft.text_key] > 0:
            gone[draft.text_key] -= 1
        else:
            new.append(draft)
    return new, not +gone
