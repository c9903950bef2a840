# SPDX-License-Identifier: Apache-2.0
"""Errors of the commit graph."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_server.base.errors import BusyError, NotFoundError


class GraphError(BusyError):
    """The repository could not be read; a retry may help."""

    name = "repository_unreachable"

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        """git's exit code. None: it was killed."""


class AddressError(GraphError):
    """The server does not read this repository until its address is changed."""

    status = 422
    name = "repository_address"
    headers: Mapping[str, str] = {}


class UnknownRevisionError(NotFoundError):
    """The repository does not have the commit, or not yet."""

    name = "unknown_revision"


class NotOfACommitError(UnknownRevisionError):
    """The repository has the reference, but of a file or directory: no retry helps."""
