from __future__ import annotations

from tests.toolchains.marks import events, marks, names

_PANIC = """
--- FAIL: TestDeep (0.00s)
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr={address} pc={counter}]

goroutine {number} [running]:
example.com/shop.TestDeep({address}?)
\t/home/ada/shop/cart_test.go:{line} +0x45
FAIL\texample.com/shop\t{duration}
"""


def test_goroutines_addresses_and_lines_are_not_in_the_fingerprint() -> None:
    first = _PANIC.format(address="0x0", counter="0x458160", number=12, line=28, duration="0.005s")
    again = _PANIC.format(address="0xc0001004e0", counter="0x511111", number=7, line=90, duration="1.250s")
    assert marks(first, "go test ./...") == marks(again, "go test -count=1 ./...")


def test_a_panic_is_its_tests() -> None:
    text = _PANIC.format(address="0x0", counter="0x4", number=1, line=2, duration="0.005s")
    assert names(text, "go test ./...") == ["TestDeep"]


def test_styles_of_go_test_have_one_fingerprint() -> None:
    plain = "--- FAIL: TestAdd (0.00s)\n    cart_test.go:10: got 1, want 3\nFAIL\n"
    verbose = "=== RUN   TestAdd\n    cart_test.go:12: got 1, want 3\n--- FAIL: TestAdd (0.02s)\nFAIL\n"
    rows = "".join(
        '{"Action":"output","Package":"p","Test":"TestAdd","Output":"' + line + '\\n"}\n'
        for line in verbose.split("\n")[:-1]
    )
    assert marks(plain, "go test") == marks(verbose, "go test -v") == marks(rows, "go test -json")


def test_two_undefined_names_differ() -> None:
    assert marks("./a.go:3:5: undefined: x\n", "go build") != marks("./a.go:3:5: undefined: y\n", "go build")


def test_a_subtest_is_named_and_its_parent_has_no_error_of_its_own() -> None:
    output = """
    --- FAIL: TestSub (0.00s)
        --- FAIL: TestSub/two_words (0.00s)
            a_test.go:21: want 3
    FAIL
    """
    assert names(output, "go test") == ["TestSub/two_words"]


def test_frames_of_the_library_and_of_packages_are_not_the_place() -> None:
    output = """
    panic: bad

    goroutine 1 [running]:
    strings.Repeat({0x1, 0x2}, 0x3)
    \t/opt/hosted/go/1.22.0/x64/src/strings/strings.go:5 +0x1
    github.com/acme/tax.Of(...)
    \t/home/ada/go/pkg/mod/github.com/acme/tax@v1.0.0/tax.go:6
    main.total(...)
    \t/home/ada/shop/main.go:17
    exit status 2
    """
    (event,) = events(output, "go run .", 1)
    assert (event.file, event.line, event.phase) == ("/home/ada/shop/main.go", 17, "runtime")


def test_log_lines_of_a_failed_test_are_no_errors() -> None:
    output = """
    --- FAIL: TestLog (0.00s)
        a_test.go:20: starting the server
        a_test.go:21: price = 2, want 3
    FAIL
    """
    assert [event.line for event in events(output, "go test", 1)] == [21]


def test_output_of_a_failed_package_is_no_reason() -> None:
    output = "To go on, run:\nFAIL\texample.com/shop\t0.5s\nok  \texample.com/tax\t0.1s\nFAIL\n"
    assert [event.message for event in events(output, "go test ./... | tail -4", 0)] == ["FAIL example.com/shop"]


def test_what_a_long_text_does_not_contain_is_told() -> None:
    text = f"<svg {'x' * 400}>"
    output = f"""
    --- FAIL: TestDraw (0.00s)
        a_test.go:21:
            \tError Trace:\ta_test.go:21
            \tError:      \t"{text}" does not contain "<rect y=4>"
            \tTest:       \tTestDraw
    FAIL
    """
    [event] = events(output, "go test ./draw", 1)
    assert event.message.endswith('\u2026" does not contain "<rect y=4>"')
