# SPDX-License-Identifier: Apache-2.0
"""Scenarios and the history of one metric of each of their stages."""
