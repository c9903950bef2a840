# SPDX-License-Identifier: Apache-2.0
"""Why the graph could not answer."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_server.base.errors import BusyError, NotFoundError


class GraphError(BusyError):
    """The repository could not be read now; later it may."""

    name = "repository_unreachable"

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        """git's. None: it did not end by itself."""


class AddressError(GraphError):
    """This server does not read that repository, now or later: its address must be changed first."""

    status = 422
    name = "repository_address"
    headers: Mapping[str, str] = {}


class UnknownRevisionError(NotFoundError):
    """The repository has no such commit, or not yet."""

    name = "unknown_revision"
