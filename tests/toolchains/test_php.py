from __future__ import annotations

from tests.toolchains.marks import marks, names

_UNCAUGHT = """
PHP Fatal error:  Uncaught {code}: {message} in /home/ada/shop/src/Cart.php:{line}
Stack trace:
#0 /home/ada/shop/run.php({line}): Cart->check()
#1 {{main}}
  thrown in /home/ada/shop/src/Cart.php on line {line}
"""


def _uncaught(code: str = "DomainException", message: str = "cart is locked", line: int = 5) -> list[str]:
    return marks(_UNCAUGHT.format(code=code, message=message, line=line), "php run.php", 255)


def test_moved_lines_keep_the_fingerprint() -> None:
    assert _uncaught() == _uncaught(line=80)


def test_another_class_or_message_is_another_mistake() -> None:
    assert len({*_uncaught(), *_uncaught(code="TypeError"), *_uncaught(message="cart is empty")}) == 3


def test_the_same_error_in_the_log_and_on_the_page_is_one() -> None:
    logged = _UNCAUGHT.format(code="DomainException", message="x", line=5)
    assert len(marks(logged + logged.replace("PHP Fatal error:  ", "Fatal error: "), "php run.php", 255)) == 1


def test_styles_of_phpunit_have_one_fingerprint() -> None:
    listed = """
    There was 1 failure:

    1) CartTest::testMsg
    should be true
    Failed asserting that false is true.

    /home/ada/shop/tests/CartTest.php:{line}

    FAILURES!
    Tests: 1, Assertions: 1, Failures: 1.
    """
    teamcity = (
        "##teamcity[testStarted name='testMsg' locationHint='php_qn://x::\\CartTest::testMsg' flowId='7']\n"
        "##teamcity[testFailed name='testMsg' message='should be true|nFailed asserting that false is true.' "
        "details=' /home/ada/shop/tests/CartTest.php:6|n ' duration='0' flowId='7']\n"
    )
    described = """
    Cart (Tests\\Cart)
     ✘ Msg
       │
       │ should be true
       │ Failed asserting that false is true.
       │
       │ /home/ada/shop/tests/CartTest.php:6
       │

    FAILURES!
    Tests: 1, Assertions: 1, Failures: 1.
    """
    first = marks(listed.format(line=6), "phpunit")
    assert first == marks(described, "phpunit --testdox")
    assert first == marks(listed.format(line=60), "phpunit") == marks(teamcity, "phpunit --teamcity")


def test_a_row_of_a_data_provider_is_named_without_its_values() -> None:
    output = """
    There was 1 failure:

    1) CartTest::testRows with data set "two" (1, 2)
    Failed asserting that 2 matches expected 1.

    /home/ada/shop/tests/CartTest.php:11
    """
    assert names(output, "phpunit") == ['CartTest::testRows with data set "two"']


def test_skipped_and_risky_tests_are_no_errors() -> None:
    output = """
    There was 1 risky test:

    1) CartTest::testRisky
    This test did not perform any assertions

    /home/ada/shop/tests/CartTest.php:14

    There was 1 skipped test:

    1) CartTest::testLater
    not yet

    OK, but incomplete, skipped, or risky tests!
    """
    assert not any(names(output, "phpunit --fail-on-risky"))


def test_a_test_whose_heading_was_cut_off_keeps_its_place() -> None:
    output = "bad luck\n\n/home/ada/shop/tests/CartTest.php:19\n\nFAILURES!\nTests: 1, Assertions: 1, Failures: 1.\n"
    assert len(marks(output, "phpunit | tail -6", 0)) == 1


def test_two_tests_of_one_message_differ() -> None:
    output = """
    There was 1 failure:

    1) CartTest::{test}
    Failed asserting that false is true.

    /home/ada/shop/tests/CartTest.php:6

    FAILURES!
    Tests: 1, Assertions: 1, Failures: 1.
    """
    assert marks(output.format(test="testMsg"), "phpunit") != marks(output.format(test="testTax"), "phpunit")
