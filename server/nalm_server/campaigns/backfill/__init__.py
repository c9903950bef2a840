# SPDX-License-Identifier: Apache-2.0
"""Backfills: measure past commits of a range, a few at a time."""
