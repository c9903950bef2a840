# SPDX-License-Identifier: Apache-2.0
"""Verdicts in formats of other programs, rendered by core."""
