# SPDX-License-Identifier: Apache-2.0
"""Calls to addresses that somebody entered: they reach the world, never this server's own network.

Whatever calls such an address does it through `client`, and asks `require_allowed` before it is stored.
"""

from nalm_server.base.outgoing.allowed import Allowed, OutgoingRefusedError
from nalm_server.base.outgoing.service import client, require_allowed

__all__ = ["Allowed", "OutgoingRefusedError", "client", "require_allowed"]
