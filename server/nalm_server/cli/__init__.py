# SPDX-License-Identifier: Apache-2.0
"""The command `nalm-server`, a file for each group of commands; `demo` is the demo.

Imports everything. Start at `main.py`, the table of commands.
"""
