"""Requests made up from the description of the endpoints: none shows a bug, and every answer is as described."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx.servers.dashboard import regenerate
from aicx.servers.dashboard.app import create_app
from aicx.servers.dashboard.endpoints import ENDPOINTS
from aicx.servers.http.guard import LOOPBACK
from tests.corpus.builders import SESSION, THIRD, Home
from tests.parts import require
from tests.sampling import sample
from tests.servers.dashboard.http_client import TOKEN

pytestmark = [pytest.mark.needs("web"), pytest.mark.process]

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
CONFIG = {
    "generation": {"deterministic": True, "database": "none", "with-security-parameters": False},
    "checks": {
        # "when" is any text as far as the description goes, and a name may be nobody's: both may be refused.
        "positive_data_acceptance": {"expected-statuses": ["2xx", "400", "403", "404"]},
    },
}


@pytest.fixture(scope="module")
def described(stored: Home) -> Iterator[Any]:
    require("test")
    import schemathesis

    async def start(_: Any) -> None:
        """Begins no run: what one does has tests of its own."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regenerate.Rebuilding, "start", start)
        # The client of these requests would read all of the environment twice for each, to find a proxy.
        patch.setattr("requests.sessions.get_environ_proxies", lambda *_, **__: {})
        hosts = LOOPBACK | {"testserver"}
        app = create_app(stored.settings, lambda: NOW, token=TOKEN, hosts=hosts, per_second=1_000_000)
        yield schemathesis.openapi.from_asgi(
            "/openapi.json", app, config=schemathesis.config.SchemathesisConfig.from_dict(CONFIG)
        )


PATHS = (*(endpoint.path for endpoint in ENDPOINTS), "/health", "/api/health")
OPERATIONS = [*(("GET", path) for path in PATHS), ("POST", "/api/regenerate"), ("POST", "/api/memory/decide")]
# What means something to this corpus, and what people and attackers write in its place.
WHEN = ["7d", "2026-03-01", "2026-03-01T10:00", "2026-02-30", "9999-12-31", "0001-01-01", "99999999d"]
TELLING: dict[str, list[str]] = {
    "id": [SESSION, THIRD, THIRD[:4], f"claude:{SESSION}:001", f"codex:{THIRD}:002", f"codex:{THIRD}:999", "file:x"],
    "chunk": [f"codex:{THIRD}:003", f"claude:{SESSION}:001", "../x"],
    "path": ["/etc/passwd", "store/../../x.md", "~root/.ssh/id_rsa", "store/", "store/x\0.md", f"store/{'x' * 300}.md"],
    "project": ["orbit", "ada/", "*", "[", "/", "'; DROP TABLE chunks"],
    "agent": ["claude", "codex", "CLAUDE", "hal"],
    "kind": ["conversations", "plan", "poems"],
    "session": [SESSION, "2d", "\U0010ffff"],
    "branch": ["main", "*", "[!a]"],
    "file": ["lexer.py", "*", "["],
    "since": WHEN,
    "until": WHEN,
    "date": ["2026-03-01", "2026-03-01..", "..", "2026-02-30"],
    "q": ["lexer token", "the", '"', '"drops the last token"', "march 2026", "src/lexer.py", "\x00", "honey " * 500],
}


def is_answered(case: Any) -> None:
    """Holds a case to the description: status and body are as described, nothing wrong is accepted, no bug shows."""
    response = case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"})
    assert "Traceback" not in response.text
    assert "root:x:0" not in response.text


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_least_the_most_and_what_is_beyond(described: Any, method: str, path: str) -> None:
    from schemathesis import GenerationMode

    operation = described[path][method]
    cases = described.iter_coverage_cases(
        operation,
        generation_modes=list(GenerationMode),
        generation_config=described.config.generation_for(operation=operation),
    )
    for case in sample([*cases], 20, path):
        is_answered(case)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("path", [endpoint.path for endpoint in ENDPOINTS if endpoint.asked.model_fields])
@settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_nobody_thought_of(described: Any, path: str, mode: str, data: Any) -> None:
    from schemathesis import GenerationMode

    case = data.draw(described[path]["GET"].as_strategy(generation_mode=GenerationMode(mode)))
    if mode == "positive":
        for name in sorted(case.query.keys() & TELLING.keys()):
            case.query[name] = data.draw(st.sampled_from([case.query[name], *TELLING[name]]))
        if {"id", "path"} <= case.query.keys():  # one of them is what is asked for
            del case.query[data.draw(st.sampled_from(["id", "path"]))]
    is_answered(case)
