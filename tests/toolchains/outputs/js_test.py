"""Jest, Vitest, Mocha, node:test."""

from tests.toolchains.outputs import Place, Sample

_JEST = """
FAIL src/cart.test.js
  Cart
    ✓ is empty (2 ms)
    ✕ adds (4 ms)

  ● Cart › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      4 |   test("adds", () => {
    > 5 |     expect(add(1, 1)).toBe(3);
        |                       ^
      6 |   });

      at Object.toBe (src/cart.test.js:5:23)
      at node_modules/jest-circus/build/run.js:231:10

  ● Cart › parses

    TypeError: Cannot read properties of null (reading 'id')

      10 | function parse(row) {
    > 11 |   return row.id;
         |              ^

      at parse (src/rows.js:11:14)
      at Object.<anonymous> (src/cart.test.js:9:5)

Test Suites: 1 failed, 1 total
Tests:       2 failed, 1 passed, 3 total
Snapshots:   0 total
Time:        0.9 s
"""

SAMPLES = (
    Sample(
        "jest",
        "npx jest",
        1,
        _JEST,
        (
            Place("src/cart.test.js", 5, None, "Expected: 3"),
            Place("src/rows.js", 11, "TypeError", "reading 'id'"),
        ),
        moved=_JEST.replace("5:23", "9:23")
        .replace("11:14", "31:14")
        .replace("> 5 |", "> 9 |")
        .replace("4 ms", "88 ms"),
    ),
    Sample(
        "jest, cut",
        "yarn test --ci 2>&1 | tail -12",
        0,
        """
            > 5 |     expect(add(1, 1)).toBe(3);
                |                       ^
              6 |   });

              at Object.toBe (src/cart.test.js:5:23)

        Test Suites: 1 failed, 1 total
        Tests:       1 failed, 1 passed, 2 total
        Snapshots:   0 total
        Time:        0.9 s
        """,
        (Place("src/cart.test.js", 5, None, "expect(add(1, 1)).toBe(3)"),),
        failed=True,
    ),
    Sample(
        "jest, a suite that cannot run",
        "jest",
        1,
        """
        FAIL src/menu.test.js
          ● Test suite failed to run

            Cannot find module './menus' from 'src/menu.test.js'

            > 1 | const menus = require("./menus");
                |               ^

              at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)
              at Object.<anonymous> (src/menu.test.js:1:15)

        Test Suites: 1 failed, 1 total
        Tests:       0 total
        """,
        (Place("src/menu.test.js", 1, None, "Cannot find module './menus'"),),
    ),
    Sample(
        "vitest",
        "pnpm test",
        1,
        """

         RUN  v3.0.0 /home/ada/shop

         ❯ src/geo.test.ts (2 tests | 1 failed) 8ms
           × geo > area 5ms
             → expected 4 to be 5 // Object.is equality

        ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

         FAIL  src/geo.test.ts > geo > area
        AssertionError: expected 4 to be 5 // Object.is equality

        - Expected
        + Received

        - 5
        + 4

         ❯ src/geo.test.ts:7:20
              5|   it("area", () => {
              7|     expect(area(2)).toBe(5);
               |                    ^

        ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

         Test Files  1 failed (1)
              Tests  1 failed | 1 passed (2)
        """,
        (Place("src/geo.test.ts", 7, "AssertionError", "expected 4 to be 5"),),
        moved="""
         RUN  v3.0.0 /home/ada/shop

         ❯ src/geo.test.ts (2 tests | 1 failed) 19ms
           × geo > area 15ms
             → expected 4 to be 5 // Object.is equality
        """,
    ),
    Sample(
        "mocha",
        "npx mocha",
        1,
        """
          Orders
            1) ships


          0 passing (9ms)
          1 failing

          1) Orders
               ships:
             RangeError: no address
              at ship (src/orders.js:12:9)
              at Context.<anonymous> (test/orders.js:6:5)
              at process.processImmediate (node:internal/timers:483:21)

        """,
        (Place("src/orders.js", 12, "RangeError", "no address"),),
    ),
    Sample(
        "node:test",
        "node --test",
        1,
        """
        TAP version 13
        # Subtest: adds
        not ok 1 - adds
          ---
          duration_ms: 1.5
          location: '/home/ada/shop/test/add.test.js:4:1'
          failureType: 'testCodeFailure'
          error: |-
            Expected values to be strictly equal:

            2 !== 3

          code: 'ERR_ASSERTION'
          name: 'AssertionError'
          stack: |-
            TestContext.<anonymous> (file:///home/ada/shop/test/add.test.js:5:10)
            Test.runInAsyncScope (node:async_hooks:206:9)
          ...
        1..1
        # tests 1
        # pass 0
        # fail 1
        """,
        (Place("/home/ada/shop/test/add.test.js", 5, "ERR_ASSERTION", "2 !== 3"),),
    ),
    Sample(
        "bun, with an error outside its tests",
        "bun test",
        1,
        """
        bun test v1.3.0 (1e86cebd)

        src/docs.test.ts:

        # Unhandled error between tests
        -------------------------------
        18 |  export const x = ;
                               ^
        error: Unexpected ;
            at /home/ada/shop/src/docs.ts:18:19
        -------------------------------

        src/sum.test.ts:
        4 |   expect(sum(1, 1)).toBe(3);
                                ^
        error: expect(received).toBe(expected)

        Expected: 3
        Received: 2

              at <anonymous> (/home/ada/shop/src/sum.test.ts:4:21)
        (fail) sum > adds [0.20ms]
        11 |   if (!rows) throw new TypeError("no rows");
                              ^
        TypeError: no rows
              at total (/home/ada/shop/src/sum.ts:11:24)
              at <anonymous> (/home/ada/shop/src/sum.test.ts:9:5)
        (fail) sum > adds rows [0.10ms]

         0 pass
         3 fail
         1 error
        Ran 2 tests across 2 files. [13.00ms]
        """,
        (
            Place("/home/ada/shop/src/docs.ts", 18, None, "Unexpected ;"),
            Place("/home/ada/shop/src/sum.test.ts", 4, None, "Expected: 3"),
            Place("/home/ada/shop/src/sum.ts", 11, "TypeError", "no rows"),
        ),
    ),
    Sample(
        "jest, passing with errors on the console",
        "npx jest 2>&1 | tail -20",
        0,
        """
          console.error
            Error: only logged
                at log (src/log.js:3:9)

        PASS src/log.test.js
        Test Suites: 1 passed, 1 total
        Tests:       3 passed, 3 total
        """,
        failed=False,
    ),
)
