# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The clients' session for ipv6.pcap: IPv6, VLAN tags, fragments, extension headers. make_capture.sh reads it; `from`
# and the names are in clients.sh.

www="http://[2001:db8:20::10]"
clients6="2001:db8:10:1::11 2001:db8:10:1::12 2001:db8:10:2::21 2001:db8:10:3::31"

for address in $clients6; do
	for query in "www.example.com A" "ipv6.example.com AAAA" "example.org DNSKEY" "no-such-name.example.net AAAA"; do
		read -r name type <<<"$query"
		from "$address" dig +dnssec @2001:db8:20::53 "$name" "$type"
	done
	from "$address" curl -A "$firefox" -H "Host: www.example.com" "$www/index.html" -o /dev/null "$www/items.json"
	from "$address" curl -H "Host: api.example.net" --data '{"user":"guest","item":17}' "$www/submit"
done
from 2001:db8:10:1::12 dig +tcp @2001:db8:20::53 www.example.com AAAA
from 2001:db8:10:2::21 curl -A "$android" -H "Host: www.example.com" "$www/article.html"
from 2001:db8:10:3::31 curl --resolve "secure.example.com:443:[2001:db8:20::20]" https://secure.example.com/items.json
from 2001:db8:10:1::11 ping -6 -c 3 -i 0.1 2001:db8:20::10
from 2001:db8:10:2::21 ping -6 -c 2 -i 0.1 -s 1000 2001:db8:20::20

# Fragments, of both versions: echo, a DNS answer, UDP datagrams.
from 10.10.1.11 ping -c 2 -i 0.1 -s 4000 192.0.2.10
from 2001:db8:10:1::11 ping -6 -c 2 -i 0.1 -s 4000 2001:db8:20::10
from 10.10.2.22 dig +bufsize=4096 @192.0.2.53 big.example.com TXT
from 2001:db8:10:1::12 dig +bufsize=4096 @2001:db8:20::53 big.example.com TXT
iperf 10.10.3.32 192.0.2.70 -u -l 3000 -k 2 -b 1M
iperf 2001:db8:10:3::31 2001:db8:20::70 -u -l 3000 -k 2 -b 1M

# Extension headers: on echoed UDP datagrams, small and fragmented, and on an HTTP request.
at_client python3 "$here/capture/extension_headers.py" talk 2001:db8:20::10 7 2001:db8:20::99

# One VLAN tag, and two: HTTP of either version, echo whole and in fragments.
for line in "10.10.100.11 192.0.2.30 2001:db8:10:100::11 2001:db8:20:100::30" \
	"10.10.130.11 192.0.2.31 2001:db8:10:200::11 2001:db8:20:200::31"; do
	read -r near far near6 far6 <<<"$line"
	from "$near" curl -A "$bot" -H "Host: www.example.com" "http://$far/index.html" -o /dev/null "http://$far/logo.png"
	from "$near6" curl -A "$bot" -H "Host: www.example.com" "http://[$far6]/index.html" \
		-o /dev/null "http://[$far6]/logo.png"
	from "$near" ping -c 2 -i 0.1 "$far"
	from "$near6" ping -6 -c 2 -i 0.1 "$far6"
	from "$near" ping -c 1 -s 2000 "$far"
	from "$near6" ping -6 -c 1 -s 2000 "$far6"
done
