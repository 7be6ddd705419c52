from __future__ import annotations

from tests.toolchains.marks import events, marks, names

_MISMATCH = """
error[E0308]: mismatched types
  --> src/cart.rs:{line}:18
   |
{line} |     let a: i32 = "b"; let c: u8 = 3.5;
   |                  ^^^ {label}

error: could not compile `shop` (bin "shop") due to 1 previous error
"""


def _mismatch(line: int, label: str) -> list[str]:
    return marks(_MISMATCH.format(line=line, label=label), "cargo build", 101)


def test_two_mismatches_on_one_line_differ_by_their_types() -> None:
    assert _mismatch(11, "expected `i32`, found `&str`") != _mismatch(11, "expected `u8`, found floating-point number")


def test_a_moved_line_keeps_the_fingerprint() -> None:
    assert _mismatch(11, "expected `i32`, found `&str`") == _mismatch(97, "expected `i32`, found `&str`")


def test_the_short_style_has_the_same_fingerprint() -> None:
    short = "src/cart.rs:11:18: error[E0308]: mismatched types: expected `i32`, found `&str`\n"
    assert marks(short, "cargo build --message-format short", 101) == _mismatch(11, "expected `i32`, found `&str`")


def test_the_json_style_has_the_same_fingerprint() -> None:
    row = (
        '{"reason":"compiler-message","message":{"message":"mismatched types","code":{"code":"E0308"},"level":"error",'
        '"spans":[{"file_name":"src/cart.rs","line_start":3,"column_start":1,"is_primary":true,'
        '"label":"expected `i32`, found `&str`"}]}}\n'
    )
    assert marks(row, "cargo build --message-format json", 101) == _mismatch(11, "expected `i32`, found `&str`")


def test_threads_addresses_and_hashes_are_not_in_the_fingerprint() -> None:
    output = """
    ---- tests::adds stdout ----

    thread 'tests::adds' ({thread}) panicked at src/lib.rs:{line}:9:
    no cart at {address}
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    """
    first = output.format(thread=4711, line=15, address="0x7f0012345678")
    again = output.format(thread=99, line=40, address="0x5b00aabbccdd")
    assert marks(first, "cargo test", 101) == marks(again, "cargo test -- --test-threads=1", 101)


def test_two_assertions_of_one_file_differ() -> None:
    output = """
    ---- tests::adds stdout ----

    thread 'tests::adds' (1) panicked at src/lib.rs:15:9:
    assertion `left == right` failed
      left: 1
     right: {right}
    """
    assert marks(output.format(right=2), "cargo test", 101) != marks(output.format(right=3), "cargo test", 101)


def test_tests_are_named_by_their_path() -> None:
    output = """
    running 1 test
    test tests::adds ... FAILED

    failures:
        tests::adds

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
    """
    assert names(output, "cargo test", 101) == ["tests::adds"]


def test_a_test_that_a_panic_in_another_thread_fails_keeps_its_name() -> None:
    output = """
    running 1 test
    test tests::works ...
    thread '<unnamed>' (7) panicked at src/work.rs:6:37:
    worker died
    FAILED
    """
    assert names(output, "cargo test -- --nocapture", 101) == ["tests::works"]


def test_a_panic_whose_beginning_was_cut_off_is_at_its_deepest_frame() -> None:
    output = """
                 at /rustc/0123456789abcdef/library/core/src/panicking.rs:80:14
       3: shop::tests::two
                 at ./src/lib.rs:17:9
       4: core::ops::function::FnOnce::call_once
                 at /rustc/0123456789abcdef/library/core/src/ops/function.rs:250:5
    note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

    failures:
        tests::two

    test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.06s
    """
    (event,) = events(output, "cargo test | tail -12", 0)
    assert (event.file, event.line, event.test) == ("src/lib.rs", 17, "tests::two")


def test_a_message_with_blank_lines_is_read_to_its_end() -> None:
    output = """
    thread 'tests::adds' (7) panicked at src/lib.rs:76:9:
    assertion failed: `(left == right)`

    Diff < left / right > :
    <a
    >b

    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    """
    (event,) = events(output, "cargo test", 101)
    assert ">b" in event.message


def test_a_panic_while_panicking_is_no_mistake_of_its_own() -> None:
    output = """
    thread 'main' panicked at src/main.rs:4:5:
    no cart
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    thread 'main' panicked at library/core/src/panicking.rs:225:5:
    panic in a function that cannot unwind
    """
    assert [event.file for event in events(output, "cargo run", 134)] == ["src/main.rs"]


def test_the_causes_of_a_program_s_error_are_in_its_message() -> None:
    output = """
    Error: no cart

    Caused by:
        0: cannot read cart.toml
        1: No such file or directory (os error 2)
    """
    (event,) = events(output, "cargo run", 1)
    assert "No such file or directory" in event.message
