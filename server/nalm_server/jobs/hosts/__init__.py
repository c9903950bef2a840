# SPDX-License-Identifier: Apache-2.0
"""Bench hosts as people see them: state, health over time, fingerprints over time, pools."""
