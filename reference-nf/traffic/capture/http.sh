# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The clients' session for http.pcap. make_capture.sh reads it; `from` and the names are in clients.sh.

www="http://192.0.2.10"
shop="http://192.0.2.11"
api="http://198.51.100.10:8080"

# Pages with their pictures, style sheet and script, over one connection each.
for address in 10.10.1.11 10.10.3.31; do
	from "$address" wget -p --header="Host: shop.example.com" "$shop/shop.html" || [ $? = 8 ] # 8: robots.txt is not there
done

# Several requests on one connection, some with compressed and chunked replies.
for address in 10.10.1.12 10.10.3.32; do
	from "$address" curl -A "$android" --compressed -H "Host: www.example.com" -H "Cookie: session=4f2a91; theme=dark" \
		"$www/index.html" -o /dev/null "$www/article.html" -o /dev/null "$www/items.json" -o /dev/null "$www/logo.png"
done
from 10.10.2.21 curl -A "$bot" -H "Host: www.example.com" "$www/robots.txt" -o /dev/null "$www/sitemap.xml" \
	-o /dev/null "$www/article.html"
from 10.10.4.41 curl -A "$firefox" --http1.0 -H "Host: www.example.com" "$www/index.html"

# An API: small requests, each a connection of its own, then some on one.
for address in $clients; do
	from "$address" curl --compressed -H "Host: api.example.net" -H "Accept: application/json" \
		-H "Authorization: Bearer example" "$api/items.json?client=${address##*.}&sort=price"
	from "$address" curl -H "Host: api.example.net" -H "Content-Type: application/json" \
		--data "{\"user\":\"guest\",\"action\":\"add\",\"item\":${address##*.},\"count\":2}" "$api/submit"
done
from 10.10.200.7 curl -H "Host: api.example.net" "$api/items.json?page=[1-4]"

# Forms, a file, a body of unknown length.
from 10.10.2.22 curl -A "$firefox" -H "Host: shop.example.com" --data "user=guest&password=guest" "$shop/login"
from 10.10.3.31 curl -A "$firefox" -H "Host: shop.example.com" -F "name=photo" \
	-F "photo=@$work/www/photo.png" "$shop/submit"
from 10.10.1.11 curl -H "Host: api.example.net" -H "Transfer-Encoding: chunked" -H "Content-Type: text/plain" \
	--data-binary "@$work/www/shop.js" "$api/submit"

# Parts of a file, one part and several; a resumed download; a file that did not change.
from 10.10.4.41 curl -H "Host: www.example.com" -r 0-1999 "$www/download.bin"
from 10.10.4.41 curl -H "Host: www.example.com" -r 0-99,5000-5499,-200 "$www/download.bin"
from 10.10.200.7 curl -H "Host: www.example.com" -C 30000 "$www/download.bin"
from 10.10.1.12 curl -A "$firefox" -H "Host: www.example.com" -z "$work/www/logo.png" "$www/logo.png"
from 10.10.3.32 wget --header="Host: www.example.com" -O /dev/null "$www/download.bin"

# Other methods, errors, a password asked for and given.
from 10.10.3.32 curl -I -H "Host: www.example.com" "$www/index.html"
from 10.10.4.41 curl -X OPTIONS -H "Host: api.example.net" "$api/submit"
from 10.10.4.41 curl -X DELETE -H "Host: api.example.net" "$api/items/17"
from 10.10.2.21 curl -X PUT -H "Host: api.example.net" --data "count=3" "$api/items.json"
from 10.10.2.21 curl -H "Host: www.example.com" "$www/index.html" -r 900000-
from 10.10.2.22 curl --anyauth -u guest:guest -H "Host: shop.example.com" "$shop/account"

# Patterns of a DPI.
from 10.10.200.7 curl -A "$firefox" -H "Host: www.example.com" --path-as-is "$www/../../etc/passwd"
from 10.10.200.7 curl -A "$firefox" -H "Host: shop.example.com" "$shop/item?id=1%27%20OR%20%271%27=%271"
from 10.10.200.7 curl -A "$firefox" -H "Host: shop.example.com" "$shop/search?q=%3Cscript%3Ealert(1)%3C/script%3E"
from 10.10.200.7 curl -A "() { :; }; /bin/true" -H "Host: www.example.com" "$www/cgi-bin/status"
