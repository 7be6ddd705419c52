"""`aicx bench`: compares the quality and cost of retrievers."""

from __future__ import annotations

HELP = """Measure which retriever finds the right answers, on public sets, a small bundled one, or your own history.

`run` measures and reports. `ablate` switches off each ranking rule in turn and shows the loss; `recommend` lists the
rules that such a result supports. `report` shows a result again and writes it as one HTML page. `compare` shows the
changes between two results and whether they are more than noise. `list` names datasets, retrievers and peers, which are
other tools measured beside aicx. Results are kept in AICX_HOME/bench; those of your own corpus contain figures and no
text.

Example: aicx bench run
Example: aicx bench run --dataset own
Example: aicx bench ablate --dataset own
Example: aicx bench compare before.json after.json
Example: aicx bench peers install qmd txtai
"""
COMMANDS = {
    "run": "aicx.commands.bench.run",
    "ablate": "aicx.commands.bench.run:ablate",
    "recommend": "aicx.commands.bench.results:recommend",
    "report": "aicx.commands.bench.results:report",
    "compare": "aicx.commands.bench.compare",
    "list": "aicx.commands.bench.list",
    "peers": "aicx.commands.bench.list:peers_command",
}
DEFAULT = None
