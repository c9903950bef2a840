# SPDX-License-Identifier: Apache-2.0
"""What every command needs of its own process: errors that people read, child processes, signals.

Imports no other package of the agent. Start at `errors`.
"""
