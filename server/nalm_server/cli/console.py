# SPDX-License-Identifier: Apache-2.0
"""The console of every command. It never interprets control sequences in foreign text."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.text.plain_text import marked
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment


class PlainConsole(Console):
    """Rich's console, which emits only its own control sequences."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=marked(segment.text))
