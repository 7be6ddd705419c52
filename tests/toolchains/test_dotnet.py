from __future__ import annotations

from tests.toolchains.marks import events, marks, names


def _converted(line: int, kind: str) -> list[str]:
    text = f"/src/Cart.cs({line},17): error CS0029: Cannot implicitly convert type '{kind}' to 'int' [/src/a.csproj]\n"
    return marks(text + "\nBuild FAILED.\n" + text, "dotnet build")


def test_an_error_that_the_summary_repeats_is_one() -> None:
    assert len(_converted(12, "string")) == 1


def test_moved_lines_keep_the_fingerprint_and_types_change_it() -> None:
    assert _converted(12, "string") == _converted(80, "string")
    assert _converted(12, "string") != _converted(12, "bool")


def test_tests_are_named_in_full() -> None:
    output = """
      Failed Shop.Tests.CartTests.Adds(price: 3) [12 ms]
      Error Message:
       Assert.Equal() Failure
      Stack Trace:
         at Shop.Tests.CartTests.Adds(Int32 price) in /src/shop/tests/CartTests.cs:line 12
    """
    assert names(output, "dotnet test") == ["Shop.Tests.CartTests.Adds(price: 3)"]


def test_errors_of_typescript_and_of_visual_c_are_not_read() -> None:
    output = "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\ncart.cpp(12): error C2065: 'nope': undeclared\n"
    assert not any(event.toolchain == "dotnet" for event in events(output, "dotnet build"))


def test_a_test_that_only_the_adapter_marked_is_found() -> None:
    output = "[xUnit.net 00:00:00.51]     Shop.Tests.CartTests.Adds [FAIL]\nTest Run Failed.\n"
    assert names(output, "dotnet test | head -2", 0) == ["Shop.Tests.CartTests.Adds"]
