# SPDX-License-Identifier: Apache-2.0
"""Generators of load for a running NF: one protocol, one implementation a file.

May import `nf` and what it imports. Start at `generator`.
"""
