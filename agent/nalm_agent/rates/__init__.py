# SPDX-License-Identifier: Apache-2.0
"""`nalm rate` and `nalm soak`: a running NF under one load after another.

May import `measure` and what it imports. Start at `rate`.
"""
