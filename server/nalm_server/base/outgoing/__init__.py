# SPDX-License-Identifier: Apache-2.0
"""Calls to addresses that users enter: they reach the internet, never this server's own network.

All such calls use `client`; `require_allowed` checks an address before it is stored.
"""

from nalm_server.base.outgoing.allowed import Allowed, OutgoingRefusedError
from nalm_server.base.outgoing.service import client, require_allowed

__all__ = ["Allowed", "OutgoingRefusedError", "client", "require_allowed"]
