"""ruff, flake8, pylint, black."""

from tests.toolchains.outputs import Place, Sample

_FOUND = (
    Place("src/app/menu.py", 3, "F401", "`re` imported but unused"),
    Place("src/app/menu.py", 8, "E711", "Comparison to `None`"),
)

SAMPLES = (
    Sample(
        "ruff, concise",
        "ruff check --output-format concise src",
        1,
        """
        src/app/menu.py:3:8: F401 [*] `re` imported but unused
        src/app/menu.py:8:13: E711 Comparison to `None` should be `cond is None`
        Found 2 errors.
        [*] 1 fixable with the `--fix` option.
        """,
        _FOUND,
        moved="""
        ::error title=ruff (E711),file=/home/ada/shop/src/app/menu.py,line=18,col=13,endLine=18,endColumn=17::src/app/menu.py:18:13: E711 Comparison to `None` should be `cond is None`
        ::error title=ruff (F401),file=/home/ada/shop/src/app/menu.py,line=4,col=8,endLine=4,endColumn=10::src/app/menu.py:4:8: F401 `re` imported but unused%0A  help: Remove unused import: `re`
        """,
    ),
    Sample(
        "ruff, in full",
        "uvx ruff check src",
        1,
        """
        F401 [*] `re` imported but unused
         --> src/app/menu.py:3:8
          |
        1 | import os
        3 | import re
          |        ^^
          |
        help: Remove unused import: `re`

        E711 Comparison to `None` should be `cond is None`
          --> src/app/menu.py:8:13
           |
         8 |     if x == None:
           |             ^^^^
           |

        Found 2 errors.
        """,
        _FOUND,
    ),
    Sample(
        "ruff, grouped and cut",
        "ruff check --output-format=grouped | head -2; exit 1",
        1,
        """
        src/app/menu.py:
           3:8  F401 [*] `re` imported but unused
        """,
        _FOUND[:1],
    ),
    Sample(
        "ruff, JSON",
        "ruff check --output-format json",
        1,
        """
        [
          {
            "code": "F821", "filename": "/home/ada/shop/a.py", "message": "Undefined name `q`",
            "location": {"column": 1, "row": 5}, "end_location": {"column": 2, "row": 5}, "noqa_row": 5
          }
        ]
        """,
        (Place("/home/ada/shop/a.py", 5, "F821", "Undefined name `q`"),),
    ),
    Sample(
        "flake8",
        "flake8",
        1,
        """
        ./app.py:1:1: F401 'os' imported but unused
        ./app.py:9:80: E501 line too long (91 > 79 characters)
        """,
        (Place("app.py", 1, "F401", "'os' imported"), Place("app.py", 9, "E501", "line too long")),
    ),
    Sample(
        "pylint",
        "python -m pylint app",
        6,
        """
        ************* Module app.menu
        app/menu.py:1:0: C0114: Missing module docstring (missing-module-docstring)
        app/menu.py:7:4: E1101: Instance of 'Menu' has no 'itms' member (no-member)

        ------------------------------------------------------------------
        Your code has been rated at 4.00/10
        """,
        (
            Place("app/menu.py", 1, "C0114", "Missing module docstring", "warning"),
            Place("app/menu.py", 7, "E1101", "has no 'itms' member"),
        ),
    ),
    Sample(
        "black",
        "black --check .",
        123,
        """
        would reformat /home/ada/shop/a.py
        error: cannot format /home/ada/shop/b.py: Cannot parse: 3:9: def f(:

        Oh no! 💥 💔 💥
        1 file would be reformatted, 1 file would fail to reformat.
        """,
        (
            Place("/home/ada/shop/a.py", None, None, "would be reformatted"),
            Place("/home/ada/shop/b.py", 3, None, "def f(:"),
        ),
    ),
    Sample("ruff, nothing found", "ruff check .", 0, "All checks passed!\n"),
)
