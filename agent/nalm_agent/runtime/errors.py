# SPDX-License-Identifier: Apache-2.0
"""Errors for people: what is wrong, where, and what to do next. Each has the command's exit code."""

from __future__ import annotations

import errno
from enum import IntEnum

from nalm_core.text.plain_text import plain


class ExitCode(IntEnum):
    """Exit codes of `nalm`, by which CI distinguishes a slow commit from a broken host."""

    OK = 0
    REGRESSION = 1
    USAGE = 2
    INCONCLUSIVE = 3
    NOT_MEASURED = 4


class NalmError(Exception):
    """Base of all errors that end a command. `hint` says what to do next; `log` has the last lines of output.
    All texts may quote foreign output, so control sequences are removed."""

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
    """SIGINT or SIGTERM. It passes handlers of Exception, and `finally` blocks undo the work in progress."""


class UsageError(NalmError):
    """A mistake in the command, nalm.toml or the repository; nothing was run."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A mistake in nalm.toml."""


class GitError(UsageError):
    """A revision or repository that git cannot find."""


class BuildError(NalmError):
    """A commit's build commands failed."""


class UnrepeatableError(BuildError):
    """A build failed for a reason that may not be the commit's; it is retried the next time."""


class NfError(NalmError):
    """The NF did not start, parked too late, ended early, or forwarded nothing."""


class SourceError(NalmError):
    """A source of counters failed; this says nothing about the commit."""


class HostError(NalmError):
    """The host cannot measure."""


class TooFewCpusError(HostError):
    """The host has fewer CPUs than a scenario's lcores and the agent take."""


class GeneratorError(NalmError):
    """A generator of load outside of the NF failed, refused, or is not trusted."""


class OutputError(HostError):
    """Standard output cannot be written."""


STANDARD_OUTPUT = "standard output"
"""File name in errors of standard output (shell.standard_output)."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a disk without space."""
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)


def refused_by_host(error: OSError) -> HostError | None:
    """The HostError for a full disk or a missing permission, wherever it occurs, and for standard output that
    cannot be written; None for other errors."""
    if isinstance(error, BrokenPipeError):
        return None
    if error.filename == STANDARD_OUTPUT:
        return OutputError(f"{STANDARD_OUTPUT} cannot be written: {error.strerror}")
    what = f"{error.filename or 'a file'}: {error.strerror}"
    if error.errno in FULL:
        return HostError(what, hint="free space with `nalm store --prune`, or set NALM_HOME to another disk")
    if error.errno in _NOT_OURS and error.filename is not None:
        return HostError(what, hint="check its owner; NALM_HOME sets where nalm keeps its files")
    return None


class ProbeError(NalmError):
    """A file is not a probe file, or has another version."""


class ServerError(NalmError):
    """The server answered with an error that persists on retries."""

    def __init__(
        self, message: str, *, hint: str | None = None, log: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, hint=hint, log=log)
        self.status = status
        """HTTP status."""

    @property
    def token_refused(self) -> bool:
        """True if the server refuses the agent, not its request."""
        return self.status in (401, 403)
