# SPDX-License-Identifier: Apache-2.0
"""What a history is made of. Plain tuples: of ten thousand, objects would take most of an answer's time."""

from __future__ import annotations

Figure = tuple[float, float | None, float | None, str]
"""Value, low, high, source: schemas.Value."""
Figures = dict[int, dict[str, Figure]]
"""By run number, by stage or `STAGE>FUNCTION`."""
