# SPDX-License-Identifier: Apache-2.0
"""Stamps of other processes of this boot and PID namespace."""

from __future__ import annotations

import secrets

from nalm_agent.store.process_stamp import stamp


def stamp_of_another(pid: int) -> str:
    """A new name of a process that started in the first clock tick: none that runs."""
    name, _, _, place, _ = stamp().split("-")
    return f"{name}-{pid}-1-{place}-{secrets.token_hex(4)}"
