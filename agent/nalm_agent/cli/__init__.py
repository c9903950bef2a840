# SPDX-License-Identifier: Apache-2.0
"""The commands of `nalm`, one a file: arguments in, exit codes out.

May import everything but nalm-mutants. Start at `check`.
"""
