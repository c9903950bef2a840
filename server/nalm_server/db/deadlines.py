# SPDX-License-Identifier: Apache-2.0
"""Times that something waits for, when a clock may be put back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlalchemy.orm import InstrumentedAttribute

CLOCKS = timedelta(seconds=30)
"""How far the clocks of several servers may be apart."""


def over(until: InstrumentedAttribute[Any], now: datetime, longest: timedelta) -> ColumnElement[bool]:
    """The time has come; or it is further away than anybody who looks at the clock now would set it: then the
    clock was put back since, and nobody is to wait until it is as late again."""
    return or_(until <= now, until > now + longest + CLOCKS)
