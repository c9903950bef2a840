# SPDX-License-Identifier: Apache-2.0
"""Whom a project tells of its results: forges, mailboxes, chats, other programs."""
