# SPDX-License-Identifier: Apache-2.0
"""A running NF: its command line, start behind a closed gate, turns, counters in shared memory, how it ends.

May import `host`, `native`, `self_counting` and what these import. Start at `launch`.
"""
