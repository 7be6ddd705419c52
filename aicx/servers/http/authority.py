"""The name in a Host or an Origin header, taken apart by the grammar of RFC 3986 and RFC 6454."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::([0-9]{0,5}))?", re.ASCII)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_HIGHEST_PORT = 65535


def host_of(authority: str) -> str | None:
    """The name in ``name:port``, in small letters, an IPv6 address in brackets and in its shortest form.

    None for anything else, such as a name after userinfo. A trailing dot is part of the name.
    """
    found = _AUTHORITY.fullmatch(authority)
    if found is None or int(found[3] or 0) > _HIGHEST_PORT:
        return None
    if found[2]:
        return found[2].lower()
    try:
        return f"[{IPv6Address(found[1]).compressed}]"
    except AddressValueError:
        return None


def host_of_origin(origin: str) -> str | None:
    """The name in an origin of a web page; None for ``null``, for another scheme, and for more than an origin."""
    scheme = _SCHEME.match(origin)
    return host_of(origin[scheme.end() :]) if scheme else None
