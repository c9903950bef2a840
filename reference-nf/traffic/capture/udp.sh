# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The clients' session for udp.pcap. make_capture.sh reads it; `from` and the names are in clients.sh.

# Calls of nearly a second, each with G.711 over RTP that the other side echoes.
for address in 10.10.1.11 10.10.2.21 10.10.200.7; do
	from "$address" sipp -sf "$here/capture/call.xml" 192.0.2.60:5060
done

for address in $clients; do
	for query in "www.example.com A" "ipv6.example.com AAAA" "example.net MX" "example.net TXT" "cdn.example.com A" \
		"no-such-name.example.net A"; do
		read -r name type <<<"$query"
		from "$address" dig @198.51.100.53 "$name" "$type"
	done
done

# Signed replies, a signed proof that a name does not exist, replies truncated to 512 bytes.
for address in 10.10.1.12 10.10.3.31 10.10.4.41; do
	for query in "www.example.org A" "example.org DNSKEY" "example.org SOA" "no-such-name.example.org AAAA"; do
		read -r name type <<<"$query"
		from "$address" dig +dnssec @192.0.2.53 "$name" "$type"
	done
	from "$address" dig @192.0.2.53 long.example.com TXT
	from "$address" dig +noedns +ignore @192.0.2.53 long.example.com TXT
	from "$address" dig @192.0.2.53 -x 192.0.2.10
done

# Eight packets of each payload size in both directions, at a low rate.
for bytes in 64 128 256 512 1024 1400; do
	iperf 10.10.2.22 192.0.2.70 -u -l "$bytes" -k 8 -b 1M
	iperf 10.10.3.32 192.0.2.70 -u -l "$bytes" -k 8 -b 1M -R
done
