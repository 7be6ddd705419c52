"""How well and how fast secrets are redacted: recall, false positives and MB/s, beside other tools where installed.

    python -m benchmarks.redaction                          # the labelled set, speed on the standard library
    python -m benchmarks.redaction --texts texts.jsonl      # speed on your own texts, one JSON string a line
    python -m benchmarks.redaction --secretlint DIR         # DIR holds node_modules with secretlint installed

detect-secrets and scrubadub are compared when they can be imported.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aicx.redaction import redact
from tests.redaction.labelled import look_alikes, positives

# Redacts many texts at once: some tools have a start-up cost that a single text should not pay.
Redactor = Callable[[Sequence[str]], list[str]]

MARK = "[REDACTED:x]"
SECRETLINT = """
import { text } from "node:stream/consumers";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
const config = { rules: [{ id: "preset", rule: creator, options: {}, rules: [] }] };
const ranges = [];
for (const content of JSON.parse(await text(process.stdin))) {
  const source = { content, filePath: "a.txt", ext: ".txt", contentType: "text" };
  const result = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  ranges.push(result.messages.map((message) => message.range));
}
console.log(JSON.stringify(ranges));
"""
HOSTILE = {
    "names": "token=",
    "quotes": 'api_key="\\\\\\',
    "prefixes": "sk-proj-",
    "web tokens": "-eyJ",
    "dots": "SG.",
    "key headers": "-----BEGIN PRIVATE " + "KEY-----\n",
    "key endings": "A\n-----END PRIVATE " + "KEY-----\n",
    "urls": "://a:b@",
    "cookies": "Cookie: a=",
    "marks": "token=abc123def [REDACTED:token]",
    "pairs": '"name":"x","value":',
    "one run": "A",
    "base64": "YWJjZGVm",
    "options": "mysql -p x docker login -p ",
    "pipes": "echo a | sudo -S ",
    "sentences": "the password is (for a ",
    "phrases": "seed phrase: able ",
    "percent signs": "a%3Ab%3D",
    "written quotes": "\\u0022password\\u0022:",
    "manifests": "kind: Secret\ndata:\n  a: b\n",
    "other scripts": "\u5bc6\u7801 ",
    "headers": "Authorization: A b ",
    "hooks": "https://a.hook/hook/",
    "pgpass": "a:5432:b:c:",
    "dashes": "-",
    "arguments": "redis-cli AUTH a vault login b ",
    "hashes": "$2b$12$",
    "pins": "the PIN is ",
    "words": ": able acid also area army atom aunt ",
    "pairs of hashes": "0123456789abcdef0123456789abcdef:",
    "defaults": 'variable "a_key" { default = ',
}


@dataclass(frozen=True, slots=True)
class Score:
    missed: int
    positives: int
    changed: int
    look_alikes: int
    megabytes_per_second: float


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a proportion after Wilson, which holds near 0 and 1 too."""
    z = 1.959964
    share, spread = successes / trials, z * z / trials
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def score(redactor: Redactor, texts: Sequence[str]) -> Score:
    """``redactor`` on the labelled set, and its speed on ``texts``."""
    secrets, looks = list(positives()), list(look_alikes())
    redacted = redactor([positive.text for positive in secrets])
    missed = sum(bool(positive.leaked(text)) for positive, text in zip(secrets, redacted, strict=True))
    kept = redactor([look.text for look in looks])
    changed = sum(look.text != text for look, text in zip(looks, kept, strict=True))
    return Score(missed, len(secrets), changed, len(looks), _megabytes(texts) / _seconds(lambda: redactor(texts)))


def _megabytes(texts: Sequence[str]) -> float:
    return sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6


def _seconds(work: Callable[[], object], rounds: int = 2) -> float:
    """The best processor time of several rounds, which a busy machine disturbs least."""
    best = math.inf
    for _ in range(rounds):
        start = sum(os.times()[:4])  # children included
        work()
        best = min(best, sum(os.times()[:4]) - start)
    return best


def _aicx(texts: Sequence[str]) -> list[str]:
    return [redact(text).text for text in texts]


def _detect_secrets() -> Redactor:
    from detect_secrets import SecretsCollection  # type: ignore[import-not-found]
    from detect_secrets.settings import default_settings  # type: ignore[import-not-found]

    def redacted(texts: Sequence[str]) -> list[str]:
        cleaned = []
        with default_settings(), tempfile.TemporaryDirectory() as folder:
            # It reads files, and leaves out some checks (of entropy) for lines given to it directly.
            path = Path(folder) / "text"
            for text in texts:
                path.write_text(text, encoding="utf-8", errors="replace")
                found = SecretsCollection()
                found.scan_file(str(path))
                cleaned.append(_without(text, {secret.secret_value for _, secret in found}))
        return cleaned

    return redacted


def _without(text: str, secrets: set[str | None]) -> str:
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, MARK)
    return text


def _scrubadub() -> Redactor:
    import scrubadub  # type: ignore[import-not-found]

    # Its other detectors look for names, addresses and the like, and would count as false positives here.
    scrubber = scrubadub.Scrubber(detector_list=[scrubadub.detectors.CredentialDetector()])
    return lambda texts: [scrubber.clean(text) for text in texts]


def _secretlint(folder: Path) -> Redactor:
    def redacted(texts: Sequence[str]) -> list[str]:
        done = subprocess.run(
            ["node", "--input-type=module", "-e", SECRETLINT],
            cwd=folder,
            input=json.dumps(list(texts)),
            capture_output=True,
            text=True,
            check=True,
        )
        return [_cut(text, ranges) for text, ranges in zip(texts, json.loads(done.stdout), strict=True)]

    return redacted


def _cut(text: str, ranges: list[list[int]]) -> str:
    for start, end in sorted(ranges, reverse=True):
        text = text[:start] + MARK + text[end:]
    return text


def _others(secretlint: Path | None) -> Iterator[tuple[str, Redactor]]:
    for name, make in (("detect-secrets", _detect_secrets), ("scrubadub", _scrubadub)):
        with contextlib.suppress(ImportError):
            yield name, make()
    if secretlint:
        yield "secretlint", _secretlint(secretlint)


def _source_code() -> list[str]:
    """Text that everyone has: the sources of the standard library."""
    files = sorted(Path(os.__file__).parent.rglob("*.py"))
    return [path.read_text(encoding="utf-8", errors="replace") for path in files if "site-packages" not in path.parts]


def _report(name: str, result: Score) -> None:
    recall = 1 - result.missed / result.positives
    low, high = wilson(result.positives - result.missed, result.positives)
    wrong_low, wrong_high = wilson(result.changed, result.look_alikes)
    print(
        f"{name:15s} recall {recall:6.1%} [{low:.1%}, {high:.1%}] of {result.positives}   "
        f"false positives {result.changed / result.look_alikes:5.1%} [{wrong_low:.1%}, {wrong_high:.1%}] "
        f"of {result.look_alikes}   {result.megabytes_per_second:6.2f} MB/s"
    )


def _families() -> None:
    found: dict[str, list[bool]] = {}
    for positive in positives():
        found.setdefault(positive.family, []).append(not positive.leaked(redact(positive.text).text))
    for family, hits in found.items():
        print(f"  {family:32s} {sum(hits):3d} of {len(hits):3d}")


def _hostile() -> None:
    print("\nhostile text: seconds for 0.1 MB and for 0.4 MB (four times as long where the work is linear)")
    for name, unit in HOSTILE.items():
        texts = [unit * (size // len(unit)) for size in (100_000, 400_000)]
        small, large = (_seconds(partial(redact, text), 1) for text in texts)
        print(f"  {name:12s} {small:6.2f} {large:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--texts", type=Path, help="measure speed on these texts: one JSON string a line")
    parser.add_argument("--secretlint", type=Path, help="a folder in whose node_modules secretlint is installed")
    parser.add_argument("--others-texts", type=int, default=2000, help="how many of the texts the other tools read")
    options = parser.parse_args()
    texts = [json.loads(line) for line in options.texts.open(encoding="utf-8")] if options.texts else _source_code()
    print(f"Python {platform.python_version()}, {platform.machine()}; {sum(map(len, texts)) / 1e6:.1f} M characters\n")
    _report("aicx", score(_aicx, texts))
    _families()
    # In one text each time: short ones in which nothing is found are remembered.
    dense = ["\n\n".join(look.text for look in look_alikes())] * 10
    print(f"  on look-alikes alone {_megabytes(dense) / _seconds(lambda: _aicx(dense)):.2f} MB/s\n")
    for name, redactor in _others(options.secretlint):
        _report(name, score(redactor, texts[:: max(1, len(texts) // options.others_texts)]))
    _hostile()


if __name__ == "__main__":
    main()
