"""Why a store cannot be used, in a line that a user can read, with what to do about it."""

from __future__ import annotations

import re

from indexer.vector_table import plain_reason

# What an object store answers, what the operating system says of a connection, and what the library says of both.
_ANSWER = re.compile(r"<Code>([^<]*)</Code>.*?<Message>([^<]*)</Message>", re.DOTALL)
_SYSTEM = re.compile(r'kind: \w+, message: "([^"]+)"')
_NO_CREDENTIALS = re.compile(r"Failed to get \w+ credentials")
_NO_KEY = "api_key is required"
_REFUSED = re.compile(r"(?i)\b40[13]\b|credentials")
_BUSY = re.compile(r"\b(?:429|503)\b")
_HERE = "what is stored here is searched as before"


def reason_of(error: Exception) -> tuple[str, str]:
    """Why, and the hint."""
    said = str(error)
    if _NO_CREDENTIALS.search(said):
        reason = "neither the environment nor the cloud's own chain has credentials for it"
    elif _NO_KEY in said:
        reason = "LANCEDB_API_KEY, its credentials, is not in the environment"
    elif found := _ANSWER.search(said):
        reason = f"it answers {found[1]}: {found[2]}"
    elif found := _SYSTEM.search(said):
        reason = found[1]
    else:
        reason = plain_reason(error)
    if _REFUSED.search(said):
        return reason, f"renew the credentials in the environment or the cloud's own chain; {_HERE}"
    if _BUSY.search(said):
        return reason, f"it is asked too much: try again later; {_HERE}"
    return reason, f"check the address, the network and the credentials; {_HERE}"
