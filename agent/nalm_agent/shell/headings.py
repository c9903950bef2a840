# SPDX-License-Identifier: Apache-2.0
"""Under which heading `nalm --help` lists each command, in the order in which a newcomer meets them."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperOption

GROUPS: dict[str, tuple[str, ...]] = {
    "Beginning": ("init", "doctor"),
    "Judging a change": ("check", "watch", "bench", "hook"),
    "Where a change lies": ("explain", "compare", "bisect", "history", "detect"),
    "A running NF": ("top", "gdb"),
    "Rates and variants": ("rate", "soak", "experiment"),
    "Reports, builds and servers": ("show", "submit", "log", "store", "agent", "man"),
}


def show_no_type_of_flags() -> None:
    """Typer writes `<bool>` after an option that takes no value."""
    told = TyperOption.display_type_rich

    def display_type_rich(option: TyperOption, ctx: Any) -> str | None:
        return None if option.is_flag else told(option, ctx=ctx)

    TyperOption.display_type_rich = display_type_rich  # type: ignore[method-assign, assignment]


def group_commands(app: typer.Typer) -> None:
    """Puts every command of `nalm` below its heading."""
    places = [(name, heading) for heading, names in GROUPS.items() for name in names]
    order = {name: place for place, (name, _) in enumerate(places)}
    headings = dict(places)
    for command in app.registered_commands:
        command.name = command.name or str(getattr(command.callback, "__name__", None))
        command.rich_help_panel = headings[command.name]
    for group in app.registered_groups:
        group.rich_help_panel = headings[str(group.name)]
    app.registered_commands.sort(key=lambda one: order[str(one.name)])
