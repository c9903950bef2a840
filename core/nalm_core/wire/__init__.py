# SPDX-License-Identifier: Apache-2.0
"""The parts of a server's answers that agents and commands read, and the names that both use at the broker.

A reader ignores unknown fields, and has defaults for fields that an older server does not send.
May import `report` and `text`. Start at `jobs`.
"""
