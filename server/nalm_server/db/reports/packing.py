# SPDX-License-Identifier: Apache-2.0
"""A report as it is stored: zlib of its canonical JSON, under the SHA-256 of that JSON."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

LEVEL = 6


@dataclass(frozen=True)
class Packed:
    digest: str
    """SHA-256 of the JSON, hexadecimal."""
    compressed: bytes
    json_bytes: int


def pack(canonical: bytes) -> Packed:
    """canonical: nalm_core.report.serialization.dump_report's."""
    return Packed(hashlib.sha256(canonical).hexdigest(), zlib.compress(canonical, LEVEL), len(canonical))


def unpack(digest: str, compressed: bytes) -> bytes:
    """The JSON. Raises ValueError unless it matches the digest."""
    try:
        canonical = zlib.decompress(compressed)
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from error
    if hashlib.sha256(canonical).hexdigest() != digest:
        raise ValueError("damaged: its content has another SHA-256")
    return canonical
