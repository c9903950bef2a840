# SPDX-License-Identifier: Apache-2.0
"""Remembers the address of `nalm-server up`, for links that other commands print."""

from __future__ import annotations

from contextlib import suppress

from nalm_server.base.settings import Settings

FILE = "address"


def remember(settings: Settings) -> None:
    (settings.state_dir / FILE).write_text(settings.address)


def remembered(settings: Settings) -> Settings:
    """The settings with the last address of `up`, unless they have one."""
    if settings.public_url is None:
        with suppress(OSError):
            address = (settings.state_dir / FILE).read_text()
            return settings.model_copy(update={"public_url": address})
    return settings
