# SPDX-License-Identifier: Apache-2.0
"""Greatest values of the reference NF's generator."""

from __future__ import annotations

MOST_CV = 4.0
"""Coefficient of variation of gaps (reference-nf/src/pace/gaps.h)."""
MOST_BURST, MOST_NEW_FLOWS = 65_536, 10_000_000
"""Packets due at once; new flows per second (reference-nf/src/traffic/traffic_config.c)."""
