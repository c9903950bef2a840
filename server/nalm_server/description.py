# SPDX-License-Identifier: Apache-2.0
"""What the OpenAPI document says besides what FastAPI derives."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI


def described(app: FastAPI) -> dict[str, Any]:
    """Reading needs no sign-in where a project is public: the token is optional there."""
    if app.openapi_schema is None:
        document = FastAPI.openapi(app)
        for operations in document["paths"].values():
            reading = operations.get("get", {})
            if "security" in reading:
                reading["security"] = [{}, *reading["security"]]
    return FastAPI.openapi(app)
