# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: what this host can measure; each problem with its effect and its cure.

look.py gathers what there is to see, examine.py lists the looks in order, each
 other file holds those of one subject.
"""
