# SPDX-License-Identifier: Apache-2.0
"""What outgoing calls may reach: public addresses, and the operator's NALM_OUTGOING_ALLOW."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Self

from nalm_server.base.errors import NalmError
from nalm_server.base.outgoing.addresses import Address, is_world

HOST = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")


class OutgoingRefusedError(NalmError):
    """An address that this server does not call."""

    status = 422
    name = "outgoing_refused"


@dataclass(frozen=True)
class Allowed:
    """Internal hosts and networks that may be called."""

    hosts: tuple[str, ...] = ()
    """Names in lower case; `*.example.org` matches every name below example.org."""
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses a list with commas. Raises ValueError for a part that is neither a host nor a network."""
        hosts: list[str] = []
        networks: list[IPv4Network | IPv6Network] = []
        for part in filter(None, (one.strip().lower() for one in text.split(","))):
            try:
                networks.append(ip_network(part))
            except ValueError as error:
                if "/" in part or not HOST.fullmatch(part):
                    raise ValueError(
                        f"{part!r} is neither a host name, an address nor a network such as 10.0.0.0/8"
                    ) from error
                hosts.append(part)
        return cls(tuple(hosts), tuple(networks))

    def host(self, name: str) -> bool:
        """True if the operator named this host."""
        name = name.lower().rstrip(".")
        return any(
            name.endswith(one[1:]) if one.startswith("*.") else name == one.rstrip(".") for one in self.hosts
        )

    def address(self, address: Address) -> bool:
        """True if the address is public or in a network that the operator named."""
        mapped = getattr(address, "ipv4_mapped", None) or address
        return is_world(address) or any(mapped in network for network in self.networks)

    def choose(self, host: str, found: Sequence[Address]) -> list[Address]:
        """A host's addresses that may be called. Raises OutgoingRefusedError if there is none."""
        chosen = [one for one in found if self.host(host) or self.address(one)]
        if not chosen:
            raise OutgoingRefusedError(
                f"{host} is on this server's own network, which the server does not call for its users: "
                f"an operator can add it to NALM_OUTGOING_ALLOW."
            )
        return chosen
