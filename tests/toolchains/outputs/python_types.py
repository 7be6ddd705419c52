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
        src/shop/cart.py:30:9: error: Name "totl" is not defined  [name-defined]
        Found 2 errors in 1 file (checked 3 source files)
        """,
        (
            Place("src/shop/cart.py", 12, "return-value", "Incompatible return value type"),
            Place("src/shop/cart.py", 30, "name-defined", 'Name "totl" is not defined'),
        ),
        moved="""
        /home/ada/shop/src/shop/cart.py:33: error: Name "totl" is not defined
        /home/ada/shop/src/shop/cart.py:14: error: Incompatible return value type (got
        "int", expected "str")
        [return-value]
                return 1
                       ^
        Found 2 errors in 1 file (checked 3 source files)
        """,
    ),
    Sample(
        "mypy as JSON",
        "mypy -O json src",
        1,
        '{"file": "src/a.py", "line": 3, "column": 4, "message": "Missing return statement", "hint": null,'
        ' "code": "return", "severity": "error"}\n',
        (Place("src/a.py", 3, "return", "Missing return statement"),),
    ),
    Sample(
        "pyright",
        "npx pyright",
        1,
        """
        /home/ada/shop/src/a.py
          /home/ada/shop/src/a.py:4:12 - error: Type "int" is not assignable to return type "str"
            "int" is not assignable to "str" (reportReturnType)
          /home/ada/shop/src/a.py:9:1 - warning: Expression value is unused (reportUnusedExpression)
          /home/ada/shop/src/a.py:10:1 - error: Expected expression
        2 errors, 1 warning, 0 informations
        """,
        (
            Place("/home/ada/shop/src/a.py", 4, "reportReturnType", 'Type "int" is not assignable'),
            Place("/home/ada/shop/src/a.py", 9, "reportUnusedExpression", "unused", "warning"),
            Place("/home/ada/shop/src/a.py", 10, None, "Expected expression"),
        ),
    ),
    Sample(
        "pyright as JSON counts lines from 0",
        "pyright --outputjson",
        1,
        """
        {
            "version": "1.1.400",
            "generalDiagnostics": [
                {
                    "file": "/home/ada/shop/src/a.py",
                    "severity": "error",
                    "message": "\\"x\\" is not defined",
                    "range": {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 1}},
                    "rule": "reportUndefinedVariable"
                }
            ],
            "summary": {"errorCount": 1}
        }
        """,
        (Place("/home/ada/shop/src/a.py", 7, "reportUndefinedVariable", '"x" is not defined'),),
    ),
    Sample("mypy, nothing found", "mypy src", 0, "Success: no issues found in 3 source files\n"),
    Sample(
        "mypy hidden by a pipe, nothing found",
        "mypy src 2>&1 | tail -3",
        0,
        "Success: no issues found in 3 source files\n",
    ),
)
