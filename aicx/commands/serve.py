"""`aicx serve`: the two servers, and the one for agents."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from aicx import console
from aicx.config import Settings, load_settings
from aicx.errors import MissingExtra, UsageError
from aicx.questions import Option
from aicx.system import CAN_FORK

# Python runs one thread at a time, and each keeps indexes of its own open, which take memory: a second one is there for
# while the first waits for its index, or is busy with a slow question.
_THREADS = 2


def serve_mcp(
    transport: Annotated[
        Literal["stdio", "http"],
        Option("--transport", "-t", help="stdio for a client that starts aicx itself, or http."),
    ] = "stdio",
    host: Annotated[str, Option("--host", metavar="ADDRESS", help="For http, the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", min=0, max=65535, help="For http, the port; 0 takes a free one.")] = 8044,
    allow_host: Annotated[
        list[str] | None,
        Option("--allow-host", metavar="NAME", help="For http, accept requests to this host name as well."),
    ] = None,
    no_token: Annotated[
        bool, Option("--no-token", help="For http on an address of this machine, ask for no token.")
    ] = False,
    rate: Annotated[
        float, Option("--rate", min=1, max=10_000, metavar="N", help="For http, maximum number of requests per second.")
    ] = 100,
    workers: Annotated[
        int,
        Option(
            "--workers",
            min=1,
            max=64,
            metavar="N",
            help="For http, how many processes answer, each on a core; they share --rate equally.",
        ),
    ] = 1,
    allow_proposals: Annotated[
        bool, Option("--allow-proposals", help="Let clients propose what to remember; a person decides.")
    ] = False,
) -> None:
    """Let agents search the corpus through the Model Context Protocol (MCP).

    `aicx init --mcp` sets up clients, which then start this command themselves, on stdio. With --transport http one
    server answers many clients at http://127.0.0.1:8044/mcp. They need a bearer token, from AICX_HTTP_AUTH_TOKEN or
    else from the file auth-token in the corpus's folder, which is created if missing. The tools only read, but for one
    that --allow-proposals adds: it proposes a record for the memory, and can do nothing else.

    Example: aicx serve
    Example: aicx serve --transport http
    Example: aicx serve -t http --workers 4
    Example: aicx serve -t http --host 0.0.0.0 --allow-host build.example.org
    """
    settings = load_settings()
    try:
        from aicx.servers.http.processes import Workers
        from aicx.servers.mcp.server import create_server
    except ModuleNotFoundError as error:
        raise MissingExtra("`aicx serve`", "mcp") from error
    from aicx.servers.http.serve import log_in_lines

    log_in_lines(debug=bool(os.environ.get("AICX_DEBUG")))
    if workers > 1 and transport == "stdio":
        raise UsageError("--workers is for http", hint="a client on stdio has a process of its own")
    if workers > 1 and not CAN_FORK:
        raise UsageError("--workers needs a system that can fork", hint="leave it out: one process answers")
    threads = Workers(settings, _THREADS)
    try:
        if transport == "stdio":
            from aicx.servers.mcp.stdio import serve_stdio

            if sys.stdin.isatty():
                console.notify(
                    "Waiting for an MCP client, which would have started this itself: `aicx init --mcp --help`."
                )
            serve_stdio(create_server(settings, threads, folder=Path.cwd(), allow_proposals=allow_proposals))
            return
        from aicx.servers.http.processes import serve_in_processes
        from aicx.servers.http.serve import address, listen, names_of
        from aicx.servers.mcp.http import PATH, serve_http

        token = _token(settings, host, no_token)
        with listen(host, port) as listening:

            def begun() -> None:
                console.notify(f"Listening on {address(listening)}{PATH}")
                console.notify(_about(settings, token))

            names = names_of(host, tuple(allow_host or ()))
            server = create_server(settings, threads, allow_proposals=allow_proposals)

            def serve(begun: Callable[[], None]) -> None:
                serve_http(server, listening, begun, token=token, hosts=names, per_second=rate / workers)

            if workers > 1:
                serve_in_processes(workers, serve, begun)
            else:
                serve(begun)
        console.notify("Stopped.")
    finally:
        threads.close()


def _token(settings: Settings, host: str, no_token: bool) -> str | None:
    from aicx.servers.http.serve import is_loopback
    from aicx.servers.http.token import load_token

    if is_loopback(host) and no_token:
        return None
    if no_token:
        raise UsageError(f"{host} is open to other machines, and they would need no token", hint="leave --no-token out")
    return load_token(settings)


def _about(settings: Settings, token: str | None) -> str:
    if token is None:
        return "No token is asked for: every program on this machine can read the corpus."
    place = "AICX_HTTP_AUTH_TOKEN" if settings.auth_token else settings.layout.auth_token
    return f"Callers show the bearer token in {place}. Ctrl-C stops."
