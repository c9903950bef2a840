# SPDX-License-Identifier: Apache-2.0
"""Upkeep of the report store: reports move in, unused ones leave, damaged ones are found."""
