from __future__ import annotations

from tests.toolchains.marks import events, marks, names

_SYMBOL = """
{head} cannot find symbol
  symbol:   variable {name}
  location: class app.Cart
"""


def test_two_missing_symbols_on_one_line_differ() -> None:
    first = _SYMBOL.format(head="Cart.java:8: error:", name="nope")
    other = _SYMBOL.format(head="Cart.java:8: error:", name="total")
    assert marks(first, "javac Cart.java") != marks(other, "javac Cart.java")


def test_maven_and_javac_have_one_fingerprint() -> None:
    plain = _SYMBOL.format(head="src/main/java/app/Cart.java:8: error:", name="nope")
    maven = _SYMBOL.format(head="[ERROR] /home/ada/shop/src/main/java/app/Cart.java:[9,4]", name="nope")
    assert marks(plain, "javac src/main/java/app/Cart.java") == marks(maven, "mvn compile")


def test_the_list_at_the_end_has_the_fingerprint_of_the_trace() -> None:
    trace = """
    [ERROR] app.CartTest.err -- Time elapsed: 0.004 s <<< ERROR!
    java.lang.IllegalArgumentException: negative
    \tat app.Cart.price(Cart.java:4)
    \tat app.CartTest.err(CartTest.java:8)
    """
    listed = "[ERROR]   CartTest.err:12 » IllegalArgument negative\n"
    assert marks(trace, "mvn test") == marks(listed, "mvn test | tail")


def test_exceptions_of_the_same_words_differ_by_their_class() -> None:
    text = 'Exception in thread "main" java.lang.{kind}: no config\n\tat Main.main(Main.java:3)\n'
    first, other = (text.format(kind=kind) for kind in ("IllegalStateException", "IllegalArgumentException"))
    assert marks(first, "java Main") != marks(other, "java Main")


def test_tests_are_named_by_class_and_method() -> None:
    output = """
    [ERROR] app.CartTest$Inner.eq(int)[2] -- Time elapsed: 0.004 s <<< FAILURE!
    java.lang.AssertionError: x
    \tat app.CartTest$Inner.eq(CartTest.java:4)

    [ERROR] app.SetupTest -- Time elapsed: 0.044 s <<< ERROR!
    java.lang.RuntimeException: no db
    \tat app.SetupTest.start(SetupTest.java:3)

    [ERROR]   CartTest$Inner.eq:4 x
    [ERROR]   SetupTest.start:3 Runtime no db
    """
    assert names(output, "mvn test") == ["CartTest$Inner.eq(int)[2]", "SetupTest"]


def test_the_project_s_deepest_frame_is_the_place() -> None:
    output = """
    Exception in thread "main" java.lang.IndexOutOfBoundsException: 3
    \tat java.base/java.util.List.get(List.java:1)
    \tat com.google.common.base.Preconditions.check(Preconditions.java:2)
    \tat app.Cart.price(Cart.java:4)
    \tat app.Main.main(Main.java:9)
    """
    (event,) = events(output, "java -jar shop.jar", 1)
    assert (event.file, event.line) == ("app/Cart.java", 4)


def test_an_exception_without_a_package_is_found() -> None:
    output = 'Exception in thread "main" Main$Locked: cart is locked\n\tat Main.main(Main.java:3)\n'
    assert [(event.code, event.line) for event in events(output, "java Main")] == [("Main$Locked", 3)]


def test_an_error_that_a_passing_program_caught_is_no_failure() -> None:
    output = "java.lang.IllegalStateException: caught\n\tat app.Cart.price(Cart.java:4)\ndone\n"
    assert events(output, "java -jar shop.jar | tail", 0) == ()
