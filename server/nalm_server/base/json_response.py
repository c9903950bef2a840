# SPDX-License-Identifier: Apache-2.0
"""Long answers, written as JSON at once: FastAPI would check each of their thousands of parts again."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from pydantic_core import to_json


def as_json(answer: Any) -> Response:
    """For a route that names the answer's shape as its `response_model`."""
    return Response(to_json(answer), media_type="application/json")
