# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Functions and names of the clients. make_capture.sh reads it.

firefox="Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
android="Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36"
bot="Mozilla/5.0 (compatible; ExampleBot/1.0; +http://www.example.com/bot)"
clients="10.10.1.11 10.10.1.12 10.10.2.21 10.10.2.22 10.10.3.31 10.10.3.32 10.10.4.41 10.10.200.7"

from() { # from CLIENT COMMAND...
	local address=$1 tool=$2
	shift 2
	case $tool in
	curl) at_client curl -sk --http1.1 -o /dev/null --interface "$address" "$@" ;;
	wget) at_client wget -q --bind-address="$address" -P "$work/wget" "$@" ;;
	dig) at_client dig +tries=1 +time=2 -b "$address" "$@" >/dev/null ;;
	ping) at_client ping -q -I "$address" "$@" >/dev/null ;;
	sipp) (cd "$work" && at_client sipp -i "$address" -mi "$address" -m 1 -nostdin "$@" >/dev/null 2>&1) ;;
	esac
}

listening() { at_server ss -Hltn "sport = 5201" | grep -q .; }

# iperf CLIENT SERVER OPTION...: one test, against a server that ends with it and has one address
iperf() {
	local address=$1 to=$2
	shift 2
	at_server iperf3 -s -1 -B "$to" >/dev/null &
	local one=$!
	wait_for 10 listening
	at_client iperf3 -c "$to" -B "$address" "$@" >/dev/null
	wait "$one"
}
