# SPDX-License-Identifier: Apache-2.0
"""Remeasurements: what the newest commit alone shows in a history, measured again side by side."""
