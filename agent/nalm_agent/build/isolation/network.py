# SPDX-License-Identifier: Apache-2.0
"""The network of builds that ask for one ([build] network): this host grants it, or none."""

from __future__ import annotations

import os
import shutil
from enum import StrEnum

from nalm_agent.runtime.errors import ConfigError, HostError

NETWORK = "NALM_BUILD_NETWORK"
"""Environment variable: a `Network`."""


class Network(StrEnum):
    """What builds that ask for a network get."""

    NO = "no"
    """They are refused. The default."""
    OUTSIDE = "outside"
    """A network of their own, through pasta(1): whatever this host reaches, but not its loopback addresses
    and abstract sockets."""
    HOST = "host"
    """This host's own: its loopback addresses and abstract sockets, too."""


def granted() -> Network:
    """What the environment says. Raises HostError for a word that is none of a Network's."""
    word = os.environ.get(NETWORK, Network.NO)
    try:
        return Network(word)
    except ValueError as error:
        raise HostError(f"{NETWORK}={word} is not known", hint=f"set it to {', '.join(Network)}") from error


def require_granted() -> None:
    """For a build that asks for the network. Raises ConfigError if this host grants none, HostError if it
    cannot give what it grants.
    """
    grant = granted()
    if grant is Network.NO:
        raise ConfigError(
            "[build] network = true in nalm.toml asks for the network, and this host grants it to no build",
            hint="keep what the build fetches in the repository or on the host (NALM_BUILD_READ), or have "
            f"the host's operator set {NETWORK}; docs/hosts.md says what each value lets a build reach",
        )
    if grant is Network.OUTSIDE and shutil.which("pasta") is None:
        raise HostError(
            f"{NETWORK}=outside needs pasta, which is not installed",
            hint="apt-get install passt",
        )


def network_prefix(grant: Network) -> list[str]:
    """Command that gives its successor the granted network."""
    if grant is not Network.OUTSIDE:
        return []
    closed = [word for option in ("-t", "-u", "-T", "-U") for word in (option, "none")]
    return ["pasta", "--config-net", "--no-map-gw", *closed, "--foreground", "--quiet", "--"]
