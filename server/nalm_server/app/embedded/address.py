# SPDX-License-Identifier: Apache-2.0
"""Where `nalm-server up` serves, kept for the commands beside it: what they print leads there."""

from __future__ import annotations

from contextlib import suppress

from nalm_server.base.settings import Settings

FILE = "address"


def remember(settings: Settings) -> None:
    (settings.state_dir / FILE).write_text(settings.address)


def remembered(settings: Settings) -> Settings:
    """With the address that `up` served at last, unless the settings have one."""
    if settings.public_url is None:
        with suppress(OSError):
            address = (settings.state_dir / FILE).read_text()
            return settings.model_copy(update={"public_url": address})
    return settings
