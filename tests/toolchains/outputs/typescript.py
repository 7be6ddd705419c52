"""The TypeScript compiler."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "classic, below npm",
        "npm run typecheck",
        2,
        """

        > shop@1.0.0 typecheck
        > tsc --noEmit

        src/cart.ts(4,7): error TS2322: Type '{ id: number; }' is not assignable to type 'Item'.
          Property 'name' is missing in type '{ id: number; }' but required in type 'Item'.
        src/cart.ts(9,3): error TS2304: Cannot find name 'totl'.
        npm error code 2
        npm error path /home/ada/shop
        npm error command failed
        npm error command sh -c tsc --noEmit
        """,
        (
            Place("src/cart.ts", 4, "TS2322", "Property 'name' is missing"),
            Place("src/cart.ts", 9, "TS2304", "Cannot find name 'totl'"),
        ),
        moved="""
        src/cart.ts:15:3 - error TS2304: Cannot find name 'totl'.

        15   totl + 1;
             ~~~~

        src/cart.ts:6:7 - error TS2322: Type '{ id: number; }' is not assignable to type 'Item'.
          Property 'name' is missing in type '{ id: number; }' but required in type 'Item'.

        6 const item: Item = { id: 1 };
                ~~~~

        Found 2 errors in the same file, starting at: src/cart.ts:6
        """,
    ),
    Sample(
        "options",
        "npx tsc -p .",
        1,
        "tsconfig.json(3,5): error TS5023: Unknown compiler option 'strictt'.\n"
        "error TS18003: No inputs were found in config file '/home/ada/shop/tsconfig.json'.\n",
        (
            Place("tsconfig.json", 3, "TS5023", "Unknown compiler option"),
            Place(None, None, "TS18003", "No inputs were found"),
        ),
    ),
    Sample(
        "watching, mended",
        "npx tsc --watch",
        None,
        """
        [10:00:00 AM] Starting compilation in watch mode...

        src/a.ts(1,1): error TS2304: Cannot find name 'x'.

        [10:00:01 AM] Found 1 error. Watching for file changes.
        [10:00:09 AM] File change detected. Starting incremental compilation...

        [10:00:10 AM] Found 0 errors. Watching for file changes.
        """,
        failed=False,
    ),
)
