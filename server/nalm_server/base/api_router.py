# SPDX-License-Identifier: Apache-2.0
"""Routers of the API. Their routes have whole addresses, so that the application lists the routes themselves:
FastAPI searches an included router several times per request."""

from __future__ import annotations

from fastapi import APIRouter

PREFIX = "/api/v1"


def api_router(tag: str, prefix: str = "") -> APIRouter:
    """A router for endpoints under /api/v1 and the prefix, listed in the documents under the tag."""
    return APIRouter(prefix=PREFIX + prefix, tags=[tag], generate_unique_id_function=lambda route: route.name)
