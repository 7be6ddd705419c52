"""ruby, RSpec, minitest, test-unit, RuboCop, rake and Bundler."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "uncaught, with its cause",
        "ruby app.rb",
        1,
        """
        <internal:/usr/lib/ruby/rubygems/core_ext/kernel_require.rb>:85:in `require': cannot load (LoadError)
        of two lines

        require "x"
        ^^^^^^^^^^^
        \tfrom <internal:/usr/lib/ruby/rubygems/core_ext/kernel_require.rb>:85:in `require'
        \tfrom lib/cart.rb:12:in `rescue in wrap'
        \tfrom app.rb:5:in `<main>'
        lib/cart.rb:4:in `fetch': index 9 outside of array (IndexError)
        \tfrom lib/cart.rb:10:in `wrap'
        """,
        (Place("lib/cart.rb", 12, "LoadError", "of two lines"),),
    ),
    Sample(
        "ruby 3.4",
        "bundle exec ruby app.rb",
        1,
        """
        lib/cart.rb:7:in 'Cart#lock': cart is locked (Cart::Locked)
        \tfrom app.rb:4:in '<main>'
        """,
        (Place("lib/cart.rb", 7, "Cart::Locked", "cart is locked"),),
    ),
    Sample(
        "syntax",
        "ruby -c app.rb",
        1,
        """
        app.rb:3: syntax error, unexpected `end', expecting ']'
        end
        ^~~
        """,
        (Place("app.rb", 3, None, "unexpected `end'"),),
    ),
    Sample(
        "syntax, newer",
        "ruby app.rb",
        1,
        """
        app.rb:2: syntax errors found (SyntaxError)
          1 | def a
        > 2 |   x = [1, 2
            |            ^ unexpected end-of-input; expected a `]` to close the array literal
        """,
        (Place("app.rb", 2, None, "to close the array literal"),),
    ),
    Sample(
        "warnings",
        "ruby -w app.rb",
        0,
        "app.rb:14: warning: assigned but unused variable - x\n",
        (Place("app.rb", 14, None, "unused variable - x", "warning"),),
    ),
    Sample(
        "a program's last words",
        "ruby app.rb",
        1,
        "bad input\n",
        (Place(message="bad input"),),
    ),
    Sample(
        "RSpec",
        "bundle exec rspec | tail -60",
        0,
        """
        FF*.

        Pending: (Failures listed here are expected and do not affect your suite's status)

          1) Cart later
             # not yet
             Failure/Error: expect(1).to eq(2)

               expected: 2
                    got: 1
             # ./spec/cart_spec.rb:22:in `block (2 levels) in <top (required)>'

        Failures:

          1) Cart prices
             Failure/Error: expect(Cart.new.price(1)).to eq(3)

               expected: 3
                    got: 2

               (compared using ==)
             # ./spec/cart_spec.rb:4:in `block (2 levels) in <top (required)>'

          2) Cart locks
             Failure/Error: raise Locked, "cart is locked"

             Cart::Locked:
               cart is locked
             # /usr/lib/ruby/gems/3.1.0/gems/tax-1.0/lib/tax.rb:9:in `check'
             # ./lib/cart.rb:7:in `lock'
             # ./spec/cart_spec.rb:7:in `block (2 levels) in <top (required)>'

          3) Cart together
             Got 2 failures:

             3.1) Failure/Error: expect(1).to eq 2

                    expected: 2
                         got: 1
                  # ./spec/cart_spec.rb:29:in `block (2 levels) in <top (required)>'

             3.2) Failure/Error: expect(3).to eq 4

                    expected: 4
                         got: 3
                  # ./spec/cart_spec.rb:30:in `block (2 levels) in <top (required)>'

        Finished in 0.02619 seconds (files took 0.1008 seconds to load)
        4 examples, 3 failures, 1 pending

        Failed examples:

        rspec ./spec/cart_spec.rb:3 # Cart prices
        rspec ./spec/cart_spec.rb:6 # Cart locks
        rspec ./spec/cart_spec.rb:28 # Cart together
        """,
        (
            Place("spec/cart_spec.rb", 4, None, "expected: 3\ngot: 2"),
            Place("lib/cart.rb", 7, "Cart::Locked", "cart is locked"),
            Place("spec/cart_spec.rb", 29, None, "expected: 2"),
            Place("spec/cart_spec.rb", 30, None, "expected: 4"),
        ),
        failed=True,
    ),
    Sample(
        "RSpec, the end alone",
        "rspec | tail -3",
        0,
        "rspec ./spec/cart_spec.rb:3 # Cart prices\n",
        (Place("spec/cart_spec.rb", 3, None, "Cart prices"),),
        failed=True,
    ),
    Sample(
        "RSpec, JSON",
        "rspec -fj",
        1,
        'printed{"version":"3.12.0","examples":[{"full_description":"Cart locks","status":"failed",'
        '"file_path":"spec/cart_spec.rb","line_number":6,'
        '"exception":{"class":"Cart::Locked","message":"cart is locked",'
        '"backtrace":["/usr/lib/ruby/gems/tax-1.0/lib/tax.rb:9:in `check\'","/shop/lib/cart.rb:7:in '
        "`lock'\"]}}]}\n1 example, 1 failure\n",
        (Place("/shop/lib/cart.rb", 7, "Cart::Locked", "cart is locked"),),
    ),
    Sample(
        "RSpec, a file that does not load",
        "rspec",
        1,
        """

        An error occurred while loading ./spec/tax_spec.rb.
        Failure/Error: require "tax"

        LoadError:
          cannot load such file -- tax
        # ./spec/tax_spec.rb:1:in `<top (required)>'
        No examples found.

        Finished in 0.00004 seconds (files took 0.10902 seconds to load)
        0 examples, 0 failures, 1 error occurred outside of examples
        """,
        (Place("spec/tax_spec.rb", 1, "LoadError", "cannot load such file"),),
    ),
    Sample(
        "minitest",
        "rake test",
        1,
        """
        Run options: --seed 1076

        # Running:

        ESF.

        Finished in 0.003767s, 2123.5897 runs/s, 1858.1410 assertions/s.

          1) Error:
        CartTest#test_err:
        Cart::Locked: cart is locked
            /home/ada/shop/lib/cart.rb:7:in `lock'
            test/cart_test.rb:8:in `test_err'

          2) Skipped:
        CartTest#test_skip [test/cart_test.rb:14]:
        later

          3) Failure:
        CartTest#test_price [test/cart_test.rb:5]:
        Expected: 3
          Actual: 2

        4 runs, 2 assertions, 1 failures, 1 errors, 1 skips
        rake aborted!
        Command failed with status (1)

        Tasks: TOP => test
        """,
        (
            Place("/home/ada/shop/lib/cart.rb", 7, "Cart::Locked", "cart is locked"),
            Place("test/cart_test.rb", 5, None, "Expected: 3"),
        ),
    ),
    Sample(
        "test-unit",
        "ruby test/cart_test.rb",
        1,
        """
        F
        ===============================================================================
        Failure: test_price(CartTest)
        test/cart_test.rb:4:in `test_price'
             3:   def test_price
          => 4:     assert_equal(1, 2)
        <1> expected but was
        <2>
        ===============================================================================
        1 tests, 1 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications
        """,
        (Place("test/cart_test.rb", 4, None, "<1> expected"),),
    ),
    Sample(
        "RuboCop",
        "rubocop | tail",
        0,
        """
        Inspecting 2 files
        WE

        Offenses:

        lib/cart.rb:2:13: W: [Correctable] Lint/UnusedMethodArgument: Unused method argument - b.
          def price(a,b)
                      ^
        lib/cart.rb:3:1: C: [Corrected] Layout/TrailingWhitespace: Trailing whitespace detected.
        lib/tax.rb:3:1: E: Lint/Syntax: unexpected token kEND
        end
        ^^^

        2 files inspected, 3 offenses detected, 1 offense corrected
        """,
        (
            Place("lib/cart.rb", 2, "Lint/UnusedMethodArgument", "argument - b", "warning"),
            Place("lib/tax.rb", 3, "Lint/Syntax", "kEND"),
        ),
        failed=True,
    ),
    Sample(
        "RuboCop, simple",
        "rubocop -f simple",
        1,
        """
        == lib/cart.rb ==
        C:  2:  7: Naming/MethodName: Use snake_case for method names.

        1 file inspected, 1 offense detected
        """,
        (Place("lib/cart.rb", 2, "Naming/MethodName", "snake_case", "warning"),),
    ),
    Sample(
        "RuboCop, JSON",
        "rubocop -f json",
        1,
        '{"metadata":{"rubocop_version":"1.39.0"},"files":[{"path":"lib/cart.rb","offenses":[{"severity":"convention",'
        '"message":"Style/NilComparison: Prefer the use of the `nil?` predicate.","cop_name":"Style/NilComparison",'
        '"corrected":false,"location":{"line":4,"column":10}}]}],"summary":{"offense_count":1}}\n',
        (Place("lib/cart.rb", 4, "Style/NilComparison", "nil?", "warning"),),
    ),
    Sample(
        "rake",
        "rake boom",
        1,
        """
        rake aborted!
        NameError: undefined local variable `x'
        /home/ada/shop/Rakefile:3:in `block in <top (required)>'
        Tasks: TOP => boom
        """,
        (Place("/home/ada/shop/Rakefile", 3, "NameError", "undefined local variable"),),
    ),
    Sample(
        "Bundler",
        "bundle install",
        7,
        "Could not find gem 'tax (= 1.0)' in cached gems or installed locally.\n",
        (Place(message="gem 'tax (= 1.0)'"),),
    ),
    Sample(
        "examples that pass and print",
        "rspec -fd | tail",
        0,
        """
        Cart
          says Failure/Error

        1 example, 0 failures
        """,
    ),
)
