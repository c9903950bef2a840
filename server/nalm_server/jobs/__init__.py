# SPDX-License-Identifier: Apache-2.0
"""Jobs: what is to be measured, in which state, leased to whom."""
