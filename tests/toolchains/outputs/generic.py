"""Shells, tracebacks, and what no other family reads."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "git",
        "git push origin main",
        128,
        "fatal: repository 'https://example.invalid/shop.git/' not found\n",
        (Place(message="repository"),),
    ),
)
