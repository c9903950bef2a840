# SPDX-License-Identifier: Apache-2.0
"""Errors as answers of one shape, even before a request has reached its route."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from nalm_server.base.errors import ErrorAnswer, ErrorBody, NalmError


def as_response(error: NalmError, request_id: str) -> JSONResponse:
    body = ErrorBody(name=error.name, message=error.message, request_id=request_id, details=error.details)
    return JSONResponse(ErrorAnswer(error=body).model_dump(mode="json"), error.status, error.headers)


async def refuse(scope: Scope, receive: Receive, send: Send, error: NalmError) -> None:
    """Answers instead of the route. Closes a connection whose request has a body: nobody reads that body."""
    response = as_response(error, scope["state"]["request_id"])
    headers = Headers(scope=scope)
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        response.headers["Connection"] = "close"
    await response(scope, receive, send)
