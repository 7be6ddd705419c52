"""The labelled set: texts with secrets that must vanish, and look-alikes that must not change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.redaction.tokens import make

HERE = Path(__file__).parent
SLOT = re.compile("«([^«»]+)»")


@dataclass(frozen=True, slots=True)
class Positive:
    """``text`` holds ``secrets``; everything else in it, the ``keeps``, must survive in this order."""

    family: str
    text: str
    secrets: tuple[str, ...]
    keeps: tuple[str, ...]

    def leaked(self, redacted: str) -> list[str]:
        """The secrets of which something can still be read in ``redacted``."""
        return [secret for secret in self.secrets if any(piece in redacted for piece in _pieces(secret))]

    def kept(self, redacted: str) -> bool:
        """Whether what surrounds the secrets came through, with a typed mark at each secret's place."""
        mark = r"[\s\S]*?\[REDACTED:[a-z0-9-]+\][\s\S]*?"
        return re.fullmatch(mark.join(re.escape(keep) for keep in self.keeps), redacted) is not None


@dataclass(frozen=True, slots=True)
class LookAlike:
    """``text`` holds no secret, however much it looks like one."""

    family: str
    text: str


def _pieces(secret: str, width: int = 10) -> Iterator[str]:
    """Every run of ``width`` characters of ``secret``: losing half a token is no redaction."""
    return (secret[at : at + width] for at in range(max(1, len(secret) - width + 1)))


def positives(file: str = "positives.txt") -> Iterator[Positive]:
    for number, (family, template) in enumerate(_entries(file)):
        text, secrets, keeps, end = "", [], [], 0
        for slot in SLOT.finditer(template):
            keeps.append(template[end : slot.start()])
            made, parts = make(slot[1], f"{number}:{slot.start()}")
            text += keeps[-1] + made
            secrets += parts
            end = slot.end()
        keeps.append(template[end:])
        yield Positive(family, text + keeps[-1], tuple(secrets), tuple(keeps))


def look_alikes(file: str = "lookalikes.txt") -> Iterator[LookAlike]:
    for number, (family, template) in enumerate(_entries(file)):
        text = SLOT.sub(lambda slot, n=number: make(slot[1], f"{n}:{slot.start()}")[0], template)
        yield LookAlike(family, text)


def _entries(name: str) -> Iterator[tuple[str, str]]:
    """(family, template) of each entry: separated by ``%%`` lines, under ``## family`` headings."""
    for section in re.split(r"(?m)^## ", (HERE / name).read_text(encoding="utf-8"))[1:]:
        family, _, body = section.partition("\n")
        for template in body.removesuffix("\n").split("\n%%\n"):
            yield family, template
