# SPDX-License-Identifier: Apache-2.0
"""Counter sources, one per file. `available()` gives None, or the reason why not."""
