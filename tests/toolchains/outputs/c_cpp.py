"""Compilers of C and C++, linkers, sanitizers, make, CMake, ninja, ctest, and test libraries."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "gcc",
        "gcc -Wall -Werror=format -c cart.c",
        1,
        """
        cart.c: In function 'f':
        cart.c:5:24: error: 'nope' undeclared (first use in this function)
            5 | int f(int *p) { return nope; }
              |                        ^~~~
        cart.c:5:24: note: each undeclared identifier is reported only once for each function it appears in
        cart.c:9:14: error: format '%s' expects argument of type 'char *' [-Werror=format=]
        cart.c:12:7: warning: unused variable 'n' [-Wunused-variable]
        cart.c:14:10: fatal error: missing.h: No such file or directory
        compilation terminated.
        cc1: some warnings being treated as errors
        """,
        (
            Place("cart.c", 5, None, "'nope' undeclared"),
            Place("cart.c", 9, "-Werror=format=", "expects argument"),
            Place("cart.c", 12, "-Wunused-variable", "unused variable", "warning"),
            Place("cart.c", 14, None, "missing.h"),
        ),
    ),
    Sample(
        "gcc, JSON",
        "gcc -fdiagnostics-format=json -c cart.c",
        1,
        '[{"kind": "error", "locations": [{"caret": {"file": "cart.c", "line": 5, "column": 24}}], '
        '"message": "conflicting types for \'f\'", "children": [{"kind": "note", "message": "before"}]}]\n',
        (Place("cart.c", 5, None, "conflicting types"),),
    ),
    Sample(
        "a template of the library",
        "g++ -c cart.cpp",
        1,
        """
        In file included from /usr/include/c++/12/algorithm:61,
                         from cart.cpp:4:
        /usr/include/c++/12/bits/stl_algo.h: In instantiation of 'void std::sort(_RAIter) [with _RAIter = int]':
        /usr/include/c++/12/bits/stl_algo.h:4820:18:   required from 'void std::sort(_RAIter, _RAIter)'
        cart.cpp:15:14:   required from here
        /usr/include/c++/12/bits/stl_algo.h:1812:17: error: invalid type argument of unary '*' (have 'int')
        """,
        (Place("cart.cpp", 15, None, "invalid type argument"),),
    ),
    Sample(
        "a template of the library, clang",
        "clang++ -Werror -Wall -c cart.cpp",
        1,
        """
        In file included from cart.cpp:4:
        /usr/include/c++/12/bits/predefined_ops.h:45:16: error: indirection requires pointer operand ('int' invalid)
              { return *__it1 < *__it2; }
        /usr/include/c++/12/bits/stl_algo.h:1631:6: note: in instantiation of function 'std::less' requested here
        cart.cpp:15:10: note: in instantiation of function template specialization 'std::sort<int>' requested here
        cart.cpp:20:9: error: unused variable 'x' [-Werror,-Wunused-variable]
        2 errors generated.
        """,
        (
            Place("cart.cpp", 15, None, "indirection requires pointer"),
            Place("cart.cpp", 20, "-Wunused-variable", "unused variable"),
        ),
    ),
    Sample(
        "driver",
        "clang cart.c -frobnicate",
        1,
        "clang: error: unknown argument: '-frobnicate'\n",
        (Place(message="unknown argument"),),
    ),
    Sample(
        "linker",
        "make",
        2,
        """
        gcc -o shop cart.o tax.o -lnope
        /usr/bin/ld: cannot find -lnope: No such file or directory
        /usr/bin/ld: cart.o: in function `main':
        cart.c:(.text+0x1a): undefined reference to `area'
        /usr/bin/ld: /home/ada/shop/cart.c:7: undefined reference to `perimeter'
        /usr/bin/ld: /tmp/ccPUjoVN.o: in function `shared':
        tax.c:(.text+0x0): multiple definition of `shared'; /tmp/ccaWE2T0.o:cart.c:(.text+0x0): first defined here
        collect2: error: ld returned 1 exit status
        make: *** [Makefile:5: shop] Error 1
        """,
        (
            Place(message="cannot find -lnope"),
            Place("cart.c", None, None, "undefined reference to `area'"),
            Place("/home/ada/shop/cart.c", 7, None, "undefined reference to `perimeter'"),
            Place("tax.c", None, None, "multiple definition of `shared'"),
        ),
    ),
    Sample(
        "lld",
        "clang -fuse-ld=lld cart.c tax.c",
        1,
        """
        ld.lld: error: undefined symbol: area
        >>> referenced by cart.c:3 (/home/ada/shop/cart.c:3)
        >>>               /tmp/cart-1.o:(main)

        ld.lld: error: duplicate symbol: shared
        >>> defined at cart.c:2 (/home/ada/shop/cart.c:2)
        >>>            /tmp/cart-1.o:(shared)
        >>> defined at tax.c:1 (/home/ada/shop/tax.c:1)
        >>>            /tmp/tax-1.o:(.text+0x0)
        clang: error: linker command failed with exit code 1 (use -v to see invocation)
        """,
        (
            Place("/home/ada/shop/cart.c", 3, None, "undefined symbol: area"),
            Place("/home/ada/shop/tax.c", 1, None, "duplicate symbol: shared"),
        ),
    ),
    Sample(
        "linker of Apple",
        "clang cart.c",
        1,
        """
        Undefined symbols for architecture arm64:
          "_area", referenced from:
              _main in cart-1.o
        ld: symbol(s) not found for architecture arm64
        clang: error: linker command failed with exit code 1 (use -v to see invocation)
        """,
        (Place(message="_area"),),
    ),
    Sample(
        "make's own",
        "make all",
        2,
        "make: *** No rule to make target 'shop.bin', needed by 'all'.  Stop.\n",
        (Place(message="No rule to make target 'shop.bin'"),),
    ),
    Sample(
        "makefile",
        "make",
        2,
        "Makefile:7: *** missing separator.  Stop.\n",
        (Place("Makefile", 7, None, "missing separator"),),
    ),
    Sample(
        "program of a rule",
        "make docs",
        2,
        """
        nosuchtool --x
        make: nosuchtool: No such file or directory
        make: *** [Makefile:9: docs] Error 127
        """,
        (Place("Makefile", 9, None, "nosuchtool"),),
    ),
    Sample(
        "make below make, the end alone",
        "make 2>&1 | tail -3",
        0,
        """
        cart.c:5:24: note: each undeclared identifier is reported only once for each function it appears in
        gmake[1]: *** [CMakeFiles/Makefile2:85: all] Error 2
        gmake: *** [Makefile:101: all] Error 2
        """,
        (Place("CMakeFiles/Makefile2", 85, None, "Error 2"),),
        failed=True,
    ),
    Sample(
        "make passes",
        "make | tail",
        0,
        """
        gcc -Wall -c cart.c -o cart.o
        make: [Makefile:11: clean] Error 1 (ignored)
        error: all good
        """,
    ),
    Sample(
        "CMake",
        "cmake -B build",
        1,
        """
        -- Configuring done
        CMake Warning (dev) at CMakeLists.txt:4 (message):
          be careful
        This warning is for project developers.  Use -Wno-dev to suppress it.

        CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):
          Could NOT find Tax (missing: TAX_LIBRARY)

          Reason given by package: none
        Call Stack (most recent call first):
          /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:600 (_FPHSA_FAILURE_MESSAGE)
          cmake/FindTax.cmake:12 (find_package_handle_standard_args)
          CMakeLists.txt:6 (find_package)


        -- Configuring incomplete, errors occurred!
        """,
        (
            Place("CMakeLists.txt", 4, None, "be careful", "warning"),
            Place("cmake/FindTax.cmake", 12, None, "Could NOT find Tax"),
        ),
    ),
    Sample(
        "ninja",
        "ninja -C build",
        1,
        """
        [1/4] Building C object CMakeFiles/shop.dir/cart.c.o
        FAILED: CMakeFiles/shop.dir/cart.c.o
        /usr/bin/cc -MD -c /home/ada/shop/cart.c
        /home/ada/shop/cart.c:1:24: error: 'zz' undeclared (first use in this function)
        ninja: build stopped: subcommand failed.
        """,
        (Place("/home/ada/shop/cart.c", 1, None, "'zz' undeclared"),),
    ),
    Sample(
        "ctest",
        "ctest --test-dir build --output-on-failure | tail -30",
        0,
        """
            Start 1: area
        1/3 Test #1: area .............................Subprocess aborted***Exception:   0.01 sec
        shop: /home/ada/shop/cart.c:2: main: Assertion `2 == 3' failed.

            Start 2: crash
        2/3 Test #2: crash ............................***Exception: SegFault  0.00 sec
            Start 3: fine
        3/3 Test #3: fine .............................   Passed    0.00 sec

        33% tests passed, 2 tests failed out of 3

        The following tests FAILED:
        \t  1 - area (Subprocess aborted)
        \t  2 - crash (SEGFAULT)
        Errors while running CTest
        """,
        (
            Place("/home/ada/shop/cart.c", 2, None, "Assertion `2 == 3' failed"),
            Place(None, None, "SEGFAULT", "crash"),
        ),
        failed=True,
    ),
    Sample(
        "GoogleTest",
        "g++ t.cpp -lgtest -o t && ./t",
        1,
        """
        [ RUN      ] Add.Works
        t.cpp:4: Failure
        Expected equality of these values:
          add(1, 2)
            Which is: -1
          3
        [  FAILED  ] Add.Works (0 ms)
        [ RUN      ] Add.Throws
        unknown file: Failure
        C++ exception with description "boom" thrown in the test body.
        [  FAILED  ] Add.Throws (0 ms)
        [  FAILED  ] 2 tests, listed below:
        [  FAILED  ] Add.Works
        [  FAILED  ] Add.Throws
        """,
        (Place("t.cpp", 4, None, "Expected equality"), Place(message='description "boom"')),
    ),
    Sample(
        "AddressSanitizer",
        "gcc -g -fsanitize=address cart.c -o cart && ./cart",
        1,
        """
        ==21496==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000024 at pc 0x555ab18862fd
        READ of size 4 at 0x602000000024 thread T0
            #0 0x7ff6af8b89cf in __interceptor_memcpy ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
            #1 0x555ab18862fc in oob /home/ada/shop/cart.c:3
            #2 0x555ab18868fe in main /home/ada/shop/cart.c:11

        SUMMARY: AddressSanitizer: heap-buffer-overflow /home/ada/shop/cart.c:3 in oob
        """,
        (Place("/home/ada/shop/cart.c", 3, "heap-buffer-overflow", "AddressSanitizer"),),
    ),
    Sample(
        "leaks",
        "gcc -g -fsanitize=address,undefined cart.c -o cart && ./cart",
        1,
        """
        cart.c:7:63: runtime error: signed integer overflow: 2147483647 + 2 cannot be represented in type 'int'
        ==21517==ERROR: LeakSanitizer: detected memory leaks

        Direct leak of 10 byte(s) in 1 object(s) allocated from:
            #0 0x7f4ee1eb89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
            #1 0x56085546d6f8 in main cart.c:8
        """,
        (Place("cart.c", 7, None, "signed integer overflow"), Place("cart.c", 8, None, "Direct leak")),
    ),
    Sample(
        "valgrind",
        "valgrind --error-exitcode=1 ./cart",
        1,
        """
        ==22125== Memcheck, a memory error detector
        ==22125== Invalid read of size 4
        ==22125==    at 0x48417B4: memcpy (vg_replace_strmem.c:1)
        ==22125==    by 0x109196: oob (cart.c:3)
        ==22125==    by 0x10931A: main (cart.c:11)
        ==22125==  Address 0x4a40054 is 12 bytes after a block of size 8 alloc'd
        ==22125==    at 0x48417B4: malloc (vg_replace_malloc.c:393)
        ==22125==
        ==22125== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)
        """,
        (Place("cart.c", 3, None, "Invalid read"),),
    ),
    Sample(
        "MSVC",
        "cl cart.cpp",
        2,
        """
        cart.cpp(12): error C2065: 'nope': undeclared identifier
        cart.obj : error LNK2019: unresolved external symbol area referenced in function main
        """,
        (Place("cart.cpp", 12, "C2065", "undeclared"), Place(None, None, "LNK2019", "unresolved external")),
    ),
)
