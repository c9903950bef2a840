# SPDX-License-Identifier: Apache-2.0
"""`nalm rate` and `nalm soak`: put a running NF under load.

May import `measure` and what it imports. Start at `rate`.
"""
