# SPDX-License-Identifier: Apache-2.0
"""From a run report to its verdict: checks, changes of chain and stages, decision, wording.

May import `stats` and what that may. Start at `verdict`.
"""
