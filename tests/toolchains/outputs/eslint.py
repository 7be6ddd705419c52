"""ESLint and what prints alike."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "stylish",
        "npx eslint src",
        1,
        """

        /home/ada/shop/src/cart.js
           2:7   error    'sum' is assigned a value but never used  no-unused-vars
          11:3   warning  Unexpected console statement              no-console

        /home/ada/shop/src/view.ts
          5:10  error  Parsing error: Unexpected token

        ✖ 3 problems (2 errors, 1 warning)

        """,
        (
            Place("/home/ada/shop/src/cart.js", 2, "no-unused-vars", "'sum' is assigned a value but never used"),
            Place("/home/ada/shop/src/cart.js", 11, "no-console", "Unexpected console statement", "warning"),
            Place("/home/ada/shop/src/view.ts", 5, None, "Parsing error: Unexpected token"),
        ),
        moved="""
        /home/ada/shop/src/view.ts:7:10: Parsing error: Unexpected token [Error]
        /home/ada/shop/src/cart.js:5:7: 'sum' is assigned a value but never used. [Error/no-unused-vars]
        /home/ada/shop/src/cart.js:9:3: Unexpected console statement. [Warning/no-console]

        3 problems
        """,
    ),
    Sample(
        "JSON",
        "eslint -f json .",
        1,
        '[{"filePath":"/home/ada/shop/a.js","messages":[{"ruleId":"eqeqeq","severity":2,"message":'
        '"Expected \'===\' and instead saw \'==\'.","line":4,"column":9}],"errorCount":1,"warningCount":0}]\n',
        (Place("/home/ada/shop/a.js", 4, "eqeqeq", "Expected '==='"),),
    ),
    Sample(
        "only warnings",
        "pnpm eslint .",
        0,
        "/home/ada/shop/a.js\n  1:5  warning  Use const  prefer-const\n\n✖ 1 problem (0 errors, 1 warning)\n",
        (Place("/home/ada/shop/a.js", 1, "prefer-const", "Use const", "warning"),),
    ),
    Sample(
        "no configuration",
        "yarn eslint .",
        2,
        """

        Oops! Something went wrong! :(

        ESLint: 9.20.0

        ESLint couldn't find an eslint.config.(js|mjs|cjs) file.
        """,
        (Place(message="ESLint couldn't find an eslint.config"),),
    ),
    Sample(
        "prettier",
        "npx prettier --check .",
        1,
        """
        Checking formatting...
        [warn] src/cart.js
        [warn] Code style issues found in the above file. Run Prettier with --write to fix.
        """,
        (Place("src/cart.js", None, None, "Code style issues found"),),
    ),
)
