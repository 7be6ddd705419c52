"""Where passages are embedded: processors that multiply 8-bit numbers exactly, and graphics cards."""

from __future__ import annotations

import pytest

from retrieval.embedders.minilm_graph import multiplies_bytes, passage_graph
from retrieval.embedders.onnx import gpu_among


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("flags : fpu sse2 avx2 avx512f avx512_vnni", True),
        ("flags : fpu avx2 avx_vnni", True),
        ("Features : fp asimd asimddp", True),
        ("flags : fpu sse2 avx2 avx512f", False),  # sums of two products are cut off at 16 bits there
        ("", False),
    ],
)
def test_only_a_processor_that_multiplies_bytes_exactly_does_so(flags: str, expected: bool) -> None:
    assert multiplies_bytes(flags) is expected


@pytest.mark.needs("semantic")
@pytest.mark.parametrize("content", [b"", b"\x08\x01", b"\xff" * 40, b"\x3a\x7f"])
def test_another_file_than_the_package_s_is_refused(content: bytes) -> None:
    with pytest.raises((LookupError, ValueError)):
        passage_graph(content)


@pytest.mark.parametrize(
    ("available", "expected"),
    [
        (["AzureExecutionProvider", "CPUExecutionProvider"], None),
        (["CUDAExecutionProvider", "CPUExecutionProvider"], "CUDAExecutionProvider"),
        (["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"], "CUDAExecutionProvider"),
        (["CoreMLExecutionProvider", "CPUExecutionProvider"], None),
    ],
)
def test_a_graphics_card_is_used_where_onnxruntime_has_one(available: list[str], expected: str | None) -> None:
    assert gpu_among(available) == expected
