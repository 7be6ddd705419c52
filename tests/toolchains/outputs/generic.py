"""Shells, tracebacks, and what no other family reads."""

from tests.toolchains.outputs import Place, Sample

SAMPLES = (
    Sample(
        "git",
        "git push origin main",
        128,
        "fatal: repository 'https://example.invalid/shop.git/' not found\n",
        (Place(message="repository"),),
    ),
    Sample(
        "a conflict",
        "git merge topic",
        1,
        """
        Auto-merging src/cart.py
        CONFLICT (content): Merge conflict in src/cart.py
        Automatic merge failed; fix conflicts and then commit the result.
        """,
        (Place("src/cart.py", None, None, "Merge conflict in src/cart.py"),),
    ),
    Sample(
        "a traceback of Python, of a chain the last",
        "python3 tools/load.py 2>&1 | tail -20",
        0,
        """
        Traceback (most recent call last):
          File "/home/ada/shop/tools/load.py", line 4, in load
            return json.loads(text)
          File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
            return _default_decoder.decode(s)
        json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "/home/ada/shop/tools/load.py", line 9, in <module>
            load(sys.argv[1])
          File "/home/ada/shop/tools/load.py", line 6, in load
            raise RuntimeError("settings are damaged") from error
        RuntimeError: settings are damaged
        """,
        (Place("/home/ada/shop/tools/load.py", 6, "RuntimeError", "settings are damaged"),),
        failed=True,
        moved="""
        Traceback (most recent call last):
          File "/tmp/tmpa81kq/tools/load.py", line 16, in load
            raise RuntimeError("settings are damaged") from error
        RuntimeError: settings are damaged
        """,
    ),
    Sample(
        "an error of Node with a code",
        "node serve.js",
        1,
        """
        node:events:497
              throw er; // Unhandled 'error' event
              ^

        Error: listen EADDRINUSE: address already in use :::3000
            at Server.setupListenHandle [as _listen2] (node:net:1898:16)
            at Object.<anonymous> (/home/ada/shop/serve.js:7:8) {
          code: 'EADDRINUSE',
          errno: -98,
          port: 3000
        }

        Node.js v22.0.0
        """,
        (Place("/home/ada/shop/serve.js", 7, "EADDRINUSE", "address already in use"),),
    ),
    Sample(
        "an error of Node with a message of several lines",
        "node check.js",
        1,
        """
        node:assert:125
          throw new AssertionError(obj);
          ^

        AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

        1 !== 2

            at Object.<anonymous> (/home/ada/shop/check.js:3:8)
            at Module._compile (node:internal/modules/cjs/loader:1521:14) {
          generatedMessage: true,
          code: 'ERR_ASSERTION',
        }

        Node.js v22.0.0
        """,
        (Place("/home/ada/shop/check.js", 3, "ERR_ASSERTION", "1 !== 2"),),
        moved="""
        AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

        1 !== 2

            at fail (node:assert:125:11)
            at Object.<anonymous> (/home/ada/shop/check.js:30:8)
            at Module._compile (node:internal/modules/cjs/loader:1554:9)
        """,
    ),
    Sample(
        "a script of a shell",
        "bash deploy.sh",
        127,
        "deploy.sh: line 4: terrafrom: command not found\n",
        (Place("deploy.sh", 4, None, "terrafrom: command not found"),),
        moved="deploy.sh: line 19: terrafrom: command not found\n",
    ),
    Sample(
        "a syntax error of a shell, which shows its line as well",
        "sh run.sh",
        2,
        "run.sh: line 7: syntax error near unexpected token `fi'\nrun.sh: line 7: `fi'\n",
        (Place("run.sh", 7, None, "syntax error near unexpected token"),),
    ),
    Sample(
        "a file that is missing",
        "cp notes.md archive/",
        1,
        "cp: cannot stat 'notes.md': No such file or directory\n",
        (Place("notes.md", None, None, "No such file or directory"),),
    ),
    Sample(
        "Terraform",
        "terraform plan",
        1,
        """
        ╷
        │ Error: Unsupported argument
        │ 
        │   on main.tf line 12, in resource "aws_instance" "web":
        │   12:   amii = "ami-1"
        │ 
        │ An argument named "amii" is not expected here.
        ╵
        """,
        (Place("main.tf", 12, None, "Unsupported argument"),),
    ),
    Sample(
        "pip",
        "pip install -r requirements.txt",
        1,
        "ERROR: Could not find a version that satisfies the requirement nonesuch==9 (from versions: none)\n",
        (Place(message="nonesuch==9"),),
    ),
    Sample(
        "words of its own",
        "./sync --all",
        3,
        "reading 4 accounts\nerror: the account of ada is locked\n",
        (Place(message="the account of ada is locked"),),
    ),
    Sample(
        "words like error in what was read", "cat CHANGELOG.md", 0, "error: fixed\nTypeError: fixed\n", family="none"
    ),
    Sample("a search that found nothing", "grep -rn FAILED logs", 1, "", failed=False, family="none"),
    Sample(
        "a search that failed",
        "grep -n x gone.txt",
        2,
        "grep: gone.txt: No such file or directory\n",
        (Place("gone.txt", None, None, "No such file"),),
    ),
)
