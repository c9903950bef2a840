# SPDX-License-Identifier: Apache-2.0
"""`measure()`: builds base and head, counts instructions, runs rounds until they decide, explains, reports.

May import everything but commands, the agent's service and their helpers. Start at `measure`.
"""
