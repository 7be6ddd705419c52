"""Words for whoever asks from outside: no secrets, and nothing on where on this machine things lie."""

from __future__ import annotations

import os

from aicx.config import Settings


def private(settings: Settings, text: str) -> str:
    """``text`` on one line, without secrets, and with the names of the corpus and the home for their places."""
    from aicx.redaction import redact

    for name, place in (("AICX_HOME", settings.layout.home), ("~", settings.user_home)):
        for spelt in (os.path.realpath(place), str(place.absolute())):
            if spelt != "/":
                text = text.replace(spelt, name)
    return " ".join(redact(text).text.split())
