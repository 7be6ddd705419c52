"""What starts other commands: runners, containers, shells, and scripts that are written elsewhere."""

from __future__ import annotations

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
