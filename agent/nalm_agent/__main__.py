# SPDX-License-Identifier: Apache-2.0
"""`python -m nalm_agent` is the command `nalm`: for a process of ours that starts another."""

from nalm_agent.shell.entry import main

main()
