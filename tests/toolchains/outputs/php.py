"""php, PHPUnit, Pest, PHPStan, Psalm, PHP_CodeSniffer and Composer."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "uncaught, with its cause, in the log and on the page",
        "php run.php",
        255,
        """
        PHP Warning:  Undefined variable $zz in /home/ada/shop/run.php on line 9
        PHP Fatal error:  Uncaught Locked: cart is locked
        since yesterday in /home/ada/shop/src/Cart.php:5
        Stack trace:
        #0 /home/ada/shop/src/Cart.php(6): Cart->lock()
        #1 {main}

        Next LogicException: wrapped in /home/ada/shop/src/Cart.php:6
        Stack trace:
        #0 /home/ada/shop/run.php(6): Cart->wrap()
        #1 {main}
          thrown in /home/ada/shop/src/Cart.php on line 6

        Warning: Undefined variable $zz in /home/ada/shop/run.php on line 9
        """,
        (
            Place("/home/ada/shop/run.php", 9, None, "Undefined variable $zz", "warning"),
            Place("/home/ada/shop/src/Cart.php", 6, "LogicException", "wrapped"),
        ),
    ),
    Sample(
        "thrown by a package",
        "php run.php",
        255,
        """
        PHP Fatal error:  Uncaught TypeError: bad argument in /home/ada/shop/vendor/acme/tax/src/Tax.php:3
        Stack trace:
        #0 /home/ada/shop/vendor/acme/tax/src/Tax.php(9): Tax->check()
        #1 /home/ada/shop/run.php(6): Tax->of()
        #2 {main}
          thrown in /home/ada/shop/vendor/acme/tax/src/Tax.php on line 3
        """,
        (Place("/home/ada/shop/run.php", 6, "TypeError", "bad argument"),),
    ),
    Sample(
        "syntax",
        "php -l run.php",
        255,
        """
        PHP Parse error:  syntax error, unexpected token "{" in run.php on line 2
        Errors parsing run.php
        """,
        (Place("run.php", 2, None, "unexpected token"),),
    ),
    Sample(
        "HTML",
        "php -d html_errors=1 run.php",
        255,
        """
        <br />
        <b>Fatal error</b>:  Uncaught Locked: cart is locked in /home/ada/shop/src/Cart.php:5
        Stack trace:
        #0 {main}
          thrown in <b>/home/ada/shop/src/Cart.php</b> on line <b>5</b><br />
        """,
        (Place("/home/ada/shop/src/Cart.php", 5, "Locked", "cart is locked"),),
    ),
    Sample(
        "PHPUnit",
        "vendor/bin/phpunit | tail -40",
        0,
        """
        There was 1 error:

        1) CartTest::testLock
        Locked: cart is locked

        /home/ada/shop/src/Cart.php:5
        /home/ada/shop/tests/CartTest.php:7

        --

        There were 2 failures:

        1) CartTest::testMsg
        should be true
        Failed asserting that false is true.

        /home/ada/shop/tests/CartTest.php:6

        2) CartTest::testRows with data set "two" (1, 2)
        Failed asserting that 2 matches expected 1.

        /home/ada/shop/tests/CartTest.php:11

        --

        There was 1 risky test:

        1) CartTest::testRisky
        This test did not perform any assertions

        /home/ada/shop/tests/CartTest.php:14

        ERRORS!
        Tests: 5, Assertions: 3, Errors: 1, Failures: 2, Risky: 1.
        """,
        (
            Place("/home/ada/shop/src/Cart.php", 5, "Locked", "cart is locked"),
            Place("/home/ada/shop/tests/CartTest.php", 6, None, "should be true"),
            Place("/home/ada/shop/tests/CartTest.php", 11, None, "matches expected 1"),
        ),
        failed=True,
    ),
    Sample(
        "PHPUnit, described",
        "phpunit --testdox",
        1,
        """
        Cart
         ✘ Price
           │
           │ Failed asserting that 2 is identical to 3.
           │
           │ /home/ada/shop/tests/CartTest.php:5
           │

         ✔ Tax

        FAILURES!
        Tests: 2, Assertions: 2, Failures: 1.
        """,
        (Place("/home/ada/shop/tests/CartTest.php", 5, None, "identical to 3"),),
    ),
    Sample(
        "PHPUnit, for TeamCity",
        "phpunit --teamcity",
        1,
        "##teamcity[testStarted name='testMsg' locationHint='php_qn:///shop/tests/CartTest.php::\\CartTest::testMsg' "
        "flowId='7']\n"
        "##teamcity[testFailed name='testMsg' message='it|'s not true|nFailed asserting that false is true.' "
        "details=' /home/ada/shop/tests/CartTest.php:6|n ' duration='0' flowId='7']\n",
        (Place("/home/ada/shop/tests/CartTest.php", 6, None, "it's not true\nFailed asserting"),),
    ),
    Sample(
        "Pest",
        "php artisan test",
        1,
        """
           FAIL  Tests\\Unit\\CartTest
          x it prices
          ─────────────────────────────────────
           FAILED  Tests\\Unit\\CartTest > it prices
          Failed asserting that 2 is identical to 3.

          at tests/Unit/CartTest.php:5
              1▕ <?php
          ➜   5▕     expect(2)->toBe(3);

          Tests:    1 failed (1 assertions)
        """,
        (Place("tests/Unit/CartTest.php", 5, None, "identical to 3"),),
    ),
    Sample(
        "PHPStan",
        "vendor/bin/phpstan analyse",
        1,
        """
         ------ -----------------------------------------------
          Line   src/Cart.php
         ------ -----------------------------------------------
          12     Method Cart::price() should return int but
                 returns string.
                 🪪  return.type
         ------ -----------------------------------------------

         [ERROR] Found 1 error
        """,
        (Place("src/Cart.php", 12, "return.type", "should return int but returns string."),),
    ),
    Sample(
        "PHPStan, JSON",
        "phpstan --error-format=json",
        1,
        '{"totals":{"errors":0,"file_errors":1},"files":{"src/Cart.php":{"errors":1,"messages":[{"message":'
        '"Undefined variable: $x","line":7,"ignorable":true,"identifier":"variable.undefined"}]}},"errors":[]}\n',
        (Place("src/Cart.php", 7, "variable.undefined", "Undefined variable"),),
    ),
    Sample(
        "Psalm",
        "psalm",
        2,
        "ERROR: InvalidReturnStatement - src/Cart.php:12:16 - The inferred type 'string' does not match\n",
        (Place("src/Cart.php", 12, "InvalidReturnStatement", "does not match"),),
    ),
    Sample(
        "PHP_CodeSniffer",
        "phpcs src",
        2,
        """
        FILE: /home/ada/shop/src/Cart.php
        ----------------------------------------------------------------------
        FOUND 1 ERROR AND 1 WARNING AFFECTING 2 LINES
        ----------------------------------------------------------------------
          2 | ERROR   | [x] Missing file doc comment (PEAR.Commenting.FileComment.Missing)
         14 | WARNING | [ ] Line exceeds 85
            |         |     characters (Generic.Files.LineLength.TooLong)
        ----------------------------------------------------------------------
        """,
        (
            Place("/home/ada/shop/src/Cart.php", 2, "PEAR.Commenting.FileComment.Missing", "Missing file doc"),
            Place("/home/ada/shop/src/Cart.php", 14, "Generic.Files.LineLength.TooLong", "85 characters", "warning"),
        ),
    ),
    Sample(
        "Composer",
        "composer install",
        2,
        """
        Loading composer repositories with package information
        Your requirements could not be resolved to an installable set of packages.

          Problem 1
            - Root composer.json requires acme/tax, it could not be found in any version.

        Potential causes:
         - A typo in the package name
        """,
        (Place(message="requires acme/tax"),),
    ),
    Sample(
        "Composer's file",
        "composer install",
        1,
        'In JsonFile.php line 347:\n\n  "./composer.json" does not contain valid JSON  \n'
        "  Parse error on line 2:                         \n\n",
        (Place("composer.json", 2, None, "does not contain valid JSON"),),
    ),
    Sample(
        "no such file",
        "php gone.php",
        1,
        "Could not open input file: gone.php\n",
        (Place(message="gone.php"),),
    ),
    Sample(
        "tests that pass and print",
        "phpunit | tail",
        0,
        """
        FAILURES! not one
        OK (1 test, 1 assertion)
        """,
    ),
)
