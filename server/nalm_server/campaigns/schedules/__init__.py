# SPDX-License-Identifier: Apache-2.0
"""Schedules: measure the default branch's tip at set times."""
