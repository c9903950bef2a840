# SPDX-License-Identifier: Apache-2.0
"""Builds revisions into the store, isolated from this host.

May import `runtime`, `source`, `store`, `config`, `native`, `artifacts`. Start at `build`.
"""
