# SPDX-License-Identifier: Apache-2.0
"""The process of a command: errors, child processes, signals.

Imports no other package of the agent. Start at `errors`.
"""
