# SPDX-License-Identifier: Apache-2.0
"""Reads a request's body within a limit, and decompresses gzip within the same limit."""

from __future__ import annotations

import zlib

from fastapi import Request

from nalm_server.base.errors import BadRequestError, TooLargeError, UnsupportedEncodingError


async def read_body(request: Request, limit_bytes: int) -> bytes:
    """The whole body. Raises TooLargeError above the limit, before or after decompression."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip"):
        raise UnsupportedEncodingError(f"Content-Encoding {encoding!r} is not supported: use gzip, or none.")
    inflate = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
    body = bytearray()
    async for chunk in request.stream():
        if inflate is None:
            body += chunk
        else:
            before = len(body)
            try:
                body += inflate.decompress(chunk, limit_bytes + 1 - before)
            except zlib.error as error:
                raise BadRequestError(
                    "The body is not valid gzip, though Content-Encoding is gzip."
                ) from error
            request.state.held.add(len(body) - before)
        if len(body) > limit_bytes or (inflate is not None and inflate.unconsumed_tail):
            raise TooLargeError(f"The body is larger than the {limit_bytes} bytes this server accepts.")
    if inflate is not None and not inflate.eof:
        raise BadRequestError("The gzip body ends too early.")
    return bytes(body)
