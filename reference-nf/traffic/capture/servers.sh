# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The servers of the captures, which run and reply before a recording begins. make_capture.sh reads it.

mkdir -p "$work/www"
for file in nginx.conf named.conf example.zone; do
	sed "s|@WORK@|$work|g" "$here/capture/$file" >"$work/$file"
done
cp "$work/example.zone" "$work/signed.zone"
echo "guest:{PLAIN}guest" >"$work/nginx.users"
python3 "$here/capture/make_bodies.py" "$work/www" "$work/speech.raw"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=secure.example.com \
	-keyout "$work/tls.key" -out "$work/tls.crt" 2>/dev/null

at_server nginx -p "$work" -c "$work/nginx.conf" &
at_server named -f -u root -c "$work/named.conf" >"$work/named.log" 2>&1 &
(cd "$work" && exec ip netns exec "$server" sipp -sn uas -i 192.0.2.60 -p 5060 -mi 192.0.2.60 -mp 6000 \
	-rtp_echo -nostdin >"$work/sipp-server.log" 2>&1) &
at_server python3 "$here/capture/extension_headers.py" echo 2001:db8:20::10 7 &

signed() { at_client dig +dnssec @198.51.100.53 no-such-name.example.org A | grep -q "NSEC"; }

wait_for 10 at_client curl -s -o /dev/null http://192.0.2.10/
wait_for 10 at_client curl -s -o /dev/null 'http://[2001:db8:20::10]/'
wait_for 10 at_client curl -s -o /dev/null http://192.0.2.30/
wait_for 10 at_client curl -s -o /dev/null http://192.0.2.31/
wait_for 10 at_client curl -sk -o /dev/null https://192.0.2.20/
wait_for 10 at_client dig +tries=1 +time=1 @198.51.100.53 www.example.com
wait_for 10 at_client dig +tries=1 +time=1 @192.0.2.53 www.example.com
wait_for 10 at_client dig +tries=1 +time=1 @2001:db8:20::53 www.example.com
wait_for 30 signed
wait_for 10 grep -q . <(at_server ss -Hlun "src 192.0.2.60 and sport = 5060")
