"""rustc, cargo, clippy, rustfmt, and the test harness."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "build",
        "cargo build",
        101,
        """
           Compiling shop v0.1.0 (/home/ada/shop)
        error[E0308]: mismatched types
          --> src/cart.rs:11:18
           |
        11 |     let a: i32 = "b"; let c: u8 = 3.5;
           |            ---   ^^^ expected `i32`, found `&str`
           |            |
           |            expected due to this
           |
        note: method defined here
          --> src/price.rs:4:8

        warning: unused variable: `x`
         --> src/cart.rs:3:9
          |
        3 |     let x = 1;
          |         ^ help: if this is intentional, prefix it with an underscore: `_x`
          |
          = note: `#[warn(unused_variables)]` (part of `#[warn(unused)]`) on by default

        warning: unused variable: `y`
         --> src/cart.rs:4:9
          |
        4 |     let y = 1;
          |         ^ help: if this is intentional, prefix it with an underscore: `_y`

        For more information about this error, try `rustc --explain E0308`.
        warning: `shop` (bin "shop") generated 2 warnings
        error: could not compile `shop` (bin "shop") due to 1 previous error; 2 warnings emitted
        """,
        (
            Place("src/cart.rs", 11, "E0308", "mismatched types"),
            Place("src/cart.rs", 3, "unused_variables", "`x`", "warning"),
            Place("src/cart.rs", 4, "unused_variables", "`y`", "warning"),
        ),
    ),
    Sample(
        "clippy below npm",
        "npm run lint",
        101,
        """

        > shop@1.0.0 lint
        > cargo clippy -- -D warnings

            Checking shop v0.1.0 (/home/ada/shop)
        error: length comparison to zero
         --> src/main.rs:5:8
          |
        5 |     if v.len() == 0 { }
          |        ^^^^^^^^^^^^ help: using `is_empty` is clearer: `v.is_empty()`
          |
          = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#len_zero

        error: could not compile `shop` (bin "shop") due to 1 previous error
        """,
        (Place("src/main.rs", 5, "clippy::len_zero", "length comparison"),),
    ),
    Sample(
        "short",
        "cargo check --message-format short",
        101,
        """
        src/main.rs:5:1: error[E0046]: not all trait items implemented, missing: `g`: missing `g` in implementation
        error: could not compile `shop` (bin "shop") due to 1 previous error
        """,
        (Place("src/main.rs", 5, "E0046", "missing: `g`"),),
    ),
    Sample(
        "JSON",
        "cargo check --message-format=json 2>/dev/null",
        101,
        '{"reason":"compiler-message","message":{"message":"cannot find value `q`","code":{"code":"E0425"},'
        '"level":"error","spans":[{"file_name":"src/lib.rs","line_start":9,"column_start":5,"is_primary":true,'
        '"label":"not found in this scope"}]}}\n'
        '{"reason":"compiler-message","message":{"message":"aborting due to 1 previous error","code":null,'
        '"level":"error","spans":[]}}\n'
        '{"reason":"build-finished","success":false}\n',
        (Place("src/lib.rs", 9, "E0425", "cannot find value"),),
    ),
    Sample(
        "tests",
        "cargo test 2>&1 | tail -40",
        0,
        """
             Running unittests src/lib.rs (target/debug/deps/shop-1f2e3d4c5b6a7988)

        running 5 tests
        test tests::adds ... FAILED
        test tests::deep ... FAILED
        test tests::fails - should panic ... FAILED
        test tests::fine ... ok
        test tests::quiet ... FAILED

        failures:

        ---- tests::adds stdout ----

        thread 'tests::adds' (4711) panicked at src/lib.rs:15:9:
        assertion `left == right` failed: the sum
          left: -1
         right: 5
        note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

        ---- tests::deep stdout ----
        error: printed by the test

        thread 'tests::deep' panicked at /rustc/0123456789abcdef/library/core/src/option.rs:1:5:
        no price
        stack backtrace:
           0: core::option::expect_failed
                     at /rustc/0123456789abcdef/library/core/src/option.rs:1:5
           1: shop::price::of
                     at ./src/price.rs:8:14
           2: shop::tests::deep
                     at ./src/lib.rs:22:9

        ---- tests::fails stdout ----
        note: test did not panic as expected at src/lib.rs:30:8
        ---- tests::quiet stdout ----
        Error: "bad luck"


        failures:
            tests::adds
            tests::deep
            tests::fails
            tests::quiet

        test result: FAILED. 1 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

        error: test failed, to rerun pass `--lib`
        """,
        (
            Place("src/lib.rs", 15, None, "assertion `left == right` failed"),
            Place("src/price.rs", 8, None, "no price"),
            Place("src/lib.rs", 30, None, "did not panic"),
            Place(message="bad luck"),
        ),
        failed=True,
    ),
    Sample(
        "tests, only the names are left",
        "cargo test 2>&1 | tail -5",
        0,
        """
        failures:
            tests::adds

        test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

        error: test failed, to rerun pass `--lib`
        """,
        (Place(message="tests::adds failed"),),
        failed=True,
    ),
    Sample(
        "tests that pass and print errors",
        "cargo test -- --nocapture | tail",
        0,
        """
        running 2 tests
        test tests::told ... error: not one
        ok
        test tests::panics - should panic ...
        thread 'tests::panics' (12) panicked at src/lib.rs:9:5:
        as expected
        ok

        test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
        """,
    ),
    Sample(
        "panic before 1.73",
        "cargo run",
        101,
        """
            Finished dev [unoptimized + debuginfo] target(s) in 0.01s
             Running `target/debug/shop`
        thread 'main' panicked at 'index out of bounds: the len is 0 but the index is 3', src/main.rs:4:21
        note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
        """,
        (Place("src/main.rs", 4, None, "index out of bounds"),),
    ),
    Sample(
        "a program's own error",
        "cargo run -q",
        1,
        """
        Error: NoConfig("shop.toml")
        """,
        (Place(message="NoConfig"),),
    ),
    Sample(
        "manifest",
        "cargo build",
        101,
        """
        error: failed to parse manifest at `/home/ada/shop/Cargo.toml`

        Caused by:
          TOML parse error at line 7, column 11
            |
          7 | serde = "2
            |           ^
          invalid basic string
        """,
        (Place("/home/ada/shop/Cargo.toml", 7, None, "failed to parse manifest"),),
    ),
    Sample(
        "dependency",
        "cargo build --offline",
        101,
        """
        error: failed to get `widgets` as a dependency of package `shop v0.1.0 (/home/ada/shop)`

        Caused by:
          failed to load source for dependency `widgets`

        Caused by:
          No such file or directory (os error 2)
        """,
        (Place(message="No such file or directory"),),
    ),
    Sample(
        "build script",
        "cargo build",
        101,
        """
           Compiling shop v0.1.0 (/home/ada/shop)
        error: failed to run custom build command for `shop v0.1.0 (/home/ada/shop)`

        Caused by:
          process didn't exit successfully: `/home/ada/shop/target/debug/build-script-build` (exit status: 101)
          --- stderr

          thread 'main' (7) panicked at build.rs:3:48:
          no libfoo found
          note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
        """,
        (Place("build.rs", 3, None, "no libfoo found"),),
    ),
    Sample(
        "linker",
        "cargo build",
        101,
        """
        error: linking with `cc` failed: exit status: 1
          |
          = note:  "cc" "-m64" "<6 object files omitted>" "-Wl,--as-needed"
          = note: rust-lld: error: undefined symbol: nowhere
                  >>> referenced by main.rs:2 (src/main.rs:2)
                  collect2: error: ld returned 1 exit status

        error: could not compile `shop` (bin "shop") due to 1 previous error
        """,
        (Place("src/main.rs", 2, None, "undefined symbol: nowhere"),),
    ),
    Sample(
        "nothing but the end",
        "cargo build 2>&1 | tail -1",
        0,
        "error: could not compile `shop` (lib) due to 2 previous errors\n",
        (Place(message="could not compile `shop`"),),
        failed=True,
    ),
    Sample(
        "rustfmt",
        "cargo fmt --check",
        1,
        """
        Diff in /home/ada/shop/src/main.rs:2:
         fn main() {
        -    let x=1;
        +    let x = 1;
         }
        """,
        (Place("/home/ada/shop/src/main.rs", 2, None, "Diff in"),),
    ),
)
