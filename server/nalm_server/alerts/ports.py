# SPDX-License-Identifier: Apache-2.0
"""What alerts report to packages above, and ask of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.alerts.models import AlertRow
from nalm_server.base.ports import Event, Port

suspected: Event[[Session, AlertRow, datetime]] = Event()
"""An alert is new, or has more to it than before: it is to be measured again."""

assigned: Event[[Session, Sequence[int], int | None]] = Event()
"""Change points, given by their numbers, belong to this alert from now on, or to none."""

changed: Event[[Session, AlertRow, datetime]] = Event()
"""What forges show of the alert's commits may be another thing now."""

notify: Port[Callable[[Session, AlertRow, str, datetime], int | None]] = Port("alerts.ports.notify")
"""Notifies of the state an alert entered, and why. How many messages are sent; None: nobody is notified."""

confirming: Port[Callable[[Session, int], Confirming | None]] = Port("alerts.ports.confirming")
"""How far the confirmation of an alert is."""
