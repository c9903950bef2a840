# SPDX-License-Identifier: Apache-2.0
"""The report store: run reports as compressed files named by their SHA-256, outside the database.

A report is in the store before a row refers to it, and no row refers to it when it is removed. Start at
`store.py` (the operations of a store) and `writing.py` (how a report is stored).
"""
