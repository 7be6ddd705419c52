"""The go command, its tests, panics, and linters."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "build",
        "go build ./...",
        1,
        """
        # example.com/shop
        ./main.go:5:2: "os" imported and not used
        ./main.go:14:12: cannot use T{} (value of type T) as S value in variable declaration:
        \tT does not implement S (missing method Area)
        cart/cart.go:3:8: no required module provides package example.com/tax; to add it:
        \tgo get example.com/tax
        """,
        (
            Place("main.go", 5, None, "imported and not used"),
            Place("main.go", 14, None, "missing method Area"),
            Place("cart/cart.go", 3, None, "no required module"),
        ),
    ),
    Sample(
        "vet",
        "go vet ./... 2>&1 | head",
        0,
        "vet: ./main.go:14:12: undefined: nope\n",
        (Place("main.go", 14, None, "undefined: nope"),),
        failed=True,
    ),
    Sample(
        "tests",
        "go test ./...",
        1,
        """
        --- FAIL: TestAdd (0.00s)
            cart_test.go:10: Add(1, 2) = -1, want 3
        --- FAIL: TestSub (0.00s)
            --- FAIL: TestSub/two_words (0.00s)
                cart_test.go:20: log of two words
                cart_test.go:21: unexpected price
                    of a second line
        --- FAIL: ExampleHello (0.00s)
        got:
        hi
        want:
        bye
        FAIL
        FAIL\texample.com/shop\t0.004s
        ok  \texample.com/shop/tax\t0.002s
        FAIL
        """,
        (
            Place("cart_test.go", 10, None, "want 3"),
            Place("cart_test.go", 21, None, "of a second line"),
            Place(message="want:\nbye"),
        ),
    ),
    Sample(
        "tests, verbose",
        "go test -v ./... | tail -20",
        0,
        """
        === RUN   TestAdd
            cart_test.go:10: not equal
        --- FAIL: TestAdd (0.00s)
        === RUN   TestFine
            cart_test.go:25: error: other.go:3: not one
        --- PASS: TestFine (0.00s)
        === RUN   TestEqual
            cart_test.go:31: \n"""
        "                Error Trace:\t/home/ada/shop/cart_test.go:31\n"
        "                Error:      \tNot equal: \n"
        "                            \texpected: 3\n"
        "                            \tactual  : 4\n"
        "                Test:       \tTestEqual\n"
        """        --- FAIL: TestEqual (0.00s)
        FAIL
        FAIL\texample.com/shop\t0.004s
        """,
        (Place("cart_test.go", 10, None, "not equal"), Place("cart_test.go", 31, None, "expected: 3")),
        failed=True,
    ),
    Sample(
        "tests, JSON",
        "go test -json ./...",
        1,
        """
        {"Action":"run","Package":"x/shop","Test":"TestAdd"}
        {"Action":"output","Package":"example.com/tax","Test":"TestTax","Output":"=== RUN   TestTax\\n"}
        {"Action":"output","Package":"x/shop","Test":"TestAdd","Output":"=== RUN   TestAdd\\n"}
        {"Action":"output","Package":"example.com/tax","Test":"TestTax","Output":"--- PASS: TestTax (0.00s)\\n"}
        {"Action":"output","Package":"x/shop","Test":"TestAdd","Output":"    cart_test.go:10: got 1, want 3\\n"}
        {"Action":"output","Package":"x/shop","Test":"TestAdd","Output":"--- FAIL: TestAdd (0.00s)\\n"}
        {"Action":"fail","Package":"x/shop","Test":"TestAdd","Elapsed":0}
        """,
        (Place("cart_test.go", 10, None, "want 3"),),
    ),
    Sample(
        "panic in a test",
        "go test ./...",
        1,
        """
        --- FAIL: TestDeep (0.00s)
        panic: runtime error: index out of range [4] with length 1 [recovered]
        \tpanic: runtime error: index out of range [4] with length 1

        goroutine 12 [running]:
        testing.tRunner.func1.2({0x518ac0, 0xc00001a210})
        \t/usr/local/go/src/testing/testing.go:1396 +0x24e
        panic({0x518ac0, 0xc00001a210})
        \t/usr/local/go/src/runtime/panic.go:884 +0x212
        example.com/shop.Deep(...)
        \t/home/ada/shop/cart.go:6
        example.com/shop.TestDeep(0xc0001004e0?)
        \t/home/ada/shop/cart_test.go:28 +0x45
        testing.tRunner(0xc000100680, 0x52f488)
        \t/usr/local/go/src/testing/testing.go:1446 +0x10b
        created by testing.(*T).Run
        \t/usr/local/go/src/testing/testing.go:1493 +0x35f
        FAIL\texample.com/shop\t0.005s
        FAIL
        """,
        (Place("/home/ada/shop/cart.go", 6, None, "index out of range"),),
    ),
    Sample(
        "timeout",
        "go test -timeout 1s ./...",
        1,
        """
        panic: test timed out after 1s
        running tests:
        \tTestSlow (1s)

        goroutine 3 [running]:
        testing.(*M).startAlarm.func1()
        \t/usr/local/go/src/testing/testing.go:2036 +0x8e

        goroutine 20 [sleep]:
        time.Sleep(0x12a05f200)
        \t/usr/local/go/src/runtime/time.go:195 +0x135
        example.com/shop.TestSlow(0x0?)
        \t/home/ada/shop/slow_test.go:9 +0x25
        FAIL\texample.com/shop\t1.010s
        FAIL
        """,
        (Place("/home/ada/shop/slow_test.go", 9, None, "timed out"),),
    ),
    Sample(
        "race",
        "go test -race ./...",
        1,
        """
        ==================
        WARNING: DATA RACE
        Write at 0x00c00001c1e8 by goroutine 8:
          example.com/shop.TestRace.func1()
              /home/ada/shop/race_test.go:7 +0x3c

        Previous write at 0x00c00001c1e8 by goroutine 7:
          example.com/shop.TestRace()
              /home/ada/shop/race_test.go:8 +0x9e
        ==================
        --- FAIL: TestRace (0.00s)
            testing.go:1319: race detected during execution of test
        FAIL
        FAIL\texample.com/shop\t0.016s
        FAIL
        """,
        (Place("/home/ada/shop/race_test.go", 7, None, "DATA RACE"),),
    ),
    Sample(
        "a program's last words",
        "go run .",
        1,
        """
        2024/11/22 11:34:09 cannot open x.db
        exit status 1
        """,
        (Place(message="cannot open x.db"),),
    ),
    Sample(
        "modules",
        "go build",
        1,
        """
        go: downloading example.com/tax v1.2.0
        go: example.com/tax@v1.2.0: module lookup disabled by GOPROXY=off
        """,
        (Place(message="module lookup disabled"),),
    ),
    Sample(
        "module file",
        "go build",
        1,
        """
        go: errors parsing go.mod:
        /home/ada/shop/go.mod:4: unknown directive: requir
        """,
        (Place("/home/ada/shop/go.mod", 4, None, "unknown directive"),),
    ),
    Sample(
        "golangci-lint",
        "golangci-lint run",
        1,
        """
        main.go:12:5: Error return value of `f.Close` is not checked (errcheck)
        \tf.Close()
        \t^
        main.go:20:8: string `one
        two
        ` has 3 occurrences, make it a constant (goconst)
        \t\twant: `one
        \t\t      ^
        cart_test.go:30-41: 30-41 lines are duplicate of `shop_test.go:5-16` (dupl)
        \tfunc TestTax(t *testing.T) {
        3 issues:
        * errcheck: 1
        """,
        (
            Place("main.go", 12, "errcheck", "is not checked"),
            Place("main.go", 20, "goconst", "make it a constant"),
            Place("cart_test.go", 30, "dupl", "are duplicate"),
        ),
    ),
    Sample(
        "tests that pass",
        "go test ./... | tail",
        0,
        """
        panic: only printed
        ok  \texample.com/shop\t0.002s
        ?   \texample.com/shop/cmd\t[no test files]
        """,
    ),
)
