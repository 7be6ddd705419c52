"""How well outputs of tools are parsed: `python -m benchmarks.toolchains FOLDER [--misses N]`.

FOLDER holds outputs with their truth (`cases*.jsonl`: a row has `id`, `command`, `exit_code` and `output_file`), and a
`score.py` that compares predictions with it. Its table is printed, and how long parsing took.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aicx.toolchains.parsing import parse


def predictions(folder: Path, cases: Path) -> Iterator[dict[str, Any]]:
    """What the parser says of each case, as the scorer reads it."""
    for line in cases.read_text("utf-8").splitlines():
        case = json.loads(line)
        output = (folder / case["output_file"]).read_text("utf-8", "replace")
        parsed = parse(output, case["command"], case["exit_code"])
        errors = [
            {name: getattr(event, name) for name in ("file", "line", "code", "message", "severity", "fingerprint")}
            for event in parsed.events
        ]
        yield {"id": case["id"], "family": parsed.family, "failed": parsed.failed, "errors": errors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="print so many misses below the table")
    options = parser.parse_args()
    cases = sorted(options.folder.glob("cases*.jsonl"))[0]
    begin = time.process_time()
    rows = list(predictions(options.folder, cases))
    took = time.process_time() - begin
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
        file.flush()
        scorer = [sys.executable, str(options.folder / "score.py"), "--truth", str(cases), "--pred", file.name]
        subprocess.run([*scorer, "--misses", str(options.misses)], check=True)
    print(f"{len(rows)} outputs, {took / max(1, len(rows)) * 1000:.1f} ms of CPU time each")


if __name__ == "__main__":
    main()
