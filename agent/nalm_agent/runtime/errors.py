# SPDX-License-Identifier: Apache-2.0
"""Errors a person reads: what is wrong, where, and what to do next. Each carries the command's exit code."""

from __future__ import annotations

import errno
from enum import IntEnum

from nalm_core.text.plain_text import plain


class ExitCode(IntEnum):
    """What `nalm` returns, so that CI can tell a slow commit from a broken host."""

    OK = 0
    REGRESSION = 1
    USAGE = 2
    INCONCLUSIVE = 3
    NOT_MEASURED = 4


class NalmError(Exception):
    """Base of every error that ends a command. `hint` says what to do next; `log` is the last lines seen.
    Each may quote what others wrote, and is made plain."""

    exit_code = ExitCode.NOT_MEASURED

    def __init__(self, message: str, *, hint: str | None = None, log: str | None = None) -> None:
        self.message = plain(message)
        super().__init__(self.message)
        self.hint = None if hint is None else plain(hint)
        self.log = None if log is None else plain(log)

    def full_text(self) -> str:
        """Message, log and hint as one text, for a report's `failure`."""
        parts = [self.message]
        if self.log:
            parts.append(self.log.rstrip())
        if self.hint:
            parts.append(self.hint)
        return "\n".join(parts)


class StoppedError(BaseException):
    """SIGINT or SIGTERM: passes every handler of errors, and undoes what is under way."""


class UsageError(NalmError):
    """The command, nalm.toml or the repository is not what it should be; nothing was run."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A mistake in nalm.toml."""


class GitError(UsageError):
    """A revision or repository that git does not know."""


class BuildError(NalmError):
    """A commit's build commands failed."""


class NfError(NalmError):
    """The NF did not start, parked too late, died, or forwarded nothing."""


class SourceError(NalmError):
    """A counter source that should work did not: says nothing about the commit."""


class HostError(NalmError):
    """The host cannot measure."""


_FULL = (errno.ENOSPC, errno.EDQUOT)
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)


def refused_by_host(error: OSError) -> HostError | None:
    """What a full disk and a missing permission to a file mean, wherever they came in the way; None for
    others."""
    what = f"{error.filename or 'a file'}: {error.strerror}"
    if error.errno in _FULL:
        return HostError(what, hint="make room: `nalm store --prune`, or NALM_HOME on another disk")
    if error.errno in _NOT_OURS and error.filename is not None:
        return HostError(what, hint="see whose it is; NALM_HOME says where nalm keeps its own files")
    return None


class ProbeError(NalmError):
    """A probe file that is not one, or of another version."""


class ServerError(NalmError):
    """The server answered with an error that trying again does not cure."""

    def __init__(
        self, message: str, *, hint: str | None = None, log: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, hint=hint, log=log)
        self.status = status
        """Of HTTP."""

    @property
    def token_refused(self) -> bool:
        """It is the agent that is refused, not what it sent."""
        return self.status in (401, 403)
