"""The page as one HTML file: modules as one script, style and data inside, and a policy that lets in nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from aicx.servers.dashboard.assets import load_page

_ENTRY = "offline.js"
# Near its beginning, so that a file that is to be replaced can be told from somebody's own.
MARK = b'<meta name="generator" content="aicx dashboard">'
# How the page's modules are written: what a module takes and what it gives stands in lines of these forms alone.
_IMPORT = re.compile(r'^import \{\s([\w,\s]+)\s\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_PRELOAD = re.compile(r'^<link rel="modulepreload" .*\n', re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b", re.MULTILINE)


def bundled_page(data: bytes) -> bytes:
    """The page with ``data`` in it: JSON that holds no ``<``."""
    files = {name: asset.body.decode("utf-8") for name, asset in load_page().items()}
    script, style = bundle(files, _ENTRY), files["style.css"]
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    icon = b64encode(files["icon.svg"].encode()).decode()
    html = _PRELOAD.sub("", files["index.html"])
    for found, put in (
        (
            '<meta charset="utf-8">',
            f'<meta charset="utf-8">\n{MARK.decode()}\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        ),
        ('href="/assets/icon.svg"', f'href="data:image/svg+xml;base64,{icon}"'),
        ('<link rel="manifest" href="/manifest.webmanifest">\n', ""),
        ('<link rel="stylesheet" href="/assets/style.css">', f"<style>{style}</style>"),
        ('<script type="module" src="/assets/main.js" blocking="render"></script>\n', ""),
    ):
        assert html.count(found) == 1, f"index.html has not exactly one {found}"
        html = html.replace(found, put)
    before, _, after = html.partition("</body>")
    opening = f'{before}<script id="data" type="application/json">'
    return opening.encode() + data + f'</script>\n<script type="module">{script}</script>\n</body>{after}'.encode()


def bundle(files: Mapping[str, str], entry: str) -> str:
    """A module and all that it imports as one script. Each module becomes a function that returns what it exports."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name in modules:
            return
        source = files[name]
        imports = [(found[1], found[2]) for found in _IMPORT.finditer(source)]
        for _, needed in imports:
            add(needed)
        taken = "".join(f"const {{ {names} }} = {_variable(needed)};\n" for names, needed in imports)
        given = ", ".join(found[2] for found in _EXPORT.finditer(source))
        body = _EXPORT.sub(r"\1", _IMPORT.sub("", source))
        assert not _LEFT.search(body), f"{name} imports or exports in a way that is not known here"
        modules[name] = f"const {_variable(name)} = (() => {{\n{taken}{body}\nreturn {{ {given} }};\n}})();\n"

    add(entry)
    script = "\n".join(modules.values())
    assert "</script" not in script, "the script would end itself"
    assert "<!--" not in script, "the script would hide its end"
    return script


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")


def _source(text: str) -> str:
    """What a policy calls this very text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
