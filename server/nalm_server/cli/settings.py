# SPDX-License-Identifier: Apache-2.0
"""`nalm-server settings`."""

from __future__ import annotations

from nalm_server.base import settings_loading
from nalm_server.cli.common import State, out, settings_of


def settings_command(state: State = None) -> None:
    """Shows each setting with its source, secrets masked. Exit code 2: a setting is wrong.

    Example: NALM_CONFIG=/etc/nalm/nalm.env nalm-server settings
    """
    settings = settings_loading.effective(settings_of(state))
    width = max(len(one.variable) for one in settings)
    for one in settings:
        out.print(f"{one.variable:{width}}  {one.shown or '-'}  ({one.source})", markup=False)
