# SPDX-License-Identifier: Apache-2.0
"""`nalm model`: inputs of core's models from options and files, and their answers as text and JSON.

Start at `answer`.
"""
