# SPDX-License-Identifier: Apache-2.0
"""nalm_agent: the bench agent and the command `nalm`."""

from functools import cache
from importlib.metadata import version as _installed_version


@cache
def version() -> str:
    """Version of this package as installed."""
    return _installed_version("nalm-agent")
