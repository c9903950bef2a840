# SPDX-License-Identifier: Apache-2.0
"""The report store: run reports as compressed files named by their SHA-256, outside the database.

A report is in the store before a row refers to it, and nothing refers to it when it leaves. Start at
`store.py` (what a store can do) and `writing.py` (how a report comes in).
"""
