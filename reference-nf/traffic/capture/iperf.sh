# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The clients' session for iperf.pcap. make_capture.sh reads it; `iperf` is defined in clients.sh.

iperf 10.10.1.11 192.0.2.70 -n 32K -l 8K             # up, full segments
iperf 10.10.2.21 192.0.2.70 -n 32K -l 8K -R          # down
iperf 10.10.3.31 192.0.2.70 -n 8K -l 1K -M 536       # small segments
iperf 10.10.4.41 192.0.2.70 -n 16K -l 4K -P 2        # two connections at once
iperf 10.10.200.7 192.0.2.70 -n 2K -l 100 --no-delay # small writes
