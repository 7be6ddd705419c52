from __future__ import annotations

from tests.toolchains.marks import events, marks, names

_EXAMPLE = """
Failures:

  {number}) Cart prices
     Failure/Error: expect(Cart.new.price(1)).to eq(3)

       expected: 3
            got: {got}
     # ./spec/cart_spec.rb:{line}:in `block (2 levels) in <top (required)>'

Finished in {duration} seconds (files took 0.1008 seconds to load)
1 example, 1 failure
"""


def _example(number: int = 1, got: int = 2, line: int = 4, duration: float = 0.02) -> list[str]:
    return marks(_EXAMPLE.format(number=number, got=got, line=line, duration=duration), "rspec")


def test_order_lines_and_durations_are_not_in_the_fingerprint() -> None:
    assert _example() == _example(number=7, line=90, duration=1.5)


def test_two_results_of_one_example_differ() -> None:
    assert _example() != _example(got=4)


def test_the_json_style_has_the_same_fingerprint() -> None:
    row = (
        '{"version":"3.12.0","examples":[{"full_description":"Cart prices","status":"failed","file_path":'
        '"./spec/cart_spec.rb","line_number":3,"exception":{"class":"RSpec::Expectations::ExpectationNotMetError",'
        '"message":"\\nexpected: 3\\n     got: 2\\n","backtrace":["/home/ada/shop/spec/cart_spec.rb:4:in `x\'"]}}]}\n'
    )
    assert marks(row, "rspec -fj") == _example()


def test_objects_in_a_message_are_not_in_the_fingerprint() -> None:
    text = "lib/cart.rb:14:in `nope': undefined method `x' for #<Cart:{address}> (NoMethodError)\n"
    first, again = (text.format(address=address) for address in ("0x00007fa224bdab00", "0x000055d1c0ffee00"))
    assert marks(first, "ruby app.rb") == marks(again, "ruby app.rb")


def test_names_minitest_are_named() -> None:
    output = """
      1) Failure:
    CartTest#test_price [test/cart_test.rb:5]:
    Expected: 3
      Actual: 2

    1 runs, 1 assertions, 1 failures, 0 errors, 0 skips
    """
    assert names(output, "ruby -Itest test/cart_test.rb") == ["CartTest#test_price"]


def test_styles_of_rubocop_have_one_fingerprint() -> None:
    progress = "lib/cart.rb:4:10: C: [Correctable] Style/NilComparison: Prefer the use of the nil? predicate.\n"
    emacs = "/home/ada/shop/lib/cart.rb:9:1: C: Style/NilComparison: Prefer the use of the `nil?` predicate.\n"
    assert marks(progress, "rubocop") == marks(emacs, "rubocop -f emacs")


def test_frames_of_gems_are_not_the_place() -> None:
    output = """
    /usr/lib/ruby/gems/3.1.0/gems/tax-1.0/lib/tax.rb:9:in `check': bad (ArgumentError)
    \tfrom lib/cart.rb:12:in `price'
    \tfrom app.rb:5:in `<main>'
    """
    (event,) = events(output, "ruby app.rb", 1)
    assert (event.file, event.line) == ("lib/cart.rb", 12)
