# SPDX-License-Identifier: Apache-2.0
"""Compares repositories with what is known of them: finds what no webhook reported.

Imports notify (listings of forges), webhooks (plans) and below. Start at `tasks.py`.
"""
