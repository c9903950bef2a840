# SPDX-License-Identifier: Apache-2.0
"""Maintenance of the report store: moves reports in, removes unreferenced ones, finds damaged ones."""
