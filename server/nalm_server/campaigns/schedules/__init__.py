# SPDX-License-Identifier: Apache-2.0
"""Schedules: the default branch's tip measured at set times."""
