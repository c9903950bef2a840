# SPDX-License-Identifier: Apache-2.0
"""The command `nalm` itself: entry, list of commands, shared options, completion, manual pages.

May import `config`, `store`, `report`, `runtime`, `source`. Start at `entry`.
"""
