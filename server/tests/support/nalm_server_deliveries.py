# SPDX-License-Identifier: Apache-2.0
"""Recorded deliveries of GitHub, and a worker that is killed."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"


class KilledError(BaseException):
    """What no handler catches, as nothing follows a kill -9."""


def payload(name: str) -> bytes:
    return (FIXTURES / f"github_{name}.json").read_bytes()
