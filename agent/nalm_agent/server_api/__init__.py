# SPDX-License-Identifier: Apache-2.0
"""The HTTP client of a nalm server.

May import `runtime`. Start at `client`.
"""
