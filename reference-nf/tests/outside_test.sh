#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traffic from outside through the real program: dpdk-testpmd over memif, tcpreplay over af_packet on a veth pair, and
# pcap files through net_pcap. $1: the binary, $2: the source directory. Needs root (network namespaces), dpdk-testpmd
# (Debian: dpdk), tcpreplay, tcpdump, iproute2; a missing tool is a failure; no part is skipped silently.
. "$(dirname "$0")/run_nf.sh"
touch "$work/err"
wait_seconds=30

[ "$(id -u)" = 0 ] || fail "this makes network namespaces and veth pairs: run it as root (sudo make test-nf-outside)"
for tool in dpdk-testpmd tcpreplay tcpdump ip unshare; do
	command -v $tool >/dev/null || fail "$tool is missing (Debian: dpdk-dev tcpreplay tcpdump iproute2 util-linux)"
done

# until_seen TEXT FILE: waits until the file has the text
until_seen() {
	end=$(($(date +%s) + wait_seconds))
	until grep -q "$1" "$2" 2>/dev/null; do
		[ "$(date +%s)" -lt $end ] || fail "not seen in $wait_seconds s: $1"
	done
}

# start VDEV ARGUMENT...: starts the NF in the background, its pid in $pid
start() {
	vdev=$1; shift
	: >"$work/err"
	"$nf" --lcores=0 --no-pci --no-huge -m 256 --no-shconf --no-telemetry --vdev "$vdev" -- \
		--config "$source/conf/sfc_a.conf" --set io.port=eal "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	until_seen "nalm-nf: from and to port" "$work/err"
}

# finish: waits for the NF to end by itself
finish() {
	wait $pid || fail "exit $? of the NF"
	[ "$(member balanced)" = true ] || fail "totals do not add up: $(cat "$work/out")"
}

frames() { tcpdump -r "$1" 2>/dev/null | wc -l; }

pcap_files() {
	start "net_pcap0,rx_pcap=$source/traffic/mixed.pcap,tx_pcap=$work/out.pcap" --packets 786 --set chain.stages=nop
	finish
	[ "$(frames "$work/out.pcap")" = 786 ] || fail "not every packet came back"
	[ "$(tcpdump -tnr "$work/out.pcap" -xx 2>/dev/null | cksum)" = \
		"$(tcpdump -tnr "$source/traffic/mixed.pcap" -xx 2>/dev/null | cksum)" ] || fail "nop changed packets"
}

no_port_is_said() {
	status=0
	run 0 --config "$source/conf/sfc_a.conf" --set io.port=eal || status=$?
	[ $status = 1 ] && grep -q "EAL has no port" "$work/err" || fail "exit $status without a port"
}

too_few_queues_are_said() {
	status=0
	"$nf" --lcores=0 --no-pci --no-huge -m 256 --no-shconf --no-telemetry \
		--vdev "net_pcap0,rx_pcap=$source/traffic/mixed.pcap,tx_pcap=$work/out.pcap" -- --config "$source/conf/sfc_a.conf" \
		--set io.port=eal --set model.workers=2 >"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] && grep -q "has 1 transmit queues, but this model has 2 lcores that send" "$work/err" ||
		fail "exit $status with too few queues"
}

# testpmd sends flows and receives replies until it is stopped
testpmd_over_memif() {
	start "net_memif0,role=server,socket=$work/memif,socket-abstract=no"
	mkfifo "$work/keys"
	dpdk-testpmd --lcores=0,1 --no-pci --no-huge -m 256 --no-shconf --no-telemetry --file-prefix "outside$$" \
		--vdev "net_memif0,role=client,socket=$work/memif,socket-abstract=no" -- --forward-mode=flowgen \
		--total-num-mbufs=8192 --no-mlockall --stats-period=1 --auto-start <"$work/keys" >"$work/testpmd" 2>&1 &
	testpmd=$!
	exec 3>"$work/keys"
	until_seen "RX-packets: [0-9]\{5\}" "$work/testpmd"
	exec 3>&-
	kill -INT $testpmd
	wait $testpmd || true
	kill -TERM $pid
	finish
	[ "$(member translated_out)" -gt 10000 ] || fail "too few packets went through: $(cat "$work/out")"
}

# In a network namespace of its own: every packet of the capture once; NAT drops replies to unknown flows.
tcpreplay_over_veth() {
	ip link add nf0 type veth peer name far0
	for port in nf0 far0; do
		ip link set $port addrgenmode none # no packets of the kernel
		ip link set $port up
	done
	start net_af_packet0,iface=nf0 --packets 786
	tcpdump -i far0 -Q in -w "$work/back.pcap" --immediate-mode -U 2>"$work/tcpdump" &
	tcpdump=$!
	until_seen "listening on far0" "$work/tcpdump"
	tcpreplay -i far0 --pps 5000 "$source/traffic/mixed.pcap" >"$work/tcpreplay" 2>&1 || fail "$(cat "$work/tcpreplay")"
	finish
	[ "$(member in)" = 786 ] && [ "$(member translated_out)" = 426 ] || fail "not every packet arrived: $(cat "$work/out")"
	end=$(($(date +%s) + wait_seconds))
	until [ "$(frames "$work/back.pcap")" = 426 ]; do
		[ "$(date +%s)" -lt $end ] || fail "$(frames "$work/back.pcap") of 426 packets came back"
	done
	kill $tcpdump
	wait $tcpdump || true
}

if [ "${3:-}" = veth ]; then
	tcpreplay_over_veth
	exit 0
fi
for part in no_port_is_said too_few_queues_are_said pcap_files testpmd_over_memif; do
	$part
	echo "outside_test: $part: good"
done
unshare -n sh "$0" "$nf" "$source" veth
echo "outside_test: tcpreplay_over_veth: good"
