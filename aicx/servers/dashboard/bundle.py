"""The page as one HTML file: modules as one script, style and data inside, and a policy that lets in nothing else."""

from __future__ import annotations

import re
from base64 import b64encode

from aicx.pages import bundle, load_files, policy_source

_ENTRY = "offline.js"
# Near its beginning, so that a file that is to be replaced can be told from somebody's own.
MARK = b'<meta name="generator" content="aicx dashboard">'
_PRELOAD = re.compile(r'^<link rel="modulepreload" .*\n', re.MULTILINE)


def bundled_page(data: bytes) -> bytes:
    """The page with ``data`` in it: JSON that holds no ``<``."""
    files = {name: body.decode("utf-8") for name, body in load_files("dashboard").items()}
    script, style = bundle(files, _ENTRY), files["style.css"]
    policy = (
        f"default-src 'none'; script-src {policy_source(script)}; style-src {policy_source(style)}; img-src data:;"
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
        ('<link rel="stylesheet" href="/assets/style.css">', f"<style>{style}</style>"),
        ('<script type="module" src="/assets/main.js" blocking="render"></script>\n', ""),
    ):
        assert html.count(found) == 1, f"index.html has not exactly one {found}"
        html = html.replace(found, put)
    before, _, after = html.partition("</body>")
    opening = f'{before}<script id="data" type="application/json">'
    return opening.encode() + data + f'</script>\n<script type="module">{script}</script>\n</body>{after}'.encode()
