# SPDX-License-Identifier: Apache-2.0
"""Runs in gdb's Python. Imports the standard library, `gdb` and this folder only."""
