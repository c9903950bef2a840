# SPDX-License-Identifier: Apache-2.0
"""The network of builds that request one ([build] network), as far as this host grants it."""

from __future__ import annotations

import os
import shutil
from enum import StrEnum

from nalm_agent.runtime.errors import ConfigError, HostError

NETWORK = "NALM_BUILD_NETWORK"
"""Environment variable: a `Network`."""


class Network(StrEnum):
    """What builds that request a network get."""

    NO = "no"
    """Such builds are refused. The default."""
    OUTSIDE = "outside"
    """A separate network through pasta(1): all that this host reaches, except its loopback addresses and
    abstract sockets."""
    HOST = "host"
    """This host's network, including its loopback addresses and abstract sockets."""


def granted() -> Network:
    """The grant of the environment. Raises HostError for an unknown word."""
    word = os.environ.get(NETWORK, Network.NO)
    try:
        return Network(word)
    except ValueError as error:
        raise HostError(f"{NETWORK}={word} is not known", hint=f"set it to {', '.join(Network)}") from error


def require_granted() -> None:
    """Checks a build that requests the network. Raises ConfigError if this host grants none, HostError if it
    cannot provide what it grants.
    """
    grant = granted()
    if grant is Network.NO:
        raise ConfigError(
            "[build] network = true in nalm.toml requests the network, which this host grants to no build",
            hint="keep what the build fetches in the repository or on the host (NALM_BUILD_READ), or have "
            f"the host's operator set {NETWORK}; docs/hosts.md describes its values",
        )
    if grant is Network.OUTSIDE and shutil.which("pasta") is None:
        raise HostError(
            f"{NETWORK}=outside needs pasta, which is not installed",
            hint="apt-get install passt",
        )


def network_prefix(grant: Network) -> list[str]:
    """Prefix that gives a command the granted network."""
    if grant is not Network.OUTSIDE:
        return []
    closed = [word for option in ("-t", "-u", "-T", "-U") for word in (option, "none")]
    return ["pasta", "--config-net", "--no-map-gw", *closed, "--foreground", "--quiet", "--"]
