# SPDX-License-Identifier: Apache-2.0
"""Bisects: find the commit between two that changed a scenario. Each candidate is measured against good."""
