# SPDX-License-Identifier: Apache-2.0
"""Exports of series and verdicts for other tools."""
