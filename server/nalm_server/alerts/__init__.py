# SPDX-License-Identifier: Apache-2.0
"""Change points of series and alerts about commits: the life of a finding: findings.py is what others call."""
