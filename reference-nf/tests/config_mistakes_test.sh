#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every mistake is reported with its place, and the exit status is 2. Nothing starts.
. "$(dirname "$0")/run_nf.sh"

# refused MESSAGE ARGUMENT...
refused() {
	message=$1; shift
	status=0
	"$nf" --check-config "$@" >"$work/out" 2>"$work/err" || status=$?
	[ $status -eq 2 ] || fail "exit $status, expected 2: $*"
	grep -qF -- "$message" "$work/err" || fail "expected a message with: $message"
}
# accepted ARGUMENT...
accepted() {
	"$nf" --check-config "$@" >"$work/out" 2>"$work/err" || fail "refused: $*"
}
conf=$source/conf/sfc_a.conf

for good in "$source"/conf/*.conf; do
	"$nf" --check-config --config "$good" >"$work/out" 2>"$work/err" || fail "$good is refused"
done
refused "--config FILE is missing"
refused "cannot read the configuration" --config "$work/none.conf"
refused "there is no stage \`nut\`; there are: nop nat dpi acl lb l3fwd openflow l2fwd pbb gtp_decap pdr qer urr far" --config "$conf" --set chain.stages=nut
refused "is named twice" --config "$conf" --set chain.stages=nat,nat
refused "there is no stage \`\`" --config "$conf" --set chain.stages=
refused "--set chain.batch=257: expected a whole number from 1 to 256" --config "$conf" --set chain.batch=257
refused "--set nat.colour=red: no stage or part of the program has this key" --config "$conf" --set nat.colour=red
refused "expected section.key=value" --config "$conf" --set chain
refused "must not be below port_min" --config "$conf" --set nat.port_max=80
refused "more than 256 addresses" --config "$conf" --set nat.pool=203.0.0.0/16
refused "cannot read none.pcap" --config "$conf" --set traffic.capture=none.pcap
refused "is not a pcap or pcapng file" --config "$conf" --set traffic.capture="$conf"
refused "expected one of: forever, once" --config "$conf" --set traffic.loop=twice
refused "needs --packets N" --config "$conf" --dump "$work/x.pcap"
printf '[chain]\nstages = nop\nbatch = many\n' >"$work/bad.conf"
refused "$work/bad.conf:3: [chain] batch = many: expected a whole number" --config "$work/bad.conf"
refused "[traffic] capture is not given" --config "$work/bad.conf"
printf '[chain]\nstages = nop\nnonsense\n' >"$work/bad.conf"
refused "$work/bad.conf:3: expected [section] or key = value" --config "$work/bad.conf"
printf 'a pass x\nb maybe y\n' >"$work/rules"
refused "$work/rules:2: action maybe: expected pass, mark or drop" --config "$conf" --set dpi.patterns="$work/rules"
printf 'a pass (x\nb pass y\n' >"$work/rules"
refused "$work/rules:1: rule a: " --config "$conf" --set dpi.patterns="$work/rules"
printf 'a pass udp 10.0.0.1/8 any any any\n' >"$work/rules"
refused "$work/rules:1: 10.0.0.1/8 to any: expected any, or prefixes" --config "$conf" --set dpi.rules="$work/rules"
refused "needs [chain] flow_cache = on" --config "$conf" --set dpi.inspect_packets=4
printf 'route 10.0.0.0/8 4\n' >"$work/routes"
refused "$work/routes:1: there is no next_hop 4 above this line" --config "$conf" --set l3fwd.routes="$work/routes"
printf 'permit 7 tcp any any any 80\n\ndeny 7 udp any any any any\npermit 8 icmp any any any 80\n' >"$work/acl"
refused "$work/acl:3: line 1 already has priority 7" --config "$source/conf/golden.conf" --set acl.rules="$work/acl"
refused "$work/acl:4: ports other than any need" --config "$source/conf/golden.conf" --set acl.rules="$work/acl"
printf 'next_hop 0 02:00:00:00:01:00\nroute 2001:db8::1/32 0\n' >"$work/routes"
refused "$work/routes:2: 2001:db8::1/32: expected a prefix" --config "$conf" --set l3fwd.routes="$work/routes"
printf 'flow 0 1 any goto=1\n\nflow 1 1 any goto=1\nflow 1 0 ipv4_dst=10.0.0.0/8 drop\nflow 1 0 any write:group=7\n' >"$work/flows"
refused "$work/flows:3: goto=1: expected a table behind this one" --config "$source/conf/golden.conf" --set openflow.rules="$work/flows"
refused "$work/flows:4: ipv4_dst needs eth_type=0x0800 before it" --config "$source/conf/golden.conf" --set openflow.rules="$work/flows"
refused "$work/flows:5: no group 7 above this line" --config "$source/conf/golden.conf" --set openflow.rules="$work/flows" \
	--set openflow.next_hops_generated=6
refused "needs next_hops_generated" --config "$source/conf/vbng.conf" --set openflow.prefixes_generated=1
mix=$source/conf/mix.conf
# a comment of any length is one line
long=$(printf '#%0600d' 0)
printf '%s\npermit 7 tcp any any any 80\nbad\n' "$long" >"$work/rules"
refused "$work/rules:3: " --config "$source/conf/golden.conf" --set acl.rules="$work/rules"
printf 'next_hop 0 02:00:00:00:01:00 %s\nroute 10.0.0.0/8 0\n' "$long" >"$work/rules"
accepted --config "$conf" --set l3fwd.routes="$work/rules"
printf 'service 198.51.100.80:80 tcp %s\nbackend 10.20.0.1:80 1\n' "$long" >"$work/rules"
accepted --config "$source/conf/sfc_b.conf" --set lb.services="$work/rules"
printf 'station 02:00:00:00:20:01 forward %s\n' "$long" >"$work/rules"
accepted --config "$mix" --set l2fwd.stations="$work/rules"
printf 'customer 02:00:00:00:20:01 bridge 02:00:00:ff:01:05 %s\n' "$long" >"$work/rules"
accepted --config "$source/conf/pbb.conf" --set pbb.customers="$work/rules"
printf 'next_hop 4294967296 02:00:00:00:01:00\nnext_hop 0 02:00:00:00:01:00\nroute 10.0.0.0/8 4294967296\n' >"$work/rules"
refused "$work/rules:1: next hop 4294967296: expected a number from 0 to 255" --config "$conf" --set l3fwd.routes="$work/rules"
refused "$work/rules:3: there is no next_hop 4294967296 above this line" --config "$conf" --set l3fwd.routes="$work/rules"
printf 'service 198.51.100.80:80 tcp\nbackend 10.20.0.1:80 4294967297\n' >"$work/rules"
refused "$work/rules:2: weight 4294967297: expected 1 to 65535" --config "$source/conf/sfc_b.conf" \
	--set lb.services="$work/rules"
cp "$source/conf/nop.conf" "$work/twice.conf"
printf '[traffic]\nns_per_packet = banana\n' >>"$work/twice.conf"
refused "$work/twice.conf:$(($(wc -l <"$work/twice.conf") - 1)): section [traffic] is already in line " --config "$work/twice.conf"
accepted --config "$conf" --set nat.entries=100000 --set model.workers=2
accepted --config "$conf" --set nat.entries=100000 --set model.sessions=65536
refused "--set model.sessions=65536: fewer than [nat] entries = 100000" --config "$conf" --set nat.entries=100000 \
	--set model.workers=2 --set model.sessions=65536
printf 'station 02:00:00:00:20:01 forward\nstation 01:00:5e:00:00:01 forward\nstation 02:00:00:00:20:01 filter\n' >"$work/stations"
refused "$work/stations:2: 01:00:5e:00:00:01 is a group address" --config "$mix" --set l2fwd.stations="$work/stations"
refused "$work/stations:3: line 1 already has this station" --config "$mix" --set l2fwd.stations="$work/stations"
printf 'customer 02:00:00:00:20:01 bridge 02:00:00:ff:01:05\ncustomer 02:00:00:00:20:01 bridge 02:00:00:ff:01:06\ncustomer x\n' \
	>"$work/customers"
pbb=$source/conf/pbb.conf
refused "$work/customers:2: line 1 already has this customer" --config "$pbb" --set pbb.customers="$work/customers"
refused "$work/customers:3: expected \`customer <MAC> bridge <MAC>\`" --config "$pbb" --set pbb.customers="$work/customers"
refused "--set pbb.bridge=01:00:5e:00:00:01: expected the MAC address of one bridge" --config "$pbb" \
	--set pbb.bridge=01:00:5e:00:00:01
refused "profile mix has flows that stay" --config "$mix" --set traffic.reply_percent=10
refused "--set traffic.frame_bytes=65: must be even" --config "$mix" --set traffic.frame_bytes=65
refused "--set traffic.frame_bytes=256: no stage or part of the program has this key" --config "$conf" --set traffic.frame_bytes=256
refused "--set io.offload=sum,hash: \`sum\`: expected some of checksum, hash, mark, decap, rss" --config "$mix" --set io.offload=sum,hash
refused "mark needs [chain] flow_cache = on" --config "$mix" --set io.offload=mark
refused "decap needs stage gtp_decap" --config "$mix" --set io.offload=decap
refused "rss needs model = rtc with several workers" --config "$mix" --set io.offload=rss
refused "rss needs model = rtc with several workers" --config "$mix" --set io.offload=rss --set model.model=pipeline
refused "and stage nat keeps them together" --config "$conf" --set io.offload=rss --set model.workers=2
refused "rss does not go with fragments = reassemble" --config "$mix" --set io.offload=rss --set model.workers=2 \
	--set io.fragments=reassemble
refused "hash with captures needs [traffic] replies = as_is" --config "$conf" --set io.offload=hash
hop=$source/conf/hop.conf
printf 'len,4\nport,3\n' >"$work/fields"
refused "$work/fields:2: field port: expected 1, 2, 4 or 8 bytes" --config "$hop" --set hop.fields="$work/fields"
printf 'port,2\n' >"$work/fields"
refused "has no field \`len\`" --config "$hop" --set hop.fields="$work/fields"
printf 'len,4\na,8\nb,8\nc,8\nd,8\ne,8\n' >"$work/fields"
refused "no room for field e" --config "$hop" --set hop.fields="$work/fields" --set hop.buffers=mbuf
refused "cannot read $work/none" --config "$hop" --set hop.fields="$work/none"
refused "expected a power of two" --config "$hop" --set hop.packets=100
refused "expected the file that both processes name" --config "$hop" --set hop.side=switch
refused "needs [traffic] replies = as_is" --config "$hop" --set hop.side=switch --set hop.path="$work/hop"
refused "only the switch's side" --config "$hop" --set hop.side=nf --set hop.path="$work/hop"
refused "join two processes" --config "$hop" --set hop.buffers=vhost
vcpe=$source/conf/vcpe.conf
refused "side first needs [traffic] replies = as_is" --config "$hop" --set hop.side=first --set hop.path="$work/hop"
refused "goes with side first" --config "$hop" --set hop.next="$vcpe"
refused "cannot read $work/none" --config "$vcpe" --set hop.side=first --set hop.next="$work/none" --set hop.buffers=memif
refused "one lcore sends" --config "$vcpe" --set hop.side=first --set hop.next="$vcpe" --set hop.buffers=memif --set model.workers=2
refused "needs buffers" --config "$vcpe" --set hop.side=first --set hop.next="$vcpe"
refused "does not go with [io] port = eal" --config "$hop" --set io.port=eal
refused "does not go with [hop] buffers" --config "$hop" --set io.offload=checksum
refused "[hop] fields is not given" --config "$source/conf/nop.conf" --set hop.buffers=fdt
upf=$source/conf/upf.conf
refused "a NIC is asked for checksum, hash and rss only" --config "$upf" --set io.offload=decap --set io.port=eal
refused "pdr needs gtp_decap before it" --config "$upf" --set chain.stages=pdr,gtp_decap,qer,urr,far
refused "urr needs pdr before it" --config "$upf" --set chain.stages=gtp_decap,urr,pdr,qer,far
refused "does not go with gtp_decap" --config "$upf" --set chain.flow_cache=on
refused "--set network.n3=nowhere: expected the IPv4 address" --config "$upf" --set network.n3=nowhere
refused "has fewer addresses than there are subscribers" --config "$upf" --set network.inside=10.0.0.0/24
refused "needs sessions_generated = on" --config "$upf" --set pdr.sessions_generated=off --set pdr.churn_per_second=5
refused "profile upf has a flow for each protocol" --config "$upf" --set traffic.flows=5
printf 'session\nfar 1 core\npdr 1 1 access 1 far 1 filter permit out udp from any to any\n' >"$work/sessions"
refused "$work/sessions:3: filter: expected" --config "$upf" --set pdr.sessions="$work/sessions"
printf '\nsession\nfar 1 core\npdr 1 1 access 1 far 1 urr 7\n' >"$work/sessions"
refused "$work/sessions:2: session: PDR 1: a URR of it is not there" --config "$upf" --set pdr.sessions="$work/sessions"
printf 'web mark tcp any any any 80\n' >"$work/policies"
refused "$work/policies:1: a policy's action is pass or drop" --config "$upf" --set pdr.policies="$work/policies"
printf '# shares\nweb 60 http_*\nweb 10 tls_*\nmore 50 tls_*\nagain 10 http_get\nnone 1 nothing\nfew 1\nall 101 tls_*\n' >"$work/services"
refused "$work/services:3: service web is there already" --config "$conf" --set dpi.services="$work/services"
refused "$work/services:4: share 50: shares add up to more than 100 %" --config "$conf" --set dpi.services="$work/services"
refused "$work/services:5: rule http_get is already in service web" --config "$conf" --set dpi.services="$work/services"
refused "$work/services:6: there is no rule nothing" --config "$conf" --set dpi.services="$work/services"
refused "$work/services:7: expected \`service share rule...\`" --config "$conf" --set dpi.services="$work/services"
refused "needs [dpi] services" --config "$conf" --set dpi.shape_mbit=10
refused "cannot read $work/none: " --config "$conf" --set dpi.services="$work/none"
refused "expected one of: pass, reassemble" --config "$conf" --set io.fragments=drop
refused "does not go with [hop] buffers" --config "$source/conf/hop.conf" --set io.fragments=reassemble
