# SPDX-License-Identifier: Apache-2.0
"""Compares pictures coarsely, by the mean colour of small squares.

A test that compares every pixel fails with each update of a font or a browser, and people then accept it
unread. A test should detect a missing panel, an empty chart, a changed colour, a moved column: all of these
change the mean colour of squares of CELL pixels; smoother edges of letters do not.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

SHRINK = 2
"""Pictures are stored at this fraction of their size."""
CELL = 16
"""Side of a square, in pixels of the page."""
SEEN = 12
"""Difference of a mean colour, of 255, that counts."""
TOLERATED = 0.002
"""Share of the squares that may differ."""
COLOURS = 256
"""Of a stored picture."""


@dataclass(frozen=True)
class Difference:
    """Between a stored picture and one taken now."""

    share: float
    """Of squares that differ, 0 to 1; those that only one of the two has differ."""
    marked: Image.Image
    """The new picture, pale except for squares that differ."""

    @property
    def same(self) -> bool:
        return self.share <= TOLERATED


def taken(png: bytes) -> Image.Image:
    """A screenshot, as it is stored."""
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    return whole.resize((whole.width // SHRINK, whole.height // SHRINK), Image.Resampling.BOX)


def store(picture: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def stored(path: Path) -> Image.Image:
    """Raises FileNotFoundError."""
    return Image.open(path).convert("RGB")


def difference(before: Image.Image, now: Image.Image) -> Difference:
    size = (max(before.width, now.width), max(before.height, now.height))
    step = CELL // SHRINK
    cells = (-(-size[0] // step), -(-size[1] // step))
    whole = (cells[0] * step, cells[1] * step)
    means = [one.crop((0, 0, *whole)).resize(cells, Image.Resampling.BOX) for one in (before, now)]
    red, green, blue = ImageChops.difference(*means).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    differs = most.point([255 if value > SEEN else 0 for value in range(256)])
    share = differs.histogram()[255] / (cells[0] * cells[1])
    mask = differs.resize(whole, Image.Resampling.NEAREST).crop((0, 0, *now.size))
    pale = Image.blend(now, Image.new("RGB", now.size, "white"), 0.75)
    return Difference(share, Image.composite(now, pale, mask))
