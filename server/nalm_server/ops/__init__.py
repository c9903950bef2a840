# SPDX-License-Identifier: Apache-2.0
"""What operators need: health, metrics, retention, backup, upkeep of the report store.

Imports everything but app and cli.
"""
