# SPDX-License-Identifier: Apache-2.0
"""What is to be told to whom: written down with what happened, sent later, tried again, never twice."""
