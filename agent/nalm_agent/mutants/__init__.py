# SPDX-License-Identifier: Apache-2.0
"""`nalm-mutants`: what nalm finds of changes whose effect is known, and how often it alarms without one.

May import `desk`, `shell`, `measure`. Start at `run`.
"""
