# SPDX-License-Identifier: Apache-2.0
"""For operators: health, metrics, retention, backup, maintenance of the report store.

Imports everything but app and cli.
"""
