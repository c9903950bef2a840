# SPDX-License-Identifier: Apache-2.0
"""Series of values: of a scenario's stages and C functions, run by run."""
