# SPDX-License-Identifier: Apache-2.0
"""What follows a verdict: bisection, confirmation, fixes, recovery, severity, detection quality.

May import `verdict` and what that may. Start at `confirmation`.
"""
