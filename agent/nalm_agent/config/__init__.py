# SPDX-License-Identifier: Apache-2.0
"""nalm.toml: its place, its keys, and the lines of mistakes.

May import `runtime`, `source`. Start at `nalm_toml`.
"""
