"""Addresses of models as people are shown them, and why one cannot be reached."""

from __future__ import annotations

import re

_KEY = re.compile(r"(?<=//)[^/\s]+@")  # a password may have an @ in it, too


def shown(address: str) -> str:
    """Return an address without a password in it, which would stand in logs, archives and recordings."""
    return _KEY.sub("...@", address)


def why_unreached(error: BaseException) -> str:
    """Return a sentence about what an attempt to connect says of the address, or an empty string."""
    said = f"{error} {error.__context__} {error.__cause__}"
    if "SSL" in said or "CERTIFICATE" in said:
        return " It does not speak TLS as https:// wants, or its certificate is not known."
    if re.search(r"Name or service not known|nodename nor servname|name resolution|getaddrinfo", said):
        return " Its name is not known here."
    return ""
