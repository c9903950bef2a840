# SPDX-License-Identifier: Apache-2.0
"""What change points report to packages above."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.base.ports import Event

settled: Event[[Session, int, datetime]] = Event()
"""The change points of a project, given by its number, were weighed."""
