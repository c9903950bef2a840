# SPDX-License-Identifier: Apache-2.0
"""Who did what, when: kept, never changed."""
