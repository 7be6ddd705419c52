"""pytest, unittest and doctest."""

from tests.toolchains.outputs import Place, Sample

_LONG = """
============================= test session starts ==============================
platform linux -- Python 3.12.1, pytest-8.3.0, pluggy-1.5.0
rootdir: /home/ada/shop
collected 3 items

tests/test_orders.py .FE                                                 [100%]

==================================== ERRORS ====================================
_________________________ ERROR at setup of test_store _________________________

    @pytest.fixture
    def store(tmp_path):
>       raise OSError(f"no disk at {tmp_path}")
E       OSError: no disk at /tmp/pytest-of-ada/pytest-11/test_store0

tests/conftest.py:8: OSError
=================================== FAILURES ===================================
____________________________ TestOrder.test_sum[2] _____________________________

self = <tests.test_orders.TestOrder object at 0x7f12aa0b4c10>, count = 2

    @pytest.mark.parametrize("count", [2])
    def test_sum(self, count):
>       assert total(count) == 7

tests/test_orders.py:14: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

count = 2

    def total(count):
>       return PRICES[count]
E       IndexError: list index out of range

shop/orders.py:21: IndexError
----------------------------- Captured stdout call -----------------------------
tests/elsewhere.py:3: error: only printed by the test
=========================== short test summary info ============================
FAILED tests/test_orders.py::TestOrder::test_sum[2] - IndexError: list index out of range
ERROR tests/test_orders.py::test_store - OSError: no disk at /tmp/pytest-of-ada/pytest-11/test_store0
==================== 1 failed, 1 passed, 1 error in 0.12s ======================
"""
_SHORT = """
.EF                                                                      [100%]
==================================== ERRORS ====================================
_________________________ ERROR at setup of test_store _________________________
tests/conftest.py:12: in store
    raise OSError(f"no disk at {tmp_path}")
E   OSError: no disk at /tmp/pytest-of-ada/pytest-30/test_store0
=================================== FAILURES ===================================
____________________________ TestOrder.test_sum[2] _____________________________
tests/test_orders.py:19: in test_sum
    assert total(count) == 7
shop/orders.py:40: in total
    return PRICES[count]
E   IndexError: list index out of range
=========================== short test summary info ============================
ERROR tests/test_orders.py::test_store - OSError: no disk at /tmp/pytest-of-ada/pytest-30/test_store0
FAILED tests/test_orders.py::TestOrder::test_sum[2] - IndexError: list index out of range
1 failed, 1 passed, 1 error in 3.40s
"""

SAMPLES = (
    Sample(
        "long style",
        "pytest",
        1,
        _LONG,
        (
            Place("tests/conftest.py", 8, "OSError", "no disk at"),
            Place("shop/orders.py", 21, "IndexError", "list index out of range"),
        ),
        moved=_SHORT,
    ),
    Sample(
        "one line each, and the summary",
        "docker compose exec -T web sh -c 'python -m pytest --tb=line -q | tail -6'",
        0,
        """
        =================================== FAILURES ===================================
        E   ValueError: no such size
        /home/ada/shop/shop/sizes.py:9: ValueError: no such size
        =========================== short test summary info ============================
        FAILED tests/test_sizes.py::test_size - ValueError: no such size
        1 failed, 4 passed in 0.20s
        """,
        (Place("/home/ada/shop/shop/sizes.py", 9, "ValueError", "no such size"),),
        failed=True,
    ),
    Sample(
        "collection",
        "uv run pytest",
        2,
        """
        ==================================== ERRORS ====================================
        ______________________ ERROR collecting tests/test_menu.py _____________________
        ImportError while importing test module '/home/ada/shop/tests/test_menu.py'.
        Hint: make sure your test modules/packages have valid Python names.
        Traceback:
        /usr/lib/python3.12/importlib/__init__.py:90: in import_module
            return _bootstrap._gcd_import(name[level:], package, level)
        tests/test_menu.py:2: in <module>
            from shop import menus
        E   ImportError: cannot import name 'menus' from 'shop' (/home/ada/shop/shop/__init__.py)
        ________________________ ERROR collecting tests/test_bad.py ____________________
        E     File "/home/ada/shop/tests/test_bad.py", line 4
        E       def broken(:
        E                  ^
        E   SyntaxError: invalid syntax
        =========================== short test summary info ============================
        ERROR tests/test_menu.py
        ERROR tests/test_bad.py
        !!!!!!!!!!!!!!!!!!! Interrupted: 2 errors during collection !!!!!!!!!!!!!!!!!!!!
        2 errors in 0.31s
        """,
        (
            Place("tests/test_menu.py", 2, "ImportError", "cannot import name 'menus'"),
            Place("/home/ada/shop/tests/test_bad.py", 4, "SyntaxError", "invalid syntax"),
        ),
    ),
    Sample(
        "only the summary",
        "pytest --tb=no -q",
        1,
        """
        F                                                                        [100%]
        FAILED tests/test_cart.py::test_empty - assert [] == [1]
        1 failed in 0.02s
        """,
        (Place("tests/test_cart.py", None, None, "assert [] == [1]"),),
    ),
    Sample(
        "wrong option",
        "python -m pytest --frobnicate",
        4,
        """
        ERROR: usage: python -m pytest [options] [file_or_dir] [file_or_dir] [...]
        python -m pytest: error: unrecognized arguments: --frobnicate
          inifile: None
          rootdir: /home/ada/shop
        """,
        (Place(message="unrecognized arguments: --frobnicate"),),
    ),
    Sample(
        "passing, and printing what looks like errors",
        "pytest -s",
        0,
        """
        tests/test_log.py ERROR: connection lost
        Traceback (most recent call last):
          File "shop/log.py", line 3, in write
        ValueError: shown, and caught
        .
        ============================== 1 passed in 0.01s ===============================
        """,
    ),
    Sample(
        "a conftest that cannot be imported",
        "pytest",
        4,
        """
        ImportError while loading conftest '/home/ada/shop/tests/conftest.py'.
        tests/conftest.py:3: in <module>
            import nothere
        E   ModuleNotFoundError: No module named 'nothere'
        """,
        (Place("tests/conftest.py", 3, "ModuleNotFoundError", "No module named 'nothere'"),),
    ),
    Sample(
        "an error inside pytest",
        "pytest",
        3,
        """
        INTERNALERROR> Traceback (most recent call last):
        INTERNALERROR>   File "/usr/lib/python3.12/site-packages/_pytest/main.py", line 283, in wrap_session
        INTERNALERROR>     config._do_configure()
        INTERNALERROR>   File "/home/ada/shop/conftest.py", line 2, in pytest_configure
        INTERNALERROR>     raise RuntimeError("no settings")
        INTERNALERROR> RuntimeError: no settings
        """,
        (Place("/home/ada/shop/conftest.py", 2, "RuntimeError", "no settings"),),
    ),
    Sample(
        "warnings",
        "pytest",
        0,
        """
        .                                                                        [100%]
        =============================== warnings summary ===============================
        tests/test_old.py::test_old
          /home/ada/shop/shop/old.py:4: DeprecationWarning: use new()
            warnings.warn("use new()", DeprecationWarning)

        -- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html
        ========================= 1 passed, 1 warning in 0.01s =========================
        """,
        (Place("/home/ada/shop/shop/old.py", 4, "DeprecationWarning", "use new()", "warning"),),
    ),
    Sample(
        "unittest",
        "python3 -m unittest discover",
        1,
        """
        F.
        ======================================================================
        FAIL: test_name (tests.test_user.UserTest.test_name)
        ----------------------------------------------------------------------
        Traceback (most recent call last):
          File "/home/ada/shop/tests/test_user.py", line 11, in test_name
            self.assertEqual(user.name, "Ada")
            ~~~~~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^
        AssertionError: 'Bob' != 'Ada'
        - Bob
        + Ada


        ----------------------------------------------------------------------
        Ran 2 tests in 0.001s

        FAILED (failures=1)
        """,
        (Place("/home/ada/shop/tests/test_user.py", 11, "AssertionError", "'Bob' != 'Ada'"),),
    ),
    Sample(
        "doctest",
        "python -m doctest shop/units.py",
        1,
        """
        **********************************************************************
        File "shop/units.py", line 5, in units.double
        Failed example:
            double(2)
        Expected:
            4
        Got:
            3
        **********************************************************************
        1 item had failures:
           1 of   1 in units.double
        ***Test Failed*** 1 failure.
        """,
        (Place("shop/units.py", 5, None, "double(2) Expected: 4 Got: 3"),),
    ),
)
