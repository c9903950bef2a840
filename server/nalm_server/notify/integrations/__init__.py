# SPDX-License-Identifier: Apache-2.0
"""Receivers of a project's results: forges, mail, chats, other programs."""
