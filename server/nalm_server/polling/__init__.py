# SPDX-License-Identifier: Apache-2.0
"""Polls repositories and forges, and finds what no webhook reported.

Imports notify (listings of forges), webhooks (plans) and below. Start at `tasks.py`.
"""
