# SPDX-License-Identifier: Apache-2.0
"""The embedded form: everything from one command on one host."""
