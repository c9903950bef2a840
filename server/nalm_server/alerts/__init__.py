# SPDX-License-Identifier: Apache-2.0
"""Change points of series and alerts about commits: kept here for what detects them."""
