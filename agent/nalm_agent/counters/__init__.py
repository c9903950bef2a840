# SPDX-License-Identifier: Apache-2.0
"""Counter sources, one per file. `available()` returns None, or the reason why the source is not available.

May import `nf`, `host`, `config` and what these import. Start at `simulated`.
"""
