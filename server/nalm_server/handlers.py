# SPDX-License-Identifier: Apache-2.0
"""Turns exceptions into answers of one shape, each with its request's id."""

from __future__ import annotations

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, DBAPIError, OperationalError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from nalm_server.errors import (
    BadRequestError,
    BusyError,
    ErrorAnswer,
    ErrorBody,
    ErrorDetail,
    InvalidError,
    NalmError,
    NotFoundError,
    TooManyError,
)

log = structlog.get_logger()

HTTP_NAMES = {404: "not_found", 405: "method_not_allowed"}


def answer(request: Request, status: int, body: ErrorBody) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(ErrorAnswer(error=body).model_dump(mode="json"), status, headers)


def request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


def of_error(request: Request, error: NalmError) -> JSONResponse:
    body = ErrorBody(
        name=error.name, message=error.message, request_id=request_id(request), details=error.details
    )
    response = answer(request, error.status, body)
    if isinstance(error, TooManyError):
        response.headers["Retry-After"] = str(error.retry_after_seconds)
    return response


def allowed_methods(request: Request) -> str:
    """All methods of the path: each has a route of its own, and the router names only the first one's."""
    path = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    return ", ".join(
        sorted(
            method.upper()
            for template, operations in request.app.openapi()["paths"].items()
            if compile_path(template)[0].match(path)
            for method in operations
        )
    )


def add_handlers(app: FastAPI) -> None:
    @app.exception_handler(NalmError)
    async def nalm_error(request: Request, error: NalmError) -> JSONResponse:
        return of_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
        details = [
            ErrorDetail(path=".".join(str(part) for part in one["loc"]), message=one["msg"])
            for one in error.errors()
        ]
        if any(one["type"] == "json_invalid" for one in error.errors()):
            return of_error(request, BadRequestError("The body is not JSON.", details))
        return of_error(request, InvalidError("The request is not valid.", details))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        allowed = allowed_methods(request) if error.status_code == 405 else ""
        if error.status_code == 405 and not allowed and request.url.path.startswith("/api/"):
            return of_error(request, NotFoundError(f"There is no {request.url.path} in the API."))
        name = HTTP_NAMES.get(error.status_code, "bad_request")
        message = f"{error.detail}: {request.method} {request.url.path}"
        response = answer(
            request, error.status_code, ErrorBody(name=name, message=message, request_id=request_id(request))
        )
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
        return of_error(request, NalmError("The database refused; the server's log says why."))

    @app.exception_handler(Exception)
    async def other_error(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected", exc_info=error, request_id=request_id(request))
        return of_error(request, NalmError("An error of the server; its log has it under this request id."))
