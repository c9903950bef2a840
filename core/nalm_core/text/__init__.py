# SPDX-License-Identifier: Apache-2.0
"""Text in and out: figures, names, JSON and the text of others.

Imports no other package of core. Start at `percents`.
"""
