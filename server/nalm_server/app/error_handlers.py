# SPDX-License-Identifier: Apache-2.0
"""Turns exceptions into answers of one shape, each with its request's id."""

from __future__ import annotations

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from nalm_core.text.mistakes import message_of
from sqlalchemy.exc import DataError, DBAPIError, OperationalError, TimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from nalm_server.base.errors import (
    BadRequestError,
    BusyError,
    ErrorDetail,
    InvalidError,
    NalmError,
    NotFoundError,
)
from nalm_server.base.refusals import as_response

log = structlog.get_logger()

MOST_DETAILS = 50
HTTP_NAMES = {404: "not_found", 405: "method_not_allowed"}


def request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


def of_error(request: Request, error: NalmError) -> JSONResponse:
    return as_response(error, request_id(request))


def allowed_methods(request: Request) -> str:
    """All methods of the path: each has a route of its own, and the router names only the first."""
    path = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    return ", ".join(
        sorted(
            method
            for route in request.app.routes
            if isinstance(route, APIRoute) and route.include_in_schema and route.path_regex.match(path)
            for method in route.methods or ()
        )
    )


def add_handlers(app: FastAPI) -> None:
    @app.exception_handler(NalmError)
    async def nalm_error(request: Request, error: NalmError) -> JSONResponse:
        return of_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
        details = [
            ErrorDetail(path=".".join(str(part) for part in one["loc"]), message=message_of(one))
            for one in error.errors()[:MOST_DETAILS]
        ]
        if any(one["type"] == "json_invalid" for one in error.errors()):
            return of_error(request, BadRequestError("The body is not JSON.", details))
        return of_error(request, InvalidError("The request is not valid.", details))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        allowed = allowed_methods(request) if error.status_code == 405 else ""
        if error.status_code == 405 and not allowed and request.url.path.startswith("/api/"):
            return of_error(request, NotFoundError(f"There is no {request.url.path} in the API."))
        if isinstance(error.__cause__, NalmError):  # raised while FastAPI read the body
            return of_error(request, error.__cause__)
        refused = NalmError(f"{error.detail}: {request.method} {request.url.path}")
        refused.status = error.status_code
        refused.name = HTTP_NAMES.get(error.status_code, "bad_request")
        response = of_error(request, refused)
        response.headers.update(error.headers or {})
        if allowed:
            response.headers["Allow"] = allowed
        return response

    @app.exception_handler(DBAPIError)
    async def database_error(request: Request, error: DBAPIError) -> JSONResponse:
        if isinstance(error, DataError):
            return of_error(request, InvalidError("A value is too large or too long to be stored."))
        log.error("database", error=str(error.orig), request_id=request_id(request))
        if isinstance(error, OperationalError):
            return of_error(
                request, BusyError("The database is busy, full or away. Nothing was stored; try again.")
            )
        return of_error(request, NalmError("The database rejected the request; the server's log says why."))

    @app.exception_handler(TimeoutError)
    async def no_connection(request: Request, error: TimeoutError) -> JSONResponse:
        log.error("no connection to the database is free", request_id=request_id(request))
        return of_error(
            request, BusyError("The database has no free connection. Nothing was stored; try again.")
        )

    @app.exception_handler(ClientDisconnect)
    async def client_left(request: Request, error: ClientDisconnect) -> JSONResponse:
        """Nobody receives this answer; the log has the request with its status."""
        return of_error(request, BadRequestError("The client left before its body was complete."))

    @app.exception_handler(Exception)
    async def other_error(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected", exc_info=error, request_id=request_id(request))
        return of_error(request, NalmError("The server failed; its log has the error under this request id."))
