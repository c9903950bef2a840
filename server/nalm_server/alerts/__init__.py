# SPDX-License-Identifier: Apache-2.0
"""Alerts about commits."""
