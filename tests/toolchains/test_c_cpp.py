from __future__ import annotations

from textwrap import dedent

from aicx.toolchains.parsing import parse
from tests.toolchains.marks import events, marks, names


def _undefined(symbol: str, offset: str = "0xf", temporary: str = "/tmp/ccPUjoVN.o") -> list[str]:
    output = f"""
    /usr/bin/ld: {temporary}: in function `main':
    cart.c:(.text+{offset}): undefined reference to `{symbol}'
    collect2: error: ld returned 1 exit status
    """
    return marks(output, "gcc cart.c")


def test_two_undefined_symbols_differ() -> None:
    assert _undefined("area") != _undefined("perimeter")


def test_offsets_and_temporary_files_are_not_in_the_fingerprint() -> None:
    assert _undefined("area") == _undefined("area", "0x2a4", "/tmp/cc000001.o")


def test_a_warning_that_is_made_an_error_keeps_its_fingerprint() -> None:
    warning = "cart.c:9:14: warning: unused variable 'x' [-Wunused-variable]\n"
    error = "cart.c:11:14: error: unused variable \u2018x\u2019 [-Werror=unused-variable]\n"
    assert marks(warning, "gcc -Wall cart.c", 0) == marks(error, "gcc -Wall -Werror cart.c")


def test_addresses_and_processes_of_a_sanitizer_are_not_in_the_fingerprint() -> None:
    output = """
    =={pid}==ERROR: AddressSanitizer: heap-use-after-free on address {address} at pc 0x55
    READ of size 4 at {address} thread T0
        #0 {address} in oob cart.c:{line}
    """
    first = output.format(pid=21496, address="0x602000000024", line=3)
    again = output.format(pid=7, address="0x60200000aaaa", line=30)
    assert marks(first, "gcc cart.c && ./cart") == marks(again, "gcc cart.c && ./cart")


def test_a_test_of_ctest_is_named() -> None:
    output = """
    50% tests passed, 1 tests failed out of 2

    The following tests FAILED:
    \t  2 - prices of two (Failed)
    Errors while running CTest
    """
    assert names(output, "ctest", 8) == ["prices of two"]


def test_the_program_that_ctest_ran_has_no_error_beside_its_tests() -> None:
    output = """
        Start 1: unit
    1/1 Test #1: unit .............................***Failed    0.03 sec
    [ RUN      ] Add.Works
    t.cpp:4: Failure
    Value of: add(1, 1) == 2
    [  FAILED  ] Add.Works (0 ms)

    0% tests passed, 1 tests failed out of 1

    The following tests FAILED:
    \t  1 - unit (Failed)
    """
    assert names(output, "ctest --output-on-failure", 8) == ["Add.Works"]


def test_make_s_own_lines_are_errors_only_where_nothing_else_is() -> None:
    output = """
    cart.c:1:24: error: 'x' undeclared
    make[1]: *** [Makefile:3: cart.o] Error 1
    make: *** [Makefile:9: all] Error 2
    """
    assert [event.file for event in events(output, "make", 2)] == ["cart.c"]
    assert parse(dedent(output).split("undeclared\n")[1], "make | tail -2", 0).failed


def test_rules_that_run_another_family_leave_it_the_output() -> None:
    output = "src/a.py:1: error: Name 'x' is not defined  [name-defined]\nmake: *** [Makefile:3: lint] Error 1\n"
    assert parse(output, "make lint", 2).family == "python_types"


def test_a_program_of_the_project_is_known_by_what_it_prints() -> None:
    output = "shop: cart.c:2: main: Assertion `2 == 3' failed.\n"
    assert parse(output, "./build/shop", 134).family == "c_cpp"
    assert parse(output, "cat build.log", 0).family == "none"
