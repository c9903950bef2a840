# SPDX-License-Identifier: Apache-2.0
"""`nalm agent`: takes jobs from a server, measures them, keeps results until the server has them.

May import `measure`, `server_api` and what these import. Start at `loop`.
"""
