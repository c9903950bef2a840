# SPDX-License-Identifier: Apache-2.0
"""What a command prints and writes: verdicts as tables, progress, saved reports, forms for other programs.

May import `runtime`. Start at `result`.
"""
