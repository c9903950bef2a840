# SPDX-License-Identifier: Apache-2.0
"""What agents and commands read of a server's answers, and the names that both meet by at the broker.

A reader ignores fields that it does not know, and has defaults for those that an older server does not send.
May import `report` and `text`. Start at `jobs`.
"""
