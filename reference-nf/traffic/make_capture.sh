#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Records traffic/mixed.pcap: real programs (curl, openssl, dig, ping) talking to real servers (nginx, named)
# over a veth pair between two network namespaces. Needs root for the namespaces; leaves nothing behind.
#
#   sudo reference-nf/traffic/make_capture.sh [OUT.pcap]
#
# Clients are in 10.10.0.0/16, servers in 192.0.2.0/24 and 198.51.100.0/24 (RFC 5737). Ports, sequence numbers,
# TLS key shares and times differ from one recording to the next, so the committed capture is the reference.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/mixed.pcap}

fail() {
	echo "make_capture: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || fail "network namespaces need root; run it with sudo."
for tool in ip ethtool tcpdump nginx named curl openssl dig ping python3; do
	command -v "$tool" >/dev/null || fail "$tool is missing; install iproute2 ethtool tcpdump nginx bind9 bind9-dnsutils curl openssl iputils-ping python3."
done

work=$(mktemp -d)
client=nalm-client-$$
server=nalm-server-$$
pids=()

clean_up() {
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
	ip netns del "$client" 2>/dev/null || true
	ip netns del "$server" 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for SECONDS COMMAND...: until the command succeeds, or fails with what was waited for
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "gave up waiting for: $*"
		sleep 0.1
	done
}

ip netns add "$client"
ip netns add "$server"
ip link add veth-c netns "$client" type veth peer name veth-s netns "$server"
ip -n "$client" link set veth-c address 02:00:00:00:10:01
ip -n "$server" link set veth-s address 02:00:00:00:20:01
for end in "$client veth-c" "$server veth-s"; do
	read -r ns dev <<<"$end"
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	# Offloads leave checksums unfilled and packets larger than the MTU in a capture of a veth.
	ip netns exec "$ns" ethtool -K "$dev" tx off rx off tso off gso off gro off sg off >/dev/null 2>&1
	ip -n "$ns" link set lo up
	ip -n "$ns" link set "$dev" mtu 1500 up
done
for host in 1.11 1.12 2.21 2.22 3.31 3.32 4.41 200.7; do
	ip -n "$client" addr add "10.10.$host/16" dev veth-c
done
for host in 192.0.2.{10,11,20,53} 198.51.100.{10,20,53}; do
	ip -n "$server" addr add "$host/32" dev veth-s
done
ip -n "$client" route add 192.0.2.0/24 dev veth-c src 10.10.1.11
ip -n "$client" route add 198.51.100.0/24 dev veth-c src 10.10.1.11
ip -n "$server" route add 10.10.0.0/16 dev veth-s src 192.0.2.10

mkdir -p "$work/www"
for file in nginx.conf named.conf example.zone; do
	sed "s|@WORK@|$work|g" "$here/capture/$file" >"$work/$file"
done
python3 "$here/capture/make_bodies.py" "$work/www"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=secure.example.com \
	-keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null

ip netns exec "$server" nginx -p "$work" -c "$work/nginx.conf" &
pids+=($!)
ip netns exec "$server" named -4 -f -u root -c "$work/named.conf" >"$work/named.log" 2>&1 &
pids+=($!)
wait_for 10 ip netns exec "$client" curl -s -o /dev/null http://192.0.2.10/
wait_for 10 ip netns exec "$client" curl -sk -o /dev/null https://192.0.2.20/
wait_for 10 ip netns exec "$client" dig +tries=1 +time=1 @198.51.100.53 www.example.com
wait_for 10 ip netns exec "$client" dig +tries=1 +time=1 @192.0.2.53 www.example.com

# At the server's end: what arrived and what was sent, complete with checksums. IPv4 only: no ARP.
ip netns exec "$server" tcpdump -i veth-s -w "$work/all.pcap" -s 0 -U --immediate-mode ip 2>"$work/tcpdump.log" &
tcpdump=$!
pids+=("$tcpdump")
wait_for 10 grep -q "listening on" "$work/tcpdump.log"

from() { # from CLIENT COMMAND...
	local address=$1 tool=$2
	shift 2
	case $tool in
	curl) ip netns exec "$client" curl -sk --http1.1 -o /dev/null --interface "$address" "$@" ;;
	dig) ip netns exec "$client" dig +tries=1 +time=2 -b "$address" "$@" >/dev/null ;;
	ping) ip netns exec "$client" ping -q -I "$address" "$@" >/dev/null ;;
	esac
}

# shellcheck source=capture/sessions.sh
. "$here/capture/sessions.sh"

# The last frames are in the file once it no longer grows.
size=-1
while now=$(stat -c %s "$work/all.pcap"); [ "$now" != "$size" ]; do
	size=$now
	sleep 0.3
done
kill -INT "$tcpdump"
wait "$tcpdump" || true
python3 "$here/check_capture.py" "$work/all.pcap"
cp "$work/all.pcap" "$out"
echo "wrote $out"
