# SPDX-License-Identifier: Apache-2.0
"""Change points in a history: one value per commit, of which only its unit and its noise are its own."""
