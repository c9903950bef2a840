# SPDX-License-Identifier: Apache-2.0
"""Small C programs that ship with the agent; the host's compiler compiles each once.

May import `config`. Start at `library`.
"""
