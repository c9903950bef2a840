# SPDX-License-Identifier: Apache-2.0
"""Serves the built page; all paths without a file serve its index, which routes in the browser."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from nalm_server.app.error_handlers import allowed_methods
from nalm_server.base.errors import NotFoundError

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>nalm</title>
<h1>The page is not built</h1>
<p>The server and its API run. Build the page with <code>npm ci &amp;&amp; npm run build</code> in
<code>web/</code>, then load this again.</p></html>"""
IMMUTABLE = "public, max-age=31536000, immutable"
"""Files under assets/ have a hash of their content in the name."""


def page_router(static_dir: Path) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    root = static_dir.resolve()

    @router.get("/{path:path}")
    def page(path: str, request: Request) -> Response:
        if path == "api" or path.startswith("api/"):
            if allowed_methods(request):
                raise HTTPException(405)
            raise NotFoundError(f"There is no /{path} in the API: /api/v1/openapi.json lists the paths.")
        file = _inside(root, path)
        if file is not None:
            cached = IMMUTABLE if path.startswith("assets/") else "no-cache"
            return FileResponse(file, headers={"Cache-Control": cached})
        if path.startswith("assets/"):
            raise NotFoundError(f"There is no /{path}: load the page again, it may be newer.")
        index = root / "index.html"
        if not index.is_file():
            return HTMLResponse(NOT_BUILT, 503)
        return FileResponse(index, headers={"Cache-Control": "no-cache"})

    return router


def _inside(root: Path, path: str) -> Path | None:
    """The file; None if it does not exist or is outside."""
    if "\0" in path:
        return None
    try:
        file = (root / path).resolve()
        return file if file.is_file() and file.is_relative_to(root) else None
    except OSError:  # the name is too long for the file system
        return None
