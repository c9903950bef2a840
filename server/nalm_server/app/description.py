# SPDX-License-Identifier: Apache-2.0
"""Additions to FastAPI's OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.constants import REF_TEMPLATE

from nalm_server.base.errors import ErrorAnswer


def described(app: FastAPI) -> dict[str, Any]:
    """Makes the token optional for reading a public project, for predictions of its models and for signing
    out, and describes errors that many requests share once, in components."""
    if app.openapi_schema is None:
        document = FastAPI.openapi(app)
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                reads = method == "get" or "/predictions/" in path
                if "security" in operation and (reads or operation["operationId"] == "sign_out"):
                    operation["security"] = [{}, *operation["security"]]
                _share_errors(operation["responses"], document["components"].setdefault("responses", {}))
        _add_error_schemas(document["components"])
    return FastAPI.openapi(app)


def _share_errors(responses: dict[str, Any], shared: dict[str, Any]) -> None:
    for status, response in responses.items():
        if status >= "4" and shared.setdefault(f"Error{status}", response) == response:
            responses[status] = {"$ref": f"#/components/responses/Error{status}"}


def _add_error_schemas(components: dict[str, Any]) -> None:
    error = ErrorAnswer.model_json_schema(ref_template=REF_TEMPLATE, mode="serialization")
    schemas = components.get("schemas", {}) | error.pop("$defs") | {ErrorAnswer.__name__: error}
    components["schemas"] = dict(sorted(schemas.items()))
