# SPDX-License-Identifier: Apache-2.0
"""Which versions of agents this server supports. Servers are upgraded before agents."""

from __future__ import annotations

from nalm_server.base.errors import UpgradeRequiredError

API = 1
OLDEST_API = 1


def why_unfit(api: int, version: str | None) -> str | None:
    """Why this server does not support an agent, and what to do; None if it does."""
    said = f"agent ({version or 'of unknown version'}) uses version {api} of the agents' API; this server"
    if api < OLDEST_API:
        return f"{said} needs {OLDEST_API} to {API}: install the nalm-agent of the server's version"
    if api > API:
        return f"{said} supports up to {API}: update the server, or install the nalm-agent of its version"
    return None


def require_fit(why: str | None) -> None:
    """Raises UpgradeRequiredError if `why_unfit` gave a reason."""
    if why is not None:
        raise UpgradeRequiredError(f"This {why}.")
