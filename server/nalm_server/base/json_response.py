# SPDX-License-Identifier: Apache-2.0
"""Long answers serialised directly: FastAPI would validate each of their thousands of parts again."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from pydantic_core import to_json


def as_json(answer: Any) -> Response:
    """For a route with the answer's shape as its `response_model`."""
    return Response(to_json(answer), media_type="application/json")
