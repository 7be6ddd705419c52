"""Cleans messages for remote callers: no secrets, and no paths of this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import aicx
from aicx.config import Settings


def private(settings: Settings, text: str) -> str:
    """``text`` on one line, without secrets, and with names in place of the paths of the corpus, home and programs."""
    from aicx.installation import checkout_of
    from aicx.redaction import redact

    places = [("AICX_HOME", settings.layout.home), ("~", settings.user_home), ("python", Path(sys.executable))]
    if checkout := checkout_of(Path(aicx.__file__).parent):
        places.append(("CHECKOUT", checkout))
    for name, place in places:
        for spelt in (os.path.realpath(place), str(place.absolute())):
            if spelt != "/":
                text = text.replace(spelt, name)
    return " ".join(redact(text).text.split())
