"""Compilers of .NET, MSBuild, NuGet, dotnet test, and unhandled exceptions."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "build",
        "dotnet build",
        1,
        """
        MSBuild version 17.8.3+195e7f5a3 for .NET
          Determining projects to restore...
        /src/shop/Cart.cs(12,17): error CS0029: Cannot implicitly convert type 'string' to 'int' [/src/shop/Shop.csproj]
        /src/shop/Cart.cs(9,13): warning CS0219: The variable 'x' is assigned but never used [/src/shop/Shop.csproj]
        CSC : error CS5001: Program does not contain a static 'Main' method [/src/shop/Shop.csproj]

        Build FAILED.

        /src/shop/Cart.cs(9,13): warning CS0219: The variable 'x' is assigned but never used [/src/shop/Shop.csproj]
        /src/shop/Cart.cs(12,17): error CS0029: Cannot implicitly convert type 'string' to 'int' [/src/shop/Shop.csproj]
        CSC : error CS5001: Program does not contain a static 'Main' method [/src/shop/Shop.csproj]
            1 Warning(s)
            2 Error(s)
        """,
        (
            Place("/src/shop/Cart.cs", 12, "CS0029", "Cannot implicitly convert"),
            Place("/src/shop/Cart.cs", 9, "CS0219", "never used", "warning"),
            Place("/src/shop/Shop.csproj", None, "CS5001", "static 'Main'"),
        ),
    ),
    Sample(
        "restore",
        "dotnet restore | tail",
        0,
        """
        /src/shop/Shop.csproj : error NU1101: Unable to find package Acme.Tax. No packages exist with this id
          Failed to restore /src/shop/Shop.csproj (in 1.2 sec).
        """,
        (Place("/src/shop/Shop.csproj", None, "NU1101", "Acme.Tax"),),
        failed=True,
    ),
    Sample(
        "sources of MSBuild",
        "dotnet build",
        1,
        "/usr/share/dotnet/sdk/8.0/a.targets(90,5): error NETSDK1045: The current .NET SDK does not support "
        "targeting .NET 9.0. [/src/shop/Shop.csproj]\n",
        (Place("/src/shop/Shop.csproj", None, "NETSDK1045", "does not support"),),
    ),
    Sample(
        "tests",
        "dotnet test",
        1,
        """
        [xUnit.net 00:00:00.51]     Shop.Tests.CartTests.Adds [FAIL]
          Failed Shop.Tests.CartTests.Adds [12 ms]
          Error Message:
           Assert.Equal() Failure: Values differ
        Expected: 3
        Actual:   2
          Stack Trace:
             at Shop.Tests.CartTests.Adds() in /src/shop/tests/CartTests.cs:line 12
             at System.RuntimeMethodHandle.InvokeMethod(Object target)
          Failed Shop.Tests.CartTests.Locks(kind: "a b") [3 ms]
          Error Message:
           System.InvalidOperationException : cart is locked
          Stack Trace:
             at Shop.Cart.Lock() in /src/shop/src/Cart.cs:line 7
             at Shop.Tests.CartTests.Locks(String kind) in /src/shop/tests/CartTests.cs:line 20

        Failed!  - Failed:     2, Passed:     3, Skipped:     0, Total:     5, Duration: 12 ms - Shop.Tests.dll (net8.0)
        """,
        (
            Place("/src/shop/tests/CartTests.cs", 12, None, "Expected: 3"),
            Place("/src/shop/src/Cart.cs", 7, "System.InvalidOperationException", "cart is locked"),
        ),
    ),
    Sample(
        "unhandled",
        "dotnet run",
        134,
        """
        Unhandled exception. System.InvalidOperationException: start failed
         ---> System.ArgumentException: no price
           at Shop.Cart.Price() in /src/shop/src/Cart.cs:line 4
           --- End of inner exception stack trace ---
           at Shop.Program.Main(String[] args) in /src/shop/src/Program.cs:line 9
        """,
        (Place("/src/shop/src/Cart.cs", 4, "System.InvalidOperationException", "no price"),),
    ),
    Sample(
        "format",
        "dotnet format --verify-no-changes",
        2,
        "/src/shop/Cart.cs(4,5): error WHITESPACE: Fix whitespace formatting. Insert 4 characters. "
        "[/src/shop/Shop.csproj]\n",
        (Place("/src/shop/Cart.cs", 4, "WHITESPACE", "Fix whitespace"),),
    ),
    Sample(
        "the command",
        "dotnet frobnicate",
        1,
        "Could not execute because the specified command or file was not found.\n",
        (Place(message="specified command or file was not found"),),
    ),
    Sample(
        "passes",
        "dotnet test | tail",
        0,
        "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Shop.Tests.dll (net8.0)\n",
    ),
)
