"""Proposals as holders of people's text: what `forget`, `store --redact-again` and `doctor` do to them.

One goes with its record, which the memory deletes. Here it goes for what the patch alone says: lines of that file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.doctor.inputs import Check, DoctorInputs, current_writer
from aicx.corpus.forget.holding import ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.memory.events import Standing
from aicx.memory.files import PROPOSALS, folder_of
from aicx.memory.review.patches import digest_of_file
from aicx.memory.seal import decisions_in
from aicx.memory.writing import memory_folder
from aicx.paths import Layout
from aicx.redaction import redact_plain
from aicx.regex import searching
from aicx.text import first_of, plural

_NOTHING = Standing()


class _Review(Holder):
    name = "review"
    noun = "proposal"
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        plan.held[self.name] = [(path,) for path in _files(layout) if _is_meant(path, request)]

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Deletes what holds a secret by the rules of today: a patch without it would be another patch."""
        found = [path for path in _files(settings.layout) if redact_plain(text := _text(path)).text != text]
        for path in found:
            path.unlink(missing_ok=True)
        if found:
            report.elsewhere += len(found)
            report.notes.append(f"{plural(len(found), 'proposal')} with a secret deleted; promote again")

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout = facts.layout
        if current_writer(layout, memory_folder(layout).name) is not None:
            return (Check(self.name, "skipped", "the memory is being written; look again when that is done"),)
        decided, _ = decisions_in(layout.memory)
        files = {path.stem: path for path in _files(layout)}
        other = [
            f"{path.relative_to(layout.home)} was changed by another hand"
            for name, path in files.items()
            if digest_of_file(path.read_bytes()) != decided.get(name, _NOTHING).proposal
        ]
        waiting = [name for name, one in decided.items() if one.patched is not None and one.applied is None]
        other += [f"the patch of mem:{name} is gone" for name in waiting if name not in files]
        if other:
            hint = "move it away, then: aicx memory candidates promote REF --by NAME"
            return (Check(self.name, "warning", first_of(other, between="; "), hint),)
        return (Check(self.name, "green", f"{plural(len(files), 'proposal')}, each as it was written"),)


def _files(layout: Layout) -> Iterator[Path]:
    """Every proposal. What a link leads to is none."""
    return (path for path in sorted(layout.memory.glob(f"*/{PROPOSALS}/*.json")) if not path.is_symlink())


def _is_meant(path: Path, request: ForgetRequest) -> bool:
    if request.pattern is not None:
        return searching(request.pattern)(_text(path))
    return request.project is not None and path.parent.parent.name == folder_of(request.project)


def _text(path: Path) -> str:
    """Reads a file, with line feeds where a patch has them."""
    return path.read_text("utf-8", "replace").replace("\\n", "\n")


HOLDER = _Review()
