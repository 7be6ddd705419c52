"""`aicx serve page`: the corpus as a page, served on this machine or written into one file."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import ExitStack
from datetime import datetime
from threading import Thread
from typing import Annotated

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import MissingExtra, UsageError
from aicx.filters import EVERYTHING, Filters
from aicx.paths import user_path
from aicx.questions import PATH, Option
from aicx.system import CAN_FORK
from aicx.values import dataclass

SCHEMA = "aicx.dashboard/1"


@dataclass(frozen=True, slots=True)
class DashboardServed:
    """While it serves. The answers of the endpoints are in [dashboard](dashboard.md#endpoints)."""

    url: Annotated[str, "the page; contains the token"]
    address: Annotated[str, "without the token"]


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """With `-o`."""

    path: Annotated[str, "the file written"]
    bytes: Annotated[int, "its size"]
    sessions: Annotated[int, "sessions in it"]
    chunks: Annotated[int, "chunks in it"]
    chunks_left_out: Annotated[int, "chunks for which it had no room"]


# What a server on every address of this machine is called from here.
_FROM_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked for, not listened on


@options.filtered()
def command(
    host: Annotated[str, Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 9478,
    open_page: Annotated[
        bool | None, Option("--open/--no-open", help="Open it in a browser; by default only where a desktop is found.")
    ] = None,
    no_token: Annotated[
        bool, Option("--no-token", help="Ask for no token; only for an address of this machine.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, Option("--allow-host", metavar="NAME", help="Accept requests to this host name as well.")
    ] = None,
    rate: Annotated[
        float, Option("--rate", min=1, max=10_000, metavar="N", help="Maximum number of requests per second.")
    ] = 100,
    workers: Annotated[
        int,
        Option(
            "--workers",
            min=1,
            max=64,
            metavar="N",
            help="How many processes answer, each on a core; they share --rate equally.",
        ),
    ] = 1,
    output: Annotated[
        str | None,
        Option("--output", "-o", metavar="FILE", click_type=PATH, help="Write a page that needs no server, and exit."),
    ] = None,
    filters: Filters = EVERYTHING,
    force: Annotated[bool, Option("--force", help="Let -o replace a file that is not an earlier page.")] = False,
    json: options.Json = False,
) -> None:
    """Show the corpus as a page: search, read sessions, see its size over time and the logs about to be deleted.

    The page is at http://127.0.0.1:9478, for this machine alone. The printed address contains a token, and anyone
    with it can read everything. It expires when this command ends, unless AICX_HTTP_AUTH_TOKEN sets it. Nothing is sent
    anywhere, and nothing is written except by its own button for `aicx store`.

    With -o, the sessions that pass the filters go into one HTML file that works offline. It contains your
    conversations: protect it like the logs.

    Example: aicx serve page
    Example: aicx serve page --port 0 --no-open
    Example: aicx serve page -o history.html -p myrepo --since 30d
    """
    settings = load_settings()
    if output is not None:
        _write(settings, output, options.now(), filters, force=force, json=json)
        return
    if filters != EVERYTHING:
        raise UsageError("filters are for -o", hint="the served page has filters of its own")
    if workers > 1 and not CAN_FORK:
        raise UsageError("--workers needs a system that can fork", hint="leave it out: one process answers")
    _serve(
        settings, host, port, tuple(allow_host or ()), rate, workers, no_token=no_token, open_page=open_page, json=json
    )


def _write(settings: Settings, output: str, now: datetime, filters: Filters, *, force: bool, json: bool) -> None:
    from aicx.servers.dashboard.export import MARK, write_page
    from aicx.storage import check_outside, check_target

    path = user_path(output)
    check_outside(path, settings.corpus_folders)
    check_target(path, MARK, command="aicx serve page", force=force)
    made = DashboardPage(str(path), *write_page(settings, path, now=now, filters=filters))
    if json:
        console.out_answer(SCHEMA, made)
        return
    console.out(str(path))
    sessions, chunks = console.plural(made.sessions, "session"), console.plural(made.chunks, "chunk")
    console.notify(f"{sessions} in {chunks}, {console.size(made.bytes)}. Keep the file as you would the logs.")
    if made.chunks_left_out:
        left_out = console.plural(made.chunks_left_out, "older chunk")
        console.warn(f"{left_out} had no room; --since, --project and other filters choose what goes in")


def _serve(
    settings: Settings,
    host: str,
    port: int,
    allowed: tuple[str, ...],
    rate: float,
    workers: int,
    *,
    no_token: bool,
    open_page: bool | None,
    json: bool,
) -> None:
    try:
        from aicx.servers.dashboard.app import create_app
        from aicx.servers.http.serve import address, is_loopback, listen, names_of, serve_app
    except ModuleNotFoundError as error:
        raise MissingExtra("`aicx serve page`", "web") from error
    from aicx.servers.dashboard.app import redirect_page
    from aicx.servers.http.serve import log_in_lines
    from aicx.servers.http.token import token_of_run

    if no_token and not is_loopback(host):
        raise UsageError(f"{host} is open to other machines, and they would need no token", hint="leave --no-token out")
    token = None if no_token else token_of_run(settings)
    log_in_lines(debug=bool(os.environ.get("AICX_DEBUG")))
    names = names_of(host, allowed)
    app = create_app(settings, options.now, token=token, hosts=names, per_second=rate / workers)
    with listen(host, port) as listening, ExitStack() as until_the_end:
        place = address(listening, _FROM_HERE.get(host))
        page = f"{place}/#token={token}" if token else f"{place}/"

        def begun() -> None:
            if json:
                console.out_answer(SCHEMA, DashboardServed(page, place))
            else:
                console.out(page)
                console.notify(_about(token))
            if _has_desktop() if open_page is None else open_page:
                first = until_the_end.enter_context(redirect_page(page)) if token else page
                # In a thread of its own: a browser in a terminal ends when the person is done with it.
                Thread(target=webbrowser.open, args=(first,), daemon=True).start()

        if workers > 1:
            from aicx.servers.http.processes import serve_in_processes

            serve_in_processes(workers, lambda ready: serve_app(app, listening, ready), begun)
        else:
            serve_app(app, listening, begun)
    console.notify("Stopped.")


def _about(token: str | None) -> str:
    if token is None:
        return "No token is asked for: every program on this machine can read the corpus. Ctrl-C stops."
    return "Anyone with this address can read the corpus. Ctrl-C stops."


def _has_desktop() -> bool:
    """Whether somebody is looking and a browser has a window to open."""
    windows = sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return sys.stdout.isatty() and windows
