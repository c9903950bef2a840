# SPDX-License-Identifier: Apache-2.0
"""Trials: a running NF under one load after another, and the search for the greatest load without loss.

May import `generators` and what it imports. Start at `trial_nf`.
"""
