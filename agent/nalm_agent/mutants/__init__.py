# SPDX-License-Identifier: Apache-2.0
"""`nalm-mutants`: measures how many changes of known effect nalm finds, and how often it raises false alarms.

May import `desk`, `shell`, `measure`. Start at `run`.
"""
