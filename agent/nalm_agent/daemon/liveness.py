# SPDX-License-Identifier: Apache-2.0
"""The sign of life of `nalm agent`: a file that the agent touches regularly."""

from __future__ import annotations

import time

from nalm_agent.runtime.errors import HostError, NalmError
from nalm_agent.store.home import Home

SIGN = "agent.alive"
LONGEST_SECONDS = 300.0
"""Age at which the sign is too old. An agent touches it every minute or half minute."""


class SilentError(NalmError):
    """No agent works on this host."""


def sign(home: Home) -> None:
    """Touches the file. A full disk raises no error."""
    try:
        (home.folder(".") / SIGN).touch()
    except (OSError, HostError):
        return


def require_sign(home: Home) -> float:
    """Seconds since the last sign of life. Raises SilentError if it is too old or missing."""
    path = home.root / SIGN
    try:
        silent_seconds = max(0.0, time.time() - path.stat().st_mtime)
    except FileNotFoundError as error:
        raise SilentError(
            f"no agent has served from {home.root}",
            hint="`nalm agent` starts one; NALM_HOME chooses the place",
        ) from error
    if silent_seconds > LONGEST_SECONDS:
        raise SilentError(
            f"the agent of {home.root} has been silent for {silent_seconds:.0f} s",
            hint="its log has the reason; start `nalm agent` again",
        )
    return silent_seconds
