# SPDX-License-Identifier: Apache-2.0
"""What a build left: digests of executables, libraries, functions and named data.

May import `runtime`, `store`, `config`. Start at `contents`.
"""
