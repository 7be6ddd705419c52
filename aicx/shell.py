"""Splits a shell command line into its simple commands, as far as needed; and the commands that these run in the end.

What only starts another command is left out there: runners, containers, shells, and scripts that are written elsewhere,
as in npx, docker exec, poetry run and env.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from aicx.values import regex

_ASSIGNMENT = regex(r"""[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\$\([^()]*\)|\S)*+\s++(?=\S)""")
# `x=$(command …)`: the command is what was run.
_SUBSTITUTION = regex(r'[A-Za-z_]\w*="?\$\((?!\()(?=[^()]*\)?"?$)')
_LOOKUP = regex(r"command -[vV]\s")
_WRAPPERS = frozenset(
    {
        *("do", "then", "else", "if", "while", "until", "!", "time", "sudo", "env", "nohup", "exec", "command"),
        *("xvfb-run", "nice", "stdbuf", "caffeinate"),
    }
)
_WRAPPED = regex(r"(?:timeout|gtimeout)(?: -\S+)* \S+ |(?:(?:ba|z|da)?sh|zsh) -l?c ")
REDIRECTION = regex(r"\s*(?:\d|&)?>{1,2}(?:&\d|\s*\S+)|\s*<\s*\S+")
# A shell's own words around the commands that count.
_SETTING_UP = regex(
    r"(?:cd|pushd|popd|export|unset|set|source|\.|shopt|trap|ulimit|umask|alias|for|do|then|else|case|done|fi|esac)(?:\s|$)|[A-Za-z_]\w*=\S*$"
)
# Quoted text, escapes, redirections that look like joints, joints, and everything else.
_TOKEN = regex(
    r"""\"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.?|&>|>&|&&|\|\||\|&|[;\n&|]|[^"'\\;\n&|>]+|>""",
    re.DOTALL,
)
_JOINTS = frozenset({"&&", "||", "|&", "|", ";", "\n", "&"})
# What a `case` compares with, `a|b)`: no command. The first one is behind `in`, the others behind `;;`.
_CASE_PATTERN = regex(r"(\bin|;;)\s*\(?[^\s();][^();\n]*\)(?=\s|$)")
_FOLDER = regex(r"(?:~|\.{0,2})/(?:[\w.@+-]+/)*(?=[\w.@+-]+(?:\s|$))")
_MAX_LENGTH = 4000
# `sh -c 'command'`, behind what only starts it: the text that the shell is given.
_SHELL = regex(
    r"""(?:(?:!|time|sudo|env|nohup|exec|command|nice|timeout\ (?:-\S+\ )*\S+|[A-Za-z_]\w*=[^\s'"]*)\s+)*"""
    r"""(?:\S*/)?(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*-\w*c\s+(?P<quote>['"])(?P<text>.*)(?P=quote)"""
    rf"(?:{REDIRECTION.pattern})*",
    re.DOTALL,
)


class Simple(NamedTuple):
    """One command of a line, normalised."""

    text: str
    masked: bool  # the line's exit code is that of something after it
    otherwise: bool = False  # it is run only where the one before it fails


def simple_commands(line: str) -> list[Simple]:
    """The commands of a command line in order, without folders, variables, redirections, and filters they feed."""
    return list(_simple_commands(line))


@lru_cache(maxsize=1024)  # a session's commands are read several times
def _simple_commands(line: str) -> tuple[Simple, ...]:
    found: list[Simple] = []
    line = line[:_MAX_LENGTH]
    if "case " in line:
        line = _CASE_PATTERN.sub(r"\1\n", line)
    before = ""
    for pipeline, joint in pipelines(line):
        otherwise, before = before == "||", joint
        masked = len(pipeline) > 1 or joint not in ("", "&&")
        if shell := _SHELL.fullmatch(pipeline[0].strip()):
            inner = _simple_commands(shell["text"])
            found += (one._replace(masked=one.masked or masked) for one in inner)
            continue
        first = _normal(pipeline[0])
        if first and not first.startswith("#") and not _SETTING_UP.match(first):
            found.append(Simple(first, masked, otherwise))
    return tuple(found)


def pipelines(line: str) -> Iterator[tuple[list[str], str]]:
    """The pipelines of a line as texts of commands, each with the joint to the next; the last one has none.

    Quotes are honoured. What follows a here-document is not read: its text is no command.
    """
    pipeline: list[str] = []
    current: list[str] = []
    for piece in _TOKEN.findall(line.split("<<", 1)[0].strip().rstrip(";")):
        if piece not in _JOINTS:
            current.append(" " if piece == "\\\n" else piece)
            continue
        pipeline.append("".join(current))
        current = []
        if piece not in ("|", "|&"):
            yield pipeline, piece
            pipeline = []
    yield [*pipeline, "".join(current)], ""


def _normal(command: str) -> str:
    text = " ".join(REDIRECTION.sub(" ", command).split()).strip("(){} ")
    while True:
        if wrapped := _WRAPPED.match(text):
            text = text[wrapped.end() :].strip("\"'")
            continue
        if inner := _SUBSTITUTION.match(text):
            text = text[inner.end() :].removesuffix('"').rstrip(")")
            continue
        if assigned := _ASSIGNMENT.match(text):
            text = text[assigned.end() :]
            continue
        word, _, rest = text.partition(" ")
        if not rest or word not in _WRAPPERS or _LOOKUP.match(text):
            break
        text = rest.lstrip()
    return _FOLDER.sub("", text, count=1) if text.startswith(("/", "./", "../", "~/")) else text


_CONTAINER = "-e --env -w --workdir -u --user --env-file -v --volume -p --publish --name --network --entrypoint -m"
# What starts another command: its words -> its options that take a value, and how many words of its own follow.
STARTERS: dict[tuple[str, ...], tuple[str, int]] = {
    ("sudo",): ("-u -g", 0),
    ("doas",): ("-u", 0),
    ("env",): ("-u -C", 0),
    ("nice",): ("-n", 0),
    ("ionice",): ("-c -n", 0),
    ("nohup",): ("", 0),
    ("setsid",): ("", 0),
    ("command",): ("", 0),
    ("exec",): ("", 0),
    ("time",): ("-f -o", 0),
    ("timeout",): ("-k -s --signal --kill-after", 1),
    ("gtimeout",): ("-k -s --signal --kill-after", 1),
    ("stdbuf",): ("-o -e -i", 0),
    ("unbuffer",): ("", 0),
    ("chronic",): ("", 0),
    ("caffeinate",): ("", 0),
    ("xvfb-run",): ("-s -n", 0),
    ("flock",): ("-w", 1),
    ("xargs",): ("-n -I -P -L -d", 0),
    ("watch",): ("-n", 0),
    ("cross-env",): ("", 0),
    ("dotenv",): ("-e -f", 0),
    ("dotenv", "run"): ("", 0),
    ("direnv", "exec"): ("", 1),
    ("mise", "exec"): ("", 0),
    ("mise", "x"): ("", 0),
    ("asdf", "exec"): ("", 0),
    ("corepack",): ("", 0),
    ("fnm", "exec"): ("--using --version-file-strategy", 0),
    ("nvm", "exec"): ("", 1),
    ("volta", "run"): ("--node --npm --pnpm --yarn", 0),
    ("rbenv", "exec"): ("", 0),
    ("nix", "develop"): ("", 0),
    ("uv", "run"): ("--with --group --extra --python -p --project --directory --package --env-file --index", 0),
    ("uv", "tool", "run"): ("--with --from --python -p", 0),
    ("uvx",): ("--with --from --python -p", 0),
    ("pipx", "run"): ("--spec --python", 0),
    ("poetry", "run"): ("-C --directory", 0),
    ("pipenv", "run"): ("", 0),
    ("pdm", "run"): ("-p", 0),
    ("hatch", "run"): ("-e", 0),
    ("rye", "run"): ("", 0),
    ("pixi", "run"): ("-e", 0),
    ("conda", "run"): ("-n -p --name --prefix", 0),
    ("mamba", "run"): ("-n -p", 0),
    ("micromamba", "run"): ("-n -p", 0),
    ("coverage", "run"): ("--source --rcfile --omit --include", 0),
    ("npx",): ("-p --package -w --workspace", 0),
    ("bunx",): ("", 0),
    ("pnpx",): ("", 0),
    ("npm", "exec"): ("-p --package -w --workspace", 0),
    ("npm", "x"): ("-p --package", 0),
    ("pnpm", "exec"): ("--filter -F -C", 0),
    ("pnpm", "dlx"): ("--package", 0),
    ("yarn", "exec"): ("", 0),
    ("yarn", "dlx"): ("-p", 0),
    ("bundle", "exec"): ("", 0),
    ("docker", "exec"): (_CONTAINER, 1),
    ("docker", "run"): (_CONTAINER, 1),
    ("docker-compose", "exec"): (_CONTAINER, 1),
    ("docker-compose", "run"): (_CONTAINER, 1),
    ("podman", "exec"): (_CONTAINER, 1),
    ("podman", "run"): (_CONTAINER, 1),
    ("kubectl", "exec"): ("-n -c --namespace --container", 1),
    ("ssh",): ("-p -i -o -l", 1),
}
# Options with a value that may be before the verb: `npm --prefix web run build`.
BEFORE_VERB = {
    "npm": "--prefix -C -w --workspace",
    "pnpm": "--filter -F -C --dir --prefix",
    "yarn": "--cwd",
    "bun": "--cwd --filter",
    "docker": "-H --context",
    "docker-compose": "-f --file -p --project-name --profile --env-file",
    "git": "-C -c",
    "kubectl": "-n --namespace --context",
    "uv": "--directory --project",
    "poetry": "-C --directory",
}
MAX_STARTER = max(map(len, STARTERS))

# What runs commands that are written elsewhere: only the output tells which.
SCRIPTS = frozenset({
    "make", "gmake", "mingw32-make", "just", "task", "rake", "tox", "nox", "invoke", "inv", "pre-commit",
    "prek", "lefthook", "lerna", "nx", "turbo", "rush", "moon", "act", "wireit", "bazel", "buck2", "pants",
    "earthly", "docker", "docker-compose", "podman", "vagrant", "hatch",
})  # fmt: skip
PACKAGE_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun", "composer", "deno", "cnpm"})
SCRIPT_VERBS = frozenset({"run", "run-script", "test", "t", "tst", "start", "stop", "restart", "rum", "urn", "task"})
# What a package manager does itself; another word may be a script or a program that is installed here.
OWN_VERBS = frozenset({
    "install", "i", "in", "ci", "clean-install", "add", "remove", "rm", "uninstall", "un", "update", "up",
    "upgrade", "outdated", "audit", "publish", "pack", "link", "unlink", "init", "create", "dedupe", "list",
    "ls", "why", "view", "info", "config", "cache", "login", "logout", "version", "prune", "rebuild", "exec",
    "dlx", "import", "patch", "workspaces", "workspace", "set", "policies", "require", "show", "search",
    "validate", "dump-autoload", "diagnose", "self-update", "global", "fetch",
})  # fmt: skip
# What shows or changes files and the shell itself: words like error in its output are not its own.
PLAIN = frozenset({
    "cat", "less", "more", "head", "tail", "grep", "egrep", "rg", "ag", "sed", "awk", "ls", "tree", "find",
    "fd", "echo", "printf", "git", "diff", "env", "wc", "sort", "uniq", "cut", "tr", "jq", "stat", "file", "du",
    "df", "ps", "tee", "cd", "pushd", "popd", "export", "set", "unset", "source", ".", "alias", "true", "false",
    "sleep", "wait", "trap", "cp", "mv", "rm", "mkdir", "rmdir", "touch", "ln", "chmod", "chown", "pwd", "date",
    "which", "type", "test", "[", "for", "done", "fi", "case", "esac", "exit", "return", "read", "kill",
    "history", "man", "bat", "xxd", "strings",
})  # fmt: skip
_MAX_CHARS = 4000  # characters of a command line that are read
_DEEPEST = 4  # a shell in a container in a shell
_HERE_DOCUMENT = regex(r"<<-?\s*(['\"]?)(\w+)\1")
_ENDS_AT_ONCE = regex(r"\bset -[a-z]*e")
_VARIABLE = regex(r"[A-Za-z_]\w*=")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"})
_SHELL_WORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "(", "time"})
_PYTHON = regex(r"(?:python|pypy)[\d.]*(?:\.exe)?|py")
_SUFFIX = regex(r"\.(?:exe|cmd|bat|ps1)$")


class Invocation(NamedTuple):
    """One command of a line. ``masked`` when the line's exit code is that of something after it."""

    words: tuple[str, ...]  # the program without its folder, and its arguments
    masked: bool
    script: bool  # what it runs is written elsewhere: make, npm run, a shell script
    local: bool = False  # named with a folder of the project, as what was just compiled is


def invocations(line: str) -> list[Invocation]:
    """The commands of a command line in order, also those that a shell or a container is given as text."""
    return list(_invocations(line, masked=False, depth=0))


def _invocations(line: str, masked: bool, depth: int) -> Iterator[Invocation]:
    line = _without_here_documents(line)[:_MAX_CHARS]
    hiding, ends_at_once = "pipefail" not in line, _ENDS_AT_ONCE.search(line) is not None
    for pipeline, joint in pipelines(line.replace("<<<", "<")):
        later = masked or joint not in ("", "&&", *((";", "\n") if ends_at_once else ()))
        for position, text in enumerate(pipeline):
            last = position == len(pipeline) - 1
            yield from _unwrapped(_words(text), later or (hiding and not last), depth)


def _unwrapped(words: list[str], masked: bool, depth: int) -> Iterator[Invocation]:
    """The command below what starts it."""
    local = False
    for _ in range(len(words)):
        if not words or words[0].startswith("#"):
            return
        if words[0] in _SHELL_WORDS or _VARIABLE.match(words[0]):
            words = words[1:]
            continue
        local = "/" in words[0] and not words[0].startswith("/")
        words = verb_first([_SUFFIX.sub("", words[0].rpartition("/")[2] or words[0]), *words[1:]])
        if words[0] in _SHELLS and (text := _command_text(words[1:])) is not None:
            if depth < _DEEPEST:
                yield from _invocations(text, masked, depth + 1)
            return
        shorter = module_of(words) or started(words)
        if shorter is None:
            break
        words = shorter
    if words:
        yield Invocation(tuple(words), masked, _runs_script(words), local)


def verb_first(words: list[str]) -> list[str]:
    """``words`` without options between a program and its verb."""
    if words[:2] == ["docker", "compose"]:
        words = ["docker-compose", *words[2:]]
    if words[:2] == ["yarn", "workspace"]:
        words = ["yarn", *words[3:]]
    if words[0] not in BEFORE_VERB:
        return words
    valued = BEFORE_VERB[words[0]].split()
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in valued else 1 :]
    return [words[0], *rest] if rest else words


def started(words: list[str]) -> list[str] | None:
    """The command that ``words`` start; None when they start none."""
    for length in range(MAX_STARTER, 0, -1):
        row = STARTERS.get(tuple(words[:length]))
        if row is None:
            continue
        valued, own = row[0].split(), row[1]
        rest = words[length:]
        while rest and (rest[0].startswith("-") or _VARIABLE.match(rest[0])):
            rest = rest[2 if rest[0] in valued else 1 :]
        rest = rest[own:]
        return (rest[1:] if rest[:1] == ["--"] else _split_once(rest)) or None
    return None


def _split_once(words: list[str]) -> list[str]:
    """The words of a command that was given as one quoted text, as `ssh host "make test"` does."""
    return ["sh", "-c", words[0]] if len(words) == 1 and " " in words[0] else words


def module_of(words: list[str]) -> list[str] | None:
    """Returns the command that `python -m` runs, None for anything else."""
    if not _PYTHON.fullmatch(words[0]):
        return None
    for position, word in enumerate(words[1:], 1):
        if word == "-m":
            return words[position + 1 :] or None
        if not word.startswith("-") or word in ("-c", "-"):
            return None
    return None


def _command_text(arguments: list[str]) -> str | None:
    """Returns the text that a shell is given by `-c`, None when it is given a file."""
    for position, word in enumerate(arguments):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and word.endswith("c"):
            return arguments[position + 1] if position + 1 < len(arguments) else None
    return None


def _runs_script(words: list[str]) -> bool:
    program, verb = words[0], next((word for word in words[1:] if not word.startswith("-")), "")
    if program in PACKAGE_MANAGERS:
        return verb in SCRIPT_VERBS or (program != "npm" and verb not in OWN_VERBS)
    return program in SCRIPTS or program in _SHELLS or program.endswith((".sh", ".bash", ".zsh"))


def _words(text: str) -> list[str]:
    text = REDIRECTION.sub(" ", text).strip().lstrip("(").rstrip(")")
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()


def _without_here_documents(line: str) -> str:
    """``line`` without the texts between `<<EOF` and `EOF`; what follows them is kept."""
    kept: list[str] = []
    position = 0
    while match := _HERE_DOCUMENT.search(line, position):
        kept.append(line[position : match.start()])
        body = line.find("\n", match.end())
        end = line.find(f"\n{match[2]}", max(body, 0))
        kept.append(line[match.end() : body if body >= 0 else len(line)])
        position = len(line) if body < 0 or end < 0 else end + 1 + len(match[2])
    return "".join([*kept, line[position:]])
