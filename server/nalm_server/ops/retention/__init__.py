# SPDX-License-Identifier: Apache-2.0
"""Retention: removes old data by each project's rules, and counts what was removed."""
