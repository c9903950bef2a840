# SPDX-License-Identifier: Apache-2.0
"""nalm.toml: where it is, what it may say, and the line of a mistake.

May import `runtime`, `source`. Start at `nalm_toml`.
"""
