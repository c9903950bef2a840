# SPDX-License-Identifier: Apache-2.0
"""The command `nalm` itself: entry, list of commands, options that several share, completion, manual pages.

May import `config`, `store`, `report`, `runtime`, `source`. Start at `entry`.
"""
