# SPDX-License-Identifier: Apache-2.0
"""The audit log: who changed what, and when. Entries never change."""
