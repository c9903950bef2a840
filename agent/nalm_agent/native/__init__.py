# SPDX-License-Identifier: Apache-2.0
"""Small C programs that ship with the agent and are compiled on the host by its own compiler, once.

May import `config`. Start at `library`.
"""
