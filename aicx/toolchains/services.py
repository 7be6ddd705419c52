"""The tools of the generic family whose errors have a form of their own: git, Terraform, Docker, curl, pip, databases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.json_documents import documents, number, rows, word
from aicx.values import regex

_BOX = regex(r"\s*[│╷╵|] ?")
_TERRAFORM = regex(r"(?P<severity>Error|Warning): (?P<message>\S.*)$")
_TERRAFORM_AT = regex(r"\s*on (?P<file>\S.*?) line (?P<line>\d+)(?:, in .*)?:?$")
_TERRAFORM_FMT = regex(r"\S+\.(?:tf|tfvars|hcl)$")
_SOURCE = regex(r"\s*(?:\d+:|├|│|with )")
_MAX_BELOW = 14  # lines that one diagnosis of Terraform takes
# One line, one error; the first group that matched names the tool.
_LINES = tuple(
    (tool, phase, re.compile(pattern))
    for tool, phase, pattern in (
        ("git", "runtime", r"(?P<message>fatal: .+)"),
        ("git", "runtime", r"(?P<code>)CONFLICT \([^)\n]+\): (?:Merge conflict in (?P<file>.+)|(?P<message>.+))"),
        ("git", "runtime", r"error: (?P<message>patch failed: (?P<file>.+):(?P<line>\d+))"),
        (
            "git",
            "runtime",
            (r"error: (?P<message>(?:pathspec|failed to push|src refspec|cannot |could not |Your local changes|The following untracked|[Uu]nable to|"
            r"Merging is not possible|you need to resolve|No such remote|branch |the branch|switch `|unknown (?:option|switch)|insufficient permission|RPC failed|.*: patch does not apply|.*does not match index|commit is not possible|remote ).*)"),
        ),
        ("git", "runtime", r"\s*! (?P<message>\[(?:remote )?rejected\] .+)"),
        ("git", "runtime", r"git: (?P<message>'.+' is not a git command.*)"),
        ("ssh", "runtime", r"(?P<message>ssh: .+|(?:\S+: )?Permission denied \(publickey.*|Host key verification failed\.|kex_exchange_identification: .+)"),
        ("curl", "runtime", r"(?P<message>curl: \(\d+\) .+|curl: option .+)"),
        ("wget", "runtime", r"(?P<message>wget: .+|(?:.* )?ERROR \d{3}: .+)"),
        ("docker", "runtime", r"(?P<message>(?:ERROR: )?Cannot connect to the Docker daemon.+|(?:docker: )?Error response from daemon: .+|(?:docker: )?permission denied while trying to connect.+|(?:error|ERROR) during connect: .+)"),
        ("docker", "build", r"(?:ERROR|error): (?P<message>failed to (?:solve|build|read dockerfile|compute cache key)\b.*)"),
        ("", "setup", r"(?:docker: )?(?P<message>unknown (?:flag|shorthand flag|command|docker command): .+|no such service: .+|no configuration file provided: .+|.*is not a docker command\.)"),
        ("pip", "install", r"ERROR: (?P<message>(?:Could not|No matching distribution|Cannot install|Failed building wheel|Failed to build|Invalid requirement|Package '|ResolutionImpossible|Directory '|HTTP error|Ignored the following|Exception|Command errored|.*(?:requires|is not a supported wheel|not a valid|does not appear to be a Python project|externally-managed)).*)"),
        ("pip", "install", r"(?:error|× ?error): (?P<message>(?:subprocess-exited-with-error|metadata-generation-failed|externally-managed-environment|legacy-install-failure).*)"),
        ("uv", "install", r"\s*× (?P<message>(?:No solution found|Failed to (?:build|download|fetch|resolve)|Because|No virtual).*)"),
        ("poetry", "install", r"\s*(?P<message>(?:Because .+ version solving failed|pyproject\.toml changed significantly since|Could not find a matching version of|Unable to find installation candidates|Package operations failed).*)"),
        ("kubectl", "runtime", r"(?P<message>Error from server(?: \(\w+\))?: .+|The connection to the server .+|error: (?:unable to recognize|the server doesn't have|You must be logged in|no (?:context|matching)|resource mapping).*)"),
        ("psql", "runtime", r"(?:psql:)?(?P<file>[^:\n]{1,300}):(?P<line>\d+): (?:ERROR|FATAL):\s+(?P<message>.+)"),
        ("psql", "runtime", r"(?P<message>psql: error: .+|(?:ERROR|FATAL):  .+)"),
        ("mysql", "runtime", r"ERROR (?P<code>\d{4}) \(\w+\)(?: at line \d+)?(?: in file: '[^'\n]*')?: (?P<message>.+)"),
        ("sqlite3", "runtime", r"(?P<message>(?:Runtime error|Parse error|Error)(?: near line \d+)?: (?:near \"|no such |table |UNIQUE|database |incomplete|in prepare).*)"),
        ("make", "setup", r"(?P<file>\S*[Mm]akefile\S*|\S+\.mk):(?P<line>\d+): \*\*\* (?P<message>.+?)(?:\.? +Stop\.)?$"),
        ("make", "setup", r"g?make(?:\[\d+\])?: \*\*\* (?P<message>No (?:rule|targets).+?)(?:\. +Stop\.)?$"),
        ("perl", "runtime", r"(?P<message>.+) at (?P<file>\S+\.(?:pl|pm|t)) line (?P<line>\d+)(?:, near .*|\.|, <\S+> line \d+\.)?$"),
        ("lua", "runtime", r"(?:lua\S*: )(?P<file>\S+?\.lua):(?P<line>\d+): (?P<message>.+)"),
        ("ansible", "runtime", r"(?P<message>(?:fatal|failed): \[[^\]\n]+\]: (?:FAILED|UNREACHABLE)! .*|ERROR! .+)"),
        ("jq", "runtime", r"(?P<message>jq: error.*)"),
        ("systemctl", "runtime", r"(?P<message>(?:Job for .+ failed|Failed to (?:start|stop|restart|enable|reload) .+|Unit .+ (?:not found|could not be found)).*)"),
        ("apt", "install", r"E: (?P<message>.+)"),
        ("gh", "runtime", r"(?P<message>(?:GraphQL: |gh: |HTTP \d{3}: ).+)"),
        ("python", "setup", r"\S*python[\d.]*: (?P<message>(?:can't open file|No module named|can't find '__main__' module|Error while finding module).*)"),
        ("argparse", "setup", r"(?P<name>[\w.-]+): error: (?P<message>(?:the following arguments are required|unrecognized arguments|argument |invalid choice|expected ).*)"),
        ("click", "setup", r"Error: (?P<message>(?:No such (?:option|command)|Missing (?:argument|option|parameter)|Invalid value|Got unexpected extra|Could not locate a Flask).*)"),
        ("openssl", "runtime", r"(?P<message>[\dA-F]{6,20}:error:.+)"),
    )
)  # fmt: skip
_SIGNS = (":", "!", " at ", "×", "ailed")  # one of which every form above has
_DOCKERFILE = regex(r"(?P<file>\S*(?:Dockerfile|Containerfile)\S*):(?P<line>\d+)$")


def dockerfile(lines: Sequence[str]) -> tuple[str, int] | None:
    """The place in a Dockerfile that a build names apart from its error."""
    return next(((match["file"], int(match["line"])) for line in lines if (match := _DOCKERFILE.match(line))), None)


def error_in(line: str, docker: tuple[str, int] | None) -> Diagnostic | None:
    """The error in its tool's own form that ``line`` is."""
    if not any(sign in line for sign in _SIGNS):
        return None
    for tool, phase, pattern in _LINES:
        if match := pattern.match(line):
            return _found(match, tool, phase, docker)
    return None


def diagnoses(output: Output) -> Iterator[Diagnostic]:
    """The errors that take several lines: Terraform's, for people and as JSON."""
    yield from _terraform(output.lines)
    yield from _from_json(output)
    if output.words[:2] in (("terraform", "fmt"), ("tofu", "fmt")):
        for line in output.lines:
            if _TERRAFORM_FMT.match(line):
                yield Diagnostic("File is not formatted", line, phase="lint", tool="terraform")


def _found(match: re.Match[str], tool: str, phase: str, docker: tuple[str, int] | None) -> Diagnostic:
    groups = match.groupdict()
    file, line = groups.get("file"), groups.get("line")
    number = int(line) if line else None
    if tool == "docker" and phase == "build" and docker:
        file, number = docker
    message = groups.get("message") or match[0]
    return Diagnostic(
        message.strip(),
        file,
        number,
        code=groups.get("code") or None,
        phase=phase,
        tool=groups.get("name") or tool or None,
    )


def _terraform(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """`Error: ...`, and a few lines below it `on main.tf line 3`."""
    if not any("Error: " in line or "Warning: " in line for line in lines):
        return
    bare = [line[match.end() :] if (match := _BOX.match(line)) else line for line in lines]
    boxed = any("│ " in line for line in lines)
    for position, line in enumerate(bare):
        head = _TERRAFORM.match(line)
        if head is None:
            continue
        below = bare[position + 1 : position + 1 + _MAX_BELOW]
        end = next((at for at, text in enumerate(below) if _TERRAFORM.match(text)), len(below))
        place = next((match for text in below[:end] if (match := _TERRAFORM_AT.match(text))), None)
        if place is None and not boxed:
            continue
        yield Diagnostic(
            "\n".join(filter(None, [head["message"], *_details(below[:end])])),
            place["file"] if place else None,
            int(place["line"]) if place else None,
            phase="setup",
            severity=head["severity"].lower(),
            tool="terraform",
        )


def _details(below: Sequence[str]) -> list[str]:
    """The sentences below a diagnosis: neither its place nor source."""
    kept = [
        text.strip() for text in below if text.strip() and not _TERRAFORM_AT.match(text) and not _SOURCE.match(text)
    ]
    return kept[:6]


def _from_json(output: Output) -> Iterator[Diagnostic]:
    """`terraform validate -json`, and the lines of `-json` runs."""
    if '"diagnostic' not in output.text:
        return
    for document in documents(output.text):
        for row in rows(document):
            several = row.get("diagnostics")
            for each in rows(several if several is not None else row.get("diagnostic") or []):
                span = each.get("range")
                start = span.get("start") if isinstance(span, dict) else None
                yield Diagnostic(
                    "\n".join(filter(None, [word(each.get("summary")), word(each.get("detail"))])),
                    word(span.get("filename")) if isinstance(span, dict) else None,
                    number(start.get("line")) if isinstance(start, dict) else None,
                    phase="setup",
                    severity="warning" if each.get("severity") == "warning" else "error",
                    tool="terraform",
                )
