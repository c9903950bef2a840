# SPDX-License-Identifier: Apache-2.0
"""Long answers serialised directly: FastAPI would validate each of their thousands of parts again."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from pydantic_core import to_json


def as_json(answer: Any) -> Response:
    """For a route with the answer's shape as its `response_model`."""
    return json_bytes(to_json(answer))


def json_bytes(answer: bytes) -> Response:
    """The same for an answer that is serialised already."""
    return Response(answer, media_type="application/json")
