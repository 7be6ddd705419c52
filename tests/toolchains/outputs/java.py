"""javac, stack traces, JUnit, Maven and Gradle."""

from tests.toolchains.outputs import Place, Sample

_HELP = """
[ERROR]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] For more information about the errors and possible solutions, please read the following articles:
[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException
"""

SAMPLES = (
    Sample(
        "javac",
        "javac -Xlint:all Cart.java",
        1,
        """
        Cart.java:4: warning: [rawtypes] found raw type: List
            List raw;
            ^
          missing type arguments for generic class List<E>
        Cart.java:8: error: cannot find symbol
            void g() { undefined(); nope = 1; }
                       ^
          symbol:   method undefined()
          location: class Cart
        Cart.java:8: error: cannot find symbol
            void g() { undefined(); nope = 1; }
                                    ^
          symbol:   variable nope
          location: class Cart
        2 errors
        1 warning
        """,
        (
            Place("Cart.java", 4, "rawtypes", "found raw type", "warning"),
            Place("Cart.java", 8, None, "method undefined()"),
            Place("Cart.java", 8, None, "variable nope"),
        ),
    ),
    Sample(
        "uncaught, with its cause",
        "javac -d out *.java && java -cp out app.core.Main",
        1,
        """
        Exception in thread "main" app.core.Main$Bad: start failed
        of two lines
        \tat java.base/java.util.Objects.check(Objects.java:1)
        \tat app.core.Main.mid(Main.java:5)
        \tat app.core.Main.main(Main.java:14)
        Caused by: java.lang.IllegalStateException: no config
        \tat app.core.Main.low(Main.java:4)
        \t... 2 more
        """,
        (Place("app/core/Main.java", 5, "app.core.Main$Bad", "start failed"),),
    ),
    Sample(
        "caught and printed",
        "java -cp out app.core.Main | tail",
        0,
        "done\n",
    ),
    Sample(
        "launcher",
        "java -cp out app.Nope",
        1,
        """
        Error: Could not find or load main class app.Nope
        Caused by: java.lang.ClassNotFoundException: app.Nope
        """,
        (Place(None, None, "java.lang.ClassNotFoundException", "Could not find or load main class"),),
    ),
    Sample(
        "Maven's compiler",
        "mvn -q compile",
        1,
        """
        [ERROR] COMPILATION ERROR :
        [ERROR] /home/ada/shop/src/main/java/app/Cart.java:[4,52] cannot find symbol
          symbol:   method nope()
          location: class app.Cart
        [ERROR] Failed to execute goal maven-compiler-plugin:3.13.0:compile on project shop: Compilation failure
        [ERROR] /home/ada/shop/src/main/java/app/Cart.java:[4,52] cannot find symbol
        [ERROR]   symbol:   method nope()
        [ERROR]   location: class app.Cart
        [ERROR] -> [Help 1]
        """,
        (Place("/home/ada/shop/src/main/java/app/Cart.java", 4, None, "method nope()"),),
    ),
    Sample(
        "Maven's tests",
        "mvn test",
        1,
        """
        [ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.007 s <<< FAILURE! -- in app.CartTest
        [ERROR] app.CartTest.eq -- Time elapsed: 0.036 s <<< FAILURE!
        org.opentest4j.AssertionFailedError: price of two ==> expected: <3> but was: <2>
        \tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:563)
        \tat app.CartTest.eq(CartTest.java:7)
        \tat java.base/java.lang.reflect.Method.invoke(Method.java:569)

        [ERROR] app.CartTest.err -- Time elapsed: 0.004 s <<< ERROR!
        java.lang.IllegalArgumentException: negative
        \tat app.Cart.price(Cart.java:4)
        \tat app.CartTest.err(CartTest.java:8)

        [ERROR] Failures:
        [ERROR]   CartTest.eq:7 price of two ==> expected: <3> but was: <2>
        [ERROR] Errors:
        [ERROR]   CartTest.err:8 » IllegalArgument negative
        [ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0
        [ERROR] Failed to execute goal maven-surefire-plugin:3.2.5:test on project shop: There are test failures.
        """,
        (
            Place("app/CartTest.java", 7, "org.opentest4j.AssertionFailedError", "expected: <3>"),
            Place("app/Cart.java", 4, "java.lang.IllegalArgumentException", "negative"),
        ),
    ),
    Sample(
        "Maven's tests, the end alone",
        "mvn test | tail -8",
        0,
        """
        [ERROR] Failures:
        [ERROR]   CartTest.eq:7 expected: <3> but was: <2>
        [ERROR] Errors:
        [ERROR]   CartTest.err:8 » IllegalArgument negative
        [INFO]
        [ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0
        [INFO] BUILD FAILURE
        """,
        (
            Place("CartTest.java", 7, None, "expected: <3>"),
            Place("CartTest.java", 8, "IllegalArgument", "negative"),
        ),
        failed=True,
    ),
    Sample(
        "older surefire",
        "mvn test",
        1,
        """
        adds(app.CartTest)  Time elapsed: 0.003 sec  <<< FAILURE!
        java.lang.AssertionError: expected:<4> but was:<3>
        \tat org.junit.Assert.fail(Assert.java:89)
        \tat app.CartTest.adds(CartTest.java:12)
        """,
        (Place("app/CartTest.java", 12, "java.lang.AssertionError", "expected:<4>"),),
    ),
    Sample(
        "dependency",
        "mvn compile",
        1,
        "[WARNING] The POM for com.acme:tax:jar:3.1 is missing, no dependency information available\n"
        "[INFO] BUILD FAILURE\n"
        "[ERROR] Failed to execute goal on project shop: Could not resolve dependencies for project dev:shop:jar:1: "
        "com.acme:tax:jar:3.1 was not found -> [Help 1]" + _HELP,
        (Place(message="com.acme:tax:jar:3.1 was not found"),),
    ),
    Sample(
        "project file",
        "mvn compile",
        1,
        """
        [ERROR] [ERROR] Some problems were encountered while processing the POMs:
        [FATAL] Non-parseable POM /home/ada/shop/pom.xml: end tag missing (position: END_TAG @8:21)  @ line 8, column 21
         @
        [ERROR] The build could not read 1 project -> [Help 1]
        """,
        (Place("/home/ada/shop/pom.xml", 8, None, "Non-parseable POM"),),
    ),
    Sample(
        "Maven passes, a test prints",
        "mvn test | tail",
        0,
        """
        [INFO] Running app.CartTest
        [ERROR] pretend
        java.lang.IllegalStateException: caught
        \tat app.Cart.price(Cart.java:4)
        [INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0
        [INFO] BUILD SUCCESS
        """,
    ),
    Sample(
        "Gradle's tests",
        "./gradlew test",
        1,
        """
        > Task :test FAILED

        CartTest > eq() FAILED
            org.opentest4j.AssertionFailedError at CartTest.java:7

        app.CartTest > wraps() FAILED
            java.lang.IllegalStateException: wrap failed
                at app//app.Cart.wrap(Cart.java:5)
                at app//app.CartTest.wraps(CartTest.java:9)

                Caused by:
                java.lang.IllegalArgumentException: negative
                    at app//app.Cart.price(Cart.java:4)

        2 tests completed, 2 failed

        FAILURE: Build failed with an exception.

        * What went wrong:
        Execution failed for task ':test'.
        > There were failing tests. See the report at: file:///home/ada/shop/build/reports/tests/test/index.html

        * Try:
        > Run with --scan to get full insights.

        BUILD FAILED in 3s
        """,
        (
            Place("CartTest.java", 7, "org.opentest4j.AssertionFailedError", "AssertionFailedError"),
            Place("app/Cart.java", 5, "java.lang.IllegalStateException", "wrap failed"),
        ),
    ),
    Sample(
        "Gradle's dependencies",
        "gradle build | tail -20",
        0,
        """
        FAILURE: Build failed with an exception.

        * What went wrong:
        Could not resolve all files for configuration ':compileClasspath'.
        > Could not find com.acme:tax:3.1.

        * Try:
        > Run with --stacktrace option to get the stack trace.

        BUILD FAILED in 1s
        """,
        (Place(message="Could not find com.acme:tax:3.1"),),
        failed=True,
    ),
    Sample(
        "Gradle's script",
        "gradle build",
        1,
        """
        FAILURE: Build failed with an exception.

        * Where:
        Build file '/home/ada/shop/build.gradle' line: 12

        * What went wrong:
        A problem occurred evaluating root project 'shop'.
        > Could not find method implementatoin() for arguments [com.acme:tax:3.1]

        * Try:
        > Run with --info or --debug option to get more log output.
        """,
        (Place("/home/ada/shop/build.gradle", 12, None, "implementatoin()"),),
    ),
    Sample(
        "Kotlin below Gradle",
        "./gradlew build",
        1,
        """
        > Task :compileKotlin FAILED
        e: file:///home/ada/shop/src/main/kotlin/Cart.kt:3:17 Unresolved reference: nope

        FAILURE: Build failed with an exception.

        * What went wrong:
        Execution failed for task ':compileKotlin'.
        > Compilation error. See log for more details
        """,
        (Place("/home/ada/shop/src/main/kotlin/Cart.kt", 3, None, "Unresolved reference"),),
    ),
    Sample(
        "JUnit 4's runner",
        "java -cp junit.jar:. org.junit.runner.JUnitCore CartTest",
        1,
        """
        JUnit version 4.13.2
        ..E
        Time: 0.015
        There was 1 failure:
        1) adds(CartTest)
        java.lang.AssertionError: expected:<4> but was:<3>
        \tat org.junit.Assert.fail(Assert.java:89)
        \tat CartTest.adds(CartTest.java:2)

        FAILURES!!!
        Tests run: 2,  Failures: 1
        """,
        (Place("CartTest.java", 2, "java.lang.AssertionError", "expected:<4>"),),
    ),
    Sample(
        "JUnit 5's console",
        "java -jar console.jar execute -c app.CartTest",
        1,
        """
        ├─ JUnit Jupiter ✔
        │  └─ CartTest ✔
        │     └─ eq() ✘ expected: <3> but was: <2>

        Failures (1):
          JUnit Jupiter:CartTest:eq()
            MethodSource [className = 'app.CartTest', methodName = 'eq', methodParameterTypes = '']
            => org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
               org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
               app.CartTest.eq(CartTest.java:7)
               [...]

        Test run finished after 60 ms
        [         1 tests failed          ]
        """,
        (Place("app/CartTest.java", 7, "org.opentest4j.AssertionFailedError", "expected: <3>"),),
    ),
    Sample(
        "JUnit 5's console, verbose",
        "java -jar console.jar execute -c app.CartTest --details=verbose",
        1,
        """
        ├─ JUnit Jupiter
        │  ├─ CartTest
        │  │  ├─ eq()
        │  │  │     source: MethodSource [className = 'app.CartTest', methodName = 'eq', methodParameterTypes = '']
        │  │  │     caught: org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
        │  │  │               \tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
        │  │  │               \tat app.CartTest.eq(CartTest.java:7)
        │  │  │   duration: 12 ms
        │  │  │     status: ✘ FAILED
        """,
        (Place("app/CartTest.java", 7, "org.opentest4j.AssertionFailedError", "expected: <3>"),),
    ),
    Sample(
        "Checkstyle",
        "mvn checkstyle:check",
        1,
        """
        [ERROR] src/main/java/app/Cart.java:[4,5] (javadoc) MissingJavadocMethod: Missing a Javadoc comment.
        [INFO] BUILD FAILURE
        """,
        (Place("src/main/java/app/Cart.java", 4, "MissingJavadocMethod", "Missing a Javadoc comment"),),
    ),
    Sample(
        "a program's last words",
        "java -jar shop.jar",
        2,
        "bad input\n",
        (Place(message="bad input"),),
    ),
)
