# SPDX-License-Identifier: Apache-2.0
"""Long answers, written as JSON at once: FastAPI would check each of their thousands of parts again."""

from __future__ import annotations

from fastapi import Response
from pydantic import BaseModel


def as_json(model: BaseModel) -> Response:
    """For a route that names the model as its `response_model`."""
    return Response(model.model_dump_json(), media_type="application/json")
