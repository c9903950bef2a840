# SPDX-License-Identifier: Apache-2.0
"""The sign of life of `nalm agent`: a file whose time says when the agent last came by."""

from __future__ import annotations

import time

from nalm_agent.runtime.errors import HostError, NalmError
from nalm_agent.store.home import Home

SIGN = "agent.alive"
LONGEST_SECONDS = 300.0
"""An agent comes by each minute while it measures and each half minute while it waits."""


class SilentError(NalmError):
    """No agent works on this host."""


def sign(home: Home) -> None:
    """Says that the agent works. A full disk does not end the agent here."""
    try:
        (home.folder(".") / SIGN).touch()
    except (OSError, HostError):
        return


def require_sign(home: Home) -> float:
    """Seconds since the last sign of life. Raises SilentError when it is too old, or there is none."""
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
            hint="its log says why; start `nalm agent` again",
        )
    return silent_seconds
