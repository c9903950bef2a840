# SPDX-License-Identifier: Apache-2.0
"""Counter sources, one a file. `available()` gives None, or the reason why not.

May import `nf`, `host`, `config` and what these import. Start at `simulated`.
"""
