# SPDX-License-Identifier: Apache-2.0
"""The output of a build: digests of executables, libraries, functions and named data.

May import `runtime`, `store`, `config`. Start at `contents`.
"""
