# SPDX-License-Identifier: Apache-2.0
"""Serves the built page; all paths without a file serve its index, which routes in the browser."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from nalm_server.app.compact_answers import accepts
from nalm_server.app.error_handlers import allowed_methods
from nalm_server.base.errors import NotFoundError

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>nalm</title>
<h1>The page is not built</h1>
<p>The server and its API run. Build the page with <code>npm ci &amp;&amp; npm run build</code> in
<code>web/</code>, then load this again.</p></html>"""
IMMUTABLE = "public, max-age=31536000, immutable"
"""Files under assets/ have a hash of their content in the name."""
CODINGS = {"br": ".br", "gzip": ".gz"}
"""Content codings in which the build stores files, the smallest first, with the endings of their names."""


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
            return _sent(file, request, IMMUTABLE if path.startswith("assets/") else "no-cache")
        if path.startswith("assets/"):
            raise NotFoundError(f"There is no /{path}: load the page again, it may be newer.")
        index = root / "index.html"
        if not index.is_file():
            return HTMLResponse(NOT_BUILT, 503)
        return _sent(index, request, "no-cache")

    return router


def _sent(file: Path, request: Request, cached: str) -> Response:
    """The file, or what the build compressed it to, in the best coding that the client accepts."""
    headers = {"Cache-Control": cached, "Vary": "Accept-Encoding"}
    accepted = request.headers.get("accept-encoding", "")
    for coding, ending in CODINGS.items():
        packed = file.with_name(file.name + ending)
        if accepts(accepted, coding) and packed.is_file():
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            return FileResponse(packed, headers={**headers, "Content-Encoding": coding}, media_type=kind)
    return FileResponse(file, headers=headers)


def _inside(root: Path, path: str) -> Path | None:
    """The file; None if it does not exist or is outside."""
    if "\0" in path:
        return None
    try:
        file = (root / path).resolve()
        return file if file.is_file() and file.is_relative_to(root) else None
    except OSError:  # the name is too long for the file system
        return None
