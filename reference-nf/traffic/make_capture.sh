#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Records captures of real programs and servers over a veth pair between two network namespaces. Needs root
# for the namespaces; removes everything it made.
#
#   sudo reference-nf/traffic/make_capture.sh [-o FOLDER] [NAME...]
#
# NAME: mixed, http, udp, iperf, ipv6; default: all. capture/NAME.sh has the clients' session.
# FOLDER: where NAME.pcap is written, default the working directory; an existing file is not replaced.
# Ports, sequence numbers, keys and times differ from one recording to the next: the committed captures are the
# reference.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
all="mixed http udp iperf ipv6"
folder=.

fail() {
	echo "make_capture: $*" >&2
	exit 1
}

while getopts o: option; do
	case $option in
	o) folder=$OPTARG ;;
	*) fail "use: make_capture.sh [-o FOLDER] [NAME...], NAME one of: $all." ;;
	esac
done
shift $((OPTIND - 1))
names=${*:-$all}

for name in $names; do
	[[ " $all " = *" $name "* ]] || fail "$name is not one of: $all."
	[ ! -e "$folder/$name.pcap" ] ||
		fail "$folder/$name.pcap exists, and figures may depend on it; choose another folder with -o."
done
[ -d "$folder" ] || fail "there is no folder $folder; create it first."
[ "$(id -u)" = 0 ] || fail "network namespaces need root; run it with sudo."
missing=
for tool in ip:iproute2 ss:iproute2 ethtool:ethtool tcpdump:tcpdump nginx:nginx named:bind9 curl:curl wget:wget \
	openssl:openssl dig:bind9-dnsutils ping:iputils-ping sipp:sip-tester iperf3:iperf3 python3:python3; do
	command -v "${tool%:*}" >/dev/null || missing+=" ${tool%:*} (Debian: ${tool#*:})"
done
[ -z "$missing" ] || fail "missing:$missing; install these."
[ -c /dev/net/tun ] || fail "/dev/net/tun is missing, which the VLAN ports need; load the kernel module tun."

work=$(mktemp -d)
client=nalm-client-$$
server=nalm-server-$$

inside() { ip netns pids "$client" && ip netns pids "$server"; }

clean_up() {
	# All processes in the namespaces are ours; those that do not end are killed before the namespaces are
	# removed.
	for signal in TERM KILL; do
		for _ in $(seq 50); do
			[ -n "$(inside 2>/dev/null)" ] || break
			inside | xargs -r kill -s "$signal" 2>/dev/null || true
			sleep 0.1
		done
	done
	wait 2>/dev/null || true
	ip netns del "$client" 2>/dev/null || true
	ip netns del "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for SECONDS COMMAND...: waits until the command succeeds; fails after SECONDS
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "gave up waiting for: $*"
		sleep 0.1
	done
}

at_client() { ip netns exec "$client" "$@"; }
at_server() { ip netns exec "$server" "$@"; }

# shellcheck source=capture/network.sh
. "$here/capture/network.sh"
# shellcheck source=capture/servers.sh
. "$here/capture/servers.sh"
# shellcheck source=capture/clients.sh
. "$here/capture/clients.sh"

declare -A filters=([mixed]=ip [http]=tcp [udp]=udp [iperf]=tcp [ipv6]="")

# still FILE: whether it has stopped growing
still() {
	local size
	size=$(stat -c %s "$1")
	sleep 0.3
	[ "$size" = "$(stat -c %s "$1")" ]
}

# record NAME: captures at the server's end, where packets of both directions have checksums
record() {
	local file=$work/$1.pcap log=$work/$1.log
	ip netns exec "$server" tcpdump -i veth-s -w "$file" -s 0 -U --immediate-mode "${filters[$1]}" 2>"$log" &
	local tcpdump=$!
	wait_for 10 grep -q "listening on" "$log"
	# shellcheck source=/dev/null
	. "$here/capture/$1.sh"
	wait_for 10 still "$file"
	kill -INT "$tcpdump"
	wait "$tcpdump" || true
	python3 "$here/check_capture.py" "$file"
	cp "$file" "$folder/$1.pcap"
	echo "wrote $folder/$1.pcap"
}

for name in $names; do
	record "$name"
done
