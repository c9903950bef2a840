# SPDX-License-Identifier: Apache-2.0
"""Runs in gdb's Python: standard library and `gdb` only, nothing of nalm beside this folder."""
