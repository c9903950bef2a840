# SPDX-License-Identifier: Apache-2.0
"""Backfills: the commits of a range measured afterwards, some at a time."""
