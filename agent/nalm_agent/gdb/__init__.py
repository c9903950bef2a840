# SPDX-License-Identifier: Apache-2.0
"""`nalm gdb`: the probe's figures inside gdb, at a breakpoint or from a core dump.

May import `runtime`; `nalm_gdb` runs in gdb and imports nothing of nalm. Start at `run`.
"""
