# SPDX-License-Identifier: Apache-2.0
"""nalm_agent: the bench agent and the command `nalm`."""

from functools import cache


@cache
def version() -> str:
    """Version of this package as installed."""
    from importlib.metadata import version as installed_version  # takes a third of the time of `nalm --help`

    return installed_version("nalm-agent")
