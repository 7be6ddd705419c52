"""MiniLM's graph for many passages: the package's 8-bit weights multiplied as they are, not unpacked to 32 bits.

Written with the few parts of protobuf that an ONNX file needs, since the library `onnx` is no part of aicx. The layers
are those of the packaged graph in operations that onnxruntime has ready made, so a token takes a third of the time.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_MICROSOFT = "com.microsoft"
_FLOAT, _INT8, _INT32, _INT64 = 1, 3, 6, 7
# Kinds of values in protobuf, and of attributes in ONNX.
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_IS_FLOAT, _IS_INT = 1, 2
# Numbers of the fields of ONNX's messages that are read or written.
_GRAPH, _OPERATORS, _NODE, _TENSOR = 7, 8, 1, 5


def multiplies_bytes(cpu: str | None = None) -> bool:
    """Whether the processor multiplies 8-bit numbers exactly and fast; others round sums of them, or are slower.

    ``cpu`` is what Linux says of it.
    """
    if cpu is None:
        if sys.platform != "linux":
            import platform  # imported here: it is loaded nowhere else

            return sys.platform == "darwin" and platform.machine() == "arm64"
        try:
            cpu = Path("/proc/cpuinfo").read_text("utf-8", "replace")
        except OSError:
            return False
    return not {"avx512_vnni", "avx_vnni", "asimddp"}.isdisjoint(cpu.split())


def passage_graph(weights: bytes) -> bytes:
    """The graph, from the package's ONNX file. Raises LookupError or ValueError where that is another model's."""
    import numpy as np

    tensors = _tensors(weights)
    # In the file's order: query, key, value, output, intermediate and second of each layer.
    matrices = [name.removesuffix("_q") for name in tensors if name.startswith("val_") and name.endswith("_q")]
    if len(matrices) != 6 * LAYERS:
        raise ValueError(f"{len(matrices)} matrices")
    words, places = (f"inner.embeddings.{kind}_embeddings.weight" for kind in ("word", "position"))
    of_place = tensors[f"{places}_q"].astype(np.float32) * tensors[f"{places}_scale"]
    graph = _Writer()
    graph.constant("words", tensors[f"{words}_q"])
    graph.constant("word_scales", tensors[f"{words}_scale"])
    graph.constant("places", of_place + tensors["inner.embeddings.token_type_embeddings.weight"][0])
    graph.constant("begin", np.zeros(1, np.int64))
    graph.node("Gather", ["words", "input_ids"], "word_bytes")
    graph.node("Cast", ["word_bytes"], "word_numbers", to=_FLOAT)
    graph.node("Gather", ["word_scales", "input_ids"], "scales")
    graph.node("Mul", ["word_numbers", "scales"], "of_words")
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    graph.node("Slice", ["places", "begin", "length", "begin"], "of_places")
    graph.node("Add", ["of_words", "of_places"], "embedded")
    graph.normalised("embedded", "hidden_0", tensors, "inner.embeddings.LayerNorm")
    graph.node("Cast", ["attention_mask"], "mask", to=_INT32)
    for layer in range(LAYERS):
        of_layer = matrices[6 * layer : 6 * layer + 6]
        _add_layer(graph, tensors, layer, [(tensors[f"{one}_q"], tensors[f"{one}_scale"].ravel()) for one in of_layer])
    return graph.model(inputs=("input_ids", "attention_mask"), output=f"hidden_{LAYERS}")


def _add_layer(graph: _Writer, tensors: Mapping[str, Any], layer: int, matrices: Sequence[tuple[Any, Any]]) -> None:
    import numpy as np

    prefix, before, after = f"inner.encoder.layer.{layer}.", f"hidden_{layer}", f"hidden_{layer + 1}"

    def here(name: str) -> str:
        return f"{name}_{layer}"

    asked = [tensors[f"{prefix}attention.self.{part}.bias"] for part in ("query", "key", "value")]
    graph.constant(here("asked_w"), np.concatenate([matrix for matrix, _ in matrices[:3]], axis=1))
    graph.constant(here("asked_s"), np.concatenate([scales for _, scales in matrices[:3]]))
    graph.constant(here("asked_b"), np.concatenate(asked))
    graph.constant(here("asked_z"), np.zeros(sum(map(len, asked)), np.int8))
    graph.node("DynamicQuantizeLinear", [before], here("bytes"), here("scale"), here("zero"))
    names = ("bytes", "asked_w", "asked_b", "scale", "asked_s")
    attended = [*map(here, names), "mask", here("zero"), here("asked_z")]
    graph.node("QAttention", attended, here("attended"), domain=_MICROSOFT, num_heads=_HEADS)
    steps = (("attended", "attention.output.dense"), ("between", "intermediate.dense"), ("bent", "output.dense"))
    for (given, name), made, (matrix, scales) in zip(steps, ("told", "wide", "narrow"), matrices[3:], strict=True):
        graph.constant(here(f"{made}_w"), matrix)
        graph.constant(here(f"{made}_s"), scales)
        graph.constant(here(f"{made}_b"), tensors[f"{prefix}{name}.bias"])
        inputs = [here(given), here(f"{made}_w"), here(f"{made}_s"), "", here(f"{made}_b")]
        graph.node("DynamicQuantizeMatMul", inputs, here(made), domain=_MICROSOFT)
        if made == "told":
            graph.node("Add", [here("told"), before], here("told_more"))
            graph.normalised(here("told_more"), here("between"), tensors, f"{prefix}attention.output.LayerNorm")
        elif made == "wide":
            graph.node("Gelu", [here("wide")], here("bent"), domain=_MICROSOFT)
    graph.node("Add", [here("narrow"), here("between")], here("narrow_more"))
    graph.normalised(here("narrow_more"), after, tensors, f"{prefix}output.LayerNorm")


class _Writer:
    """A graph as it is put together: its operations and its constants, encoded."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def constant(self, name: str, value: Any) -> None:
        kind = {"float32": _FLOAT, "int8": _INT8, "int64": _INT64}[value.dtype.name]
        dims = [_number(1, size) for size in value.shape]
        self._parts.append(_field(_TENSOR, *dims, _number(2, kind), _text(8, name), _field(9, value.tobytes())))

    def node(self, kind: str, inputs: Sequence[str], *outputs: str, domain: str = "", **attributes: float) -> None:
        parts = [*(_text(1, name) for name in inputs), *(_text(2, name) for name in outputs), _text(4, kind)]
        parts += [_field(5, *_attribute(name, value)) for name, value in attributes.items()]
        self._parts.append(_field(_NODE, *parts, _text(7, domain)))

    def normalised(self, given: str, made: str, tensors: Mapping[str, Any], name: str) -> None:
        """The operation that brings a token's numbers to mean 0 and deviation 1, with the weights ``name``."""
        self.constant(f"{made}_gain", tensors[f"{name}.weight"])
        self.constant(f"{made}_bias", tensors[f"{name}.bias"])
        inputs = [given, f"{made}_gain", f"{made}_bias"]
        self.node("LayerNormalization", inputs, made, axis=-1, epsilon=_EPSILON)

    def model(self, *, inputs: Sequence[str], output: str) -> bytes:
        def value(name: str, kind: int, rank: int) -> bytes:
            shape = _field(2, *[_field(1, _text(2, f"d{place}")) for place in range(rank)])
            return _text(1, name) + _field(2, _field(1, _number(1, kind), shape))

        graph = [_text(2, "passages"), *(_field(11, value(name, _INT64, 2)) for name in inputs)]
        graph += [_field(12, value(output, _FLOAT, 3)), *self._parts]
        sets = (("", 17), (_MICROSOFT, 1))
        operators = [_field(_OPERATORS, _text(1, domain), _number(2, version)) for domain, version in sets]
        return b"".join((_number(1, 9), *operators, _head(_GRAPH, graph), *graph))


def _tensors(model: bytes) -> dict[str, Any]:
    """The constants of an ONNX file by their names, in its order."""
    import numpy as np

    kinds = {_FLOAT: np.float32, _INT8: np.int8}
    found: dict[str, Any] = {}
    for number, graph in _fields(memoryview(model)):
        for part, tensor in _fields(graph) if number == _GRAPH else ():
            if part != _TENSOR:
                continue
            dims: list[int] = []
            name, kind, raw = "", 0, memoryview(b"")
            for field, value in _fields(tensor):
                if field == 1:
                    dims += [value] if isinstance(value, int) else _packed(value)
                elif field == 2:
                    kind = value
                elif field == 8:
                    name = bytes(value).decode()
                elif field == 9:
                    raw = value
            if kind in kinds:
                found[name] = np.frombuffer(raw, kinds[kind]).reshape(dims)
    return found


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: their numbers, and integers or bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError("not a protobuf message")
        yield tag >> 3, message[at : at + size]
        at += size


def _packed(values: memoryview) -> Iterator[int]:
    at = 0
    while at < len(values):
        value, at = _varint(values, at)
        yield value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _encoded(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative ones as protobuf has them
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    return _encoded(field << 3 | _VARINT) + _encoded(value)


def _field(field: int, *parts: bytes) -> bytes:
    return b"".join((_head(field, parts), *parts))  # copied once: some are many megabytes


def _head(field: int, parts: Sequence[bytes]) -> bytes:
    return _encoded(field << 3 | _BYTES) + _encoded(sum(map(len, parts)))


def _text(field: int, text: str) -> bytes:
    return _field(field, text.encode())


def _attribute(name: str, value: float) -> Iterator[bytes]:
    yield _text(1, name)
    if isinstance(value, int):
        yield from (_number(3, value), _number(20, _IS_INT))
    else:
        yield from (_encoded(2 << 3 | _FIXED32) + struct.pack("<f", value), _number(20, _IS_FLOAT))
