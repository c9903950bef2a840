# SPDX-License-Identifier: Apache-2.0
"""Prints the OpenAPI document: `python -m nalm_server.app.openapi > server/openapi.json`."""

from __future__ import annotations

import json
import sys

from nalm_server.app.application import make_app


def document() -> str:
    """The document as committed: keys in the order of the code, one line feed at the end."""
    return json.dumps(make_app(None).openapi(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
