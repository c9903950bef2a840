# SPDX-License-Identifier: Apache-2.0
"""The output of commands: verdicts as tables, progress, saved reports, formats for other programs.

May import `runtime`. Start at `result`.
"""
