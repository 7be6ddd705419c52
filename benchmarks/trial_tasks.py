"""Ten tasks whose answer was settled in an earlier session and stands in no file: invented, and small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """``before`` is what ``file`` holds; ``history`` what was said in the earlier session: prompts and answers in turn.

    ``check`` is Python that fails unless the task was done as it was settled. The last three are for the scripted model:
    what it searches for, the words by which it knows the answer, and the file as it then writes it; ``guess`` is what it
    writes without.
    """

    name: str
    file: str
    before: str
    asked: str
    history: tuple[str, str]
    check: str
    query: str
    telling: str
    right: str
    guess: str


TASKS = (
    Task(
        "retries",
        "client.py",
        "def fetch(send):\n    return send()\n",
        "fetch in client.py fails when the gateway is flaky. Have it retry as we agreed, without any waiting.",
        (
            "How often may we retry a call to the gateway?",
            "Three attempts in all and no more: the gateway bans a client after its fourth failed call in a row.",
        ),
        "import client\ncalls = []\ndef send():\n    calls.append(1)\n    raise OSError\n"
        "try:\n    client.fetch(send)\nexcept OSError:\n    pass\nelse:\n    raise SystemExit('the error was swallowed')\n"
        "assert len(calls) == 3, calls\n",
        "retry call to the gateway",
        "Three attempts",
        "def fetch(send, attempts=3):\n    for left in range(attempts - 1, -1, -1):\n        try:\n"
        "            return send()\n        except OSError:\n            if not left:\n                raise\n",
        "def fetch(send, attempts=5):\n    for left in range(attempts - 1, -1, -1):\n        try:\n"
        "            return send()\n        except OSError:\n            if not left:\n                raise\n",
    ),
    Task(
        "rounding",
        "money.py",
        "def total(amounts):\n    return sum(amounts)\n",
        "total in money.py takes Decimals and should round its result to cents, the way accounting wants it.",
        (
            "How does accounting want the totals rounded?",
            "Accounting rounds a total half to even, to cents, and only the total: single amounts stay as they are.",
        ),
        "from decimal import Decimal as D\nimport money\nassert money.total([D('0.100'), D('0.025')]) == D('0.12')\n"
        "assert money.total([D('0.135')]) == D('0.14')\n",
        "accounting rounds totals",
        "half to even",
        "from decimal import ROUND_HALF_EVEN, Decimal\n\n\ndef total(amounts):\n"
        "    return sum(amounts, Decimal(0)).quantize(Decimal('0.01'), ROUND_HALF_EVEN)\n",
        "from decimal import ROUND_HALF_UP, Decimal\n\n\ndef total(amounts):\n"
        "    return sum(amounts, Decimal(0)).quantize(Decimal('0.01'), ROUND_HALF_UP)\n",
    ),
    Task(
        "slugs",
        "names.py",
        "def slug(title):\n    raise NotImplementedError\n",
        "Write slug in names.py: small letters, a hyphen for each space, and umlauts so that old links go on working.",
        (
            "What do the links of the old site do with umlauts?",
            "The old links write umlauts out: ä is ae, ö is oe, ü is ue. Dropping the dots would break every one of them.",
        ),
        "import names\nassert names.slug('Käse Brötchen') == 'kaese-broetchen', names.slug('Käse Brötchen')\n",
        "old links umlauts",
        "ä is ae",
        "def slug(title):\n    found = title.lower().replace(' ', '-')\n"
        "    for letter, written in (('ä', 'ae'), ('ö', 'oe'), ('ü', 'ue')):\n"
        "        found = found.replace(letter, written)\n    return found\n",
        "def slug(title):\n    found = title.lower().replace(' ', '-')\n"
        "    for letter, written in (('ä', 'a'), ('ö', 'o'), ('ü', 'u')):\n"
        "        found = found.replace(letter, written)\n    return found\n",
    ),
    Task(
        "dates",
        "feed.py",
        "def day(text):\n    raise NotImplementedError\n",
        "Write day in feed.py: it takes a date as the partner's feed has it, like 03.04.2026, and returns (year, month, day).",
        (
            "The import of the partner's feed puts everything on the wrong day. What is wrong?",
            "The partner's feed has the month first although it writes dots: 03.04.2026 is the fourth of March.",
        ),
        "import feed\nassert feed.day('03.04.2026') == (2026, 3, 4), feed.day('03.04.2026')\n",
        "partner's feed date month",
        "month first",
        "def day(text):\n    month, day, year = map(int, text.split('.'))\n    return year, month, day\n",
        "def day(text):\n    day, month, year = map(int, text.split('.'))\n    return year, month, day\n",
    ),
    Task(
        "timeout",
        "settings.py",
        "TIMEOUT = 30\n",
        "Requests are cut off by the proxy. Set TIMEOUT in settings.py to what we found out to work, in whole seconds.",
        (
            "Why are our requests cut off?",
            "The proxy closes a connection after eight seconds, so a timeout of 7 lets us give up first and say why.",
        ),
        "import settings\nassert settings.TIMEOUT == 7, settings.TIMEOUT\n",
        "proxy closes connection timeout",
        "timeout of 7",
        "TIMEOUT = 7\n",
        "TIMEOUT = 60\n",
    ),
    Task(
        "cache",
        "cache.py",
        "def key(kind, number, tenant):\n    raise NotImplementedError\n",
        "Write key in cache.py: the three parts joined by colons, in the order that clearing the cache needs.",
        (
            "Clearing the cache of one customer takes minutes. Can it be faster?",
            "Yes: keys begin with the tenant, then kind and number, because the cache is cleared by the prefix of a tenant.",
        ),
        "import cache\nassert cache.key('user', 5, 't1') == 't1:user:5', cache.key('user', 5, 't1')\n",
        "cache cleared prefix keys",
        "begin with the tenant",
        "def key(kind, number, tenant):\n    return f'{tenant}:{kind}:{number}'\n",
        "def key(kind, number, tenant):\n    return f'{kind}:{number}:{tenant}'\n",
    ),
    Task(
        "headers",
        "trace.py",
        "def headers(trace):\n    return {}\n",
        "headers in trace.py should hand on the trace in the one header that the billing service reads.",
        (
            "Billing does not show up in our traces. Why?",
            "The billing service ignores traceparent: it reads X-Orbit-Trace and nothing else.",
        ),
        "import importlib.util\n"
        "spec = importlib.util.spec_from_file_location('own', 'trace.py')\nown = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(own)\nassert own.headers('abc') == {'X-Orbit-Trace': 'abc'}, own.headers('abc')\n",
        "billing service traces header",
        "X-Orbit-Trace",
        "def headers(trace):\n    return {'X-Orbit-Trace': trace}\n",
        "def headers(trace):\n    return {'traceparent': trace}\n",
    ),
    Task(
        "busy",
        "job.py",
        "def code(busy):\n    return 1 if busy else 0\n",
        "The nightly job must not be reported as failed when the lock is taken. Have code in job.py return what cron expects.",
        (
            "Which exit code does the wrapper around cron take for 'try again later'?",
            "The wrapper around cron tries again on exit code 75 and reports every other code but 0 as a failure.",
        ),
        "import job\nassert (job.code(True), job.code(False)) == (75, 0), job.code(True)\n",
        "exit code wrapper around cron",
        "exit code 75",
        "def code(busy):\n    return 75 if busy else 0\n",
        "def code(busy):\n    return 0\n",
    ),
    Task(
        "numbers",
        "accounts.py",
        "def next_number(taken):\n    return max(taken, default=0) + 1\n",
        "next_number in accounts.py must never give a number of the old system. Mend it.",
        (
            "Which account numbers did the old system use?",
            "The old system used every account number up to 41999, so ours begin at 42000.",
        ),
        "import accounts\nassert accounts.next_number([]) == 42000\nassert accounts.next_number([42007]) == 42008\n"
        "assert accounts.next_number([17]) == 42000\n",
        "account numbers old system",
        "begin at 42000",
        "def next_number(taken):\n    return max([41999, *taken]) + 1\n",
        "def next_number(taken):\n    return max([999, *taken]) + 1\n",
    ),
    Task(
        "order",
        "report.py",
        "def ordered(tickets):\n    return tickets\n",
        "ordered in report.py gets tickets as (day, is_open) and should put them in the order the morning meeting wants.",
        (
            "In which order does the morning meeting want the tickets of the report?",
            "The morning meeting reads from the top: open tickets first, the oldest of them on top, then closed ones, newest first.",
        ),
        "import report\ngiven = [(1, False), (2, True), (3, False), (1, True)]\n"
        "assert report.ordered(given) == [(1, True), (2, True), (3, False), (1, False)], report.ordered(given)\n",
        "morning meeting order of tickets",
        "open tickets first",
        "def ordered(tickets):\n    key = lambda one: (not one[1], one[0] if one[1] else -one[0])\n"
        "    return sorted(tickets, key=key)\n",
        "def ordered(tickets):\n    return sorted(tickets, reverse=True)\n",
    ),
)
