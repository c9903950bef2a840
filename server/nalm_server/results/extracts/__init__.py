# SPDX-License-Identifier: Apache-2.0
"""Extracts: what pages show of a run's rounds and code, computed once, when a large report is imported.

Start at `service.py`.
"""
