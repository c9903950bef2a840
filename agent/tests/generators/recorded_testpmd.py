# SPDX-License-Identifier: Apache-2.0
"""Stands in for dpdk-testpmd 22.11: what it printed for each line, with counts of its own. Options choose
what goes wrong: ends, silent, no-link, old."""

from __future__ import annotations

import sys

INFO = """
********************* Infos for port {port}  *********************
MAC address: 02:00:00:00:00:00
Device name: net_memif{port}
Driver name: net_memif
Link status: {link}
Link speed: 100 Gbps
"""
STATS = """
  ######################## NIC statistics for port {port}  ########################
  RX-packets: {received}          RX-missed: 0          RX-bytes:  0
  RX-errors: 0
  RX-nombuf:  0
  TX-packets: {sent}          TX-errors: 0          TX-bytes:  0

  Throughput (since last show)
  Rx-pps:            0          Rx-bps:            0
  Tx-pps:            0          Tx-bps:            0
  ############################################################################
"""
STOPPED = """Telling cores to stop...
Waiting for lcores to finish...

  ---------------------- Forward statistics for port 0  ----------------------
  RX-packets: 400            RX-dropped: 0             RX-total: 400
  TX-packets: 1000           TX-dropped: 250           TX-total: 1250
  ----------------------------------------------------------------------------

  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++
  RX-packets: 400            RX-dropped: 0             RX-total: 400
  TX-packets: 1000           TX-dropped: 250           TX-total: 1250
  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++

Done.
"""
SENT, RETURNED = 1000, 400

options = sys.argv[1:]
if "ends" in options:
    print("EAL: Cannot get hugepage information.", flush=True)
    sys.exit(1)
runs = 0
for line in sys.stdin:
    if "silent" in options:
        continue
    said = line.strip()
    print(f"testpmd> {said}\r", flush=True)
    words = said.split()
    if said == "quit":
        break
    if said == "stop":
        runs += 1
        print(STOPPED)
    elif words[:3] == ["show", "port", "info"]:
        print(INFO.format(port=words[3], link="down" if "no-link" in options else "up"))
    elif words[:3] == ["show", "port", "stats"] and words[3] == "0":
        print(STATS.format(port=words[3], received=RETURNED * runs, sent=SENT * runs))
    elif words[:2] == ["set", "portlist"] and "old" in options:
        print("Command not found")
    sys.stdout.flush()
