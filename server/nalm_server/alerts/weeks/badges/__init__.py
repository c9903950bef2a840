# SPDX-License-Identifier: Apache-2.0
"""A badge for a README: the overall change of this week, or what is open."""
