# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The clients' session for mixed.pcap. make_capture.sh reads it; `from` and the names are in clients.sh.

for address in $clients; do
	for name in www.example.com shop.example.com secure.example.com; do
		from "$address" dig @198.51.100.53 "$name" A
	done
	from "$address" dig @192.0.2.53 mail.example.net A
done

# Browsing: several requests on one connection.
from 10.10.1.11 curl -A "$firefox" -H "Host: www.example.com" http://192.0.2.10/index.html \
	-o /dev/null http://192.0.2.10/article.html -o /dev/null http://192.0.2.10/logo.png
from 10.10.1.12 curl -A "$android" -H "Host: shop.example.com" -H "Cookie: session=4f2a91; theme=dark" \
	http://192.0.2.11/index.html -o /dev/null http://192.0.2.11/items.json
from 10.10.2.21 curl -A "$bot" -H "Host: www.example.com" http://192.0.2.10/robots.txt \
	-o /dev/null http://192.0.2.10/index.html

# An API: small requests, each a connection of its own.
for address in $clients; do
	from "$address" curl -H "Host: api.example.net" -H "Accept: application/json" \
		-H "Authorization: Bearer example" "http://198.51.100.10:8080/items.json?client=${address##*.}"
	from "$address" curl -X POST -H "Host: api.example.net" -H "Content-Type: application/json" \
		--data '{"user":"guest","action":"add","item":17,"count":2}' http://198.51.100.10:8080/submit
done
from 10.10.2.22 curl -A "$firefox" -H "Host: shop.example.com" --data "user=guest&password=guest" \
	http://192.0.2.11/login
from 10.10.3.31 curl -A "$firefox" -H "Host: www.example.com" -F "photo=@$work/www/logo.png" \
	http://192.0.2.10/submit
from 10.10.3.32 curl -I -H "Host: www.example.com" http://192.0.2.10/index.html
from 10.10.4.41 curl -X OPTIONS -H "Host: api.example.net" http://198.51.100.10:8080/submit
from 10.10.4.41 curl -X DELETE -H "Host: api.example.net" http://198.51.100.10:8080/items/17
from 10.10.4.41 curl -A "$firefox" -H "Host: www.example.com" http://192.0.2.10/../etc/passwd --path-as-is
from 10.10.200.7 curl -A "Wget/1.21" -H "Host: www.example.com" http://192.0.2.10/download.bin

# TLS 1.3 and 1.2, with different server names.
for address in 10.10.1.11 10.10.2.21 10.10.3.31 10.10.200.7; do
	from "$address" curl --resolve secure.example.com:443:192.0.2.20 https://secure.example.com/index.html
	from "$address" curl --resolve mail.example.net:443:198.51.100.20 https://mail.example.net/items.json
done
from 10.10.1.12 curl --tls-max 1.2 --resolve secure.example.com:443:192.0.2.20 https://secure.example.com/article.html
ip netns exec "$client" openssl s_client -connect 198.51.100.20:443 -servername mail.example.net \
	-bind 10.10.2.22 >/dev/null 2>&1 </dev/null || true

# More names, types and a name that does not exist.
for address in $clients; do
	for query in "example.com MX" "example.com TXT" "ipv6.example.com AAAA" "cdn.example.net A" \
		"api.example.net A" "ns1.example.com A" "no-such-name.example.net A" "10.example.com PTR"; do
		read -r name type <<<"$query"
		from "$address" dig @198.51.100.53 "$name" "$type"
	done
done
from 10.10.3.32 dig +tcp @192.0.2.53 www.example.com A

for address in 10.10.1.11 10.10.2.22 10.10.4.41; do
	from "$address" ping -c 5 -i 0.1 192.0.2.10
	from "$address" ping -c 3 -i 0.1 -s 700 198.51.100.10
done
