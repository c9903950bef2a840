# SPDX-License-Identifier: Apache-2.0
"""The page after sign-in: always one of this server, for any request."""

from __future__ import annotations

import re

HOME = "/"
PATH = re.compile(r"/(?![/\\\\])[\x21-\x5b\x5d-\x7e]*")
"""One slash, so that no host follows; nothing that browsers drop (white space) or read as a slash (`\\`)."""
SIGN_IN = "/sign-in"


def local_path(address: str | None) -> str:
    """`address` if it is a path of this server, with its query; else `/`."""
    if address is None or not PATH.fullmatch(address) or address.startswith((SIGN_IN, "/api/")):
        return HOME
    return address
