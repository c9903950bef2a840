# SPDX-License-Identifier: Apache-2.0
"""The console of every command. It shows control sequences of foreign text instead of obeying them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from nalm_core.text.plain_text import marked
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment


class PlainConsole(Console):
    """Rich's console, which emits no control sequences but its own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=marked(segment.text))

    def on_broken_pipe(self) -> None:
        """The reader closed it. Rich would end the program, whose results may also be wanted elsewhere."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
