# SPDX-License-Identifier: Apache-2.0
"""Bisects: which commit between two changed a scenario; each candidate is measured against the good one."""
