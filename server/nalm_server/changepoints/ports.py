# SPDX-License-Identifier: Apache-2.0
"""What change points report to packages above, and request from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.base.ports import Event, Port
from nalm_server.changepoints.points_repository import Point
from nalm_server.changepoints.schemas import Remeasured

suspected: Event[[Session, int, Sequence[Point], datetime]] = Event()
"""Changes for the worse that only the newest values of this project's histories show. Reported at each
weighing, as long as they are suspected."""

remeasured: Port[Callable[[Session, int, Sequence[Point]], dict[int, Remeasured]]] = Port(
    "changepoints.ports.remeasured"
)
"""By number of a change point of this project: the measurement that its suspicion caused."""
