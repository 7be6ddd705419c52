"""mypy and pyright."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "mypy",
        "uv run mypy src",
        1,
        """
        src/shop/cart.py:12: error: Incompatible return value type (got "int", expected "str")  [return-value]
        src/shop/cart.py:19: note: Revealed type is "builtins.int"
        Found 1 error in 1 file (checked 3 source files)
        """,
        (Place("src/shop/cart.py", 12, "return-value", "Incompatible return value type"),),
    ),
    Sample("mypy, nothing found", "mypy src", 0, "Success: no issues found in 3 source files\n"),
)
