# SPDX-License-Identifier: Apache-2.0
"""Which agents this server works with. Servers are updated first, agents then."""

from __future__ import annotations

from nalm_server.errors import UpgradeRequiredError

API = 1
OLDEST_API = 1


def require_known(api: int, version: str | None) -> None:
    """Raises UpgradeRequiredError for an agent this server cannot work with."""
    if api < OLDEST_API:
        raise UpgradeRequiredError(
            f"This agent ({version or 'of no known version'}) speaks version {api} of the agents' API; this "
            f"server needs {OLDEST_API} to {API}: install the nalm-agent of the server's version."
        )
    if api > API:
        raise UpgradeRequiredError(
            f"This agent ({version or 'of no known version'}) speaks version {api} of the agents' API; this "
            f"server knows up to {API}: update the server first, or install the nalm-agent of its version."
        )
