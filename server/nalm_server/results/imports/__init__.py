# SPDX-License-Identifier: Apache-2.0
"""Figures of other tools, beside our own and never judged."""
