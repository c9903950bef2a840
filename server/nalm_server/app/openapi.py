# SPDX-License-Identifier: Apache-2.0
"""Prints the OpenAPI document: `python -m nalm_server.app.openapi > server/openapi.json`."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

from nalm_server.app.application import make_app


@cache
def description() -> dict[str, Any]:
    """All paths and schemas."""
    return make_app(None).openapi()


def document() -> str:
    """The document as committed: keys in the order of the code, one line feed at the end."""
    return json.dumps(description(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
