# SPDX-License-Identifier: Apache-2.0
"""What the OpenAPI document says besides what FastAPI derives."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI


def described(app: FastAPI) -> dict[str, Any]:
    """Reading a public project and signing out need no sign-in: the token is optional there."""
    if app.openapi_schema is None:
        document = FastAPI.openapi(app)
        for operations in document["paths"].values():
            for method, operation in operations.items():
                if "security" in operation and (method == "get" or operation["operationId"] == "sign_out"):
                    operation["security"] = [{}, *operation["security"]]
    return FastAPI.openapi(app)
