#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Replay through the real program: the same settings give the same bytes, the totals have every packet, signals end it
# cleanly, and nop in a golden run returns the capture.
. "$(dirname "$0")/run_nf.sh"

digest() { run "$@" || fail "exit $?: $*"; [ "$(member balanced)" = true ] || fail "totals do not add up"; member dump_digest; }
replay="--config $source/conf/sfc_a.conf --packets 20000 --dump $work/dump.pcap"

a=$(digest 0@0 $replay)
b=$(digest 0@0 $replay)
[ -n "$a" ] && [ "$a" = "$b" ] || fail "two runs sent different bytes: $a $b"
c=$(NALM_PROBE_SEED=5 digest 0@0 $replay)
[ "$a" = "$c" ] || fail "another placement in memory changed what is sent"
d=$(digest 0@0 $replay --set traffic.seed=2)
[ "$a" != "$d" ] || fail "another traffic seed changed nothing"
e=$(digest 0,1 $replay)
[ "$a" = "$e" ] || fail "two lcores sent other bytes than one"
[ "$(member in)" = 20000 ] || fail "not every packet arrived: $(cat "$work/out")"
[ "$(member translated_in)" -gt 1000 ] || fail "replies are not translated"
[ "$(member no_mapping)" = 0 ] || fail "a reply found no mapping although its flow was open"

# nop, every packet once: the records' bytes are the capture's
digest 0@0 --config "$source/conf/golden.conf" --set chain.stages=nop --dump "$work/nop.pcap" >/dev/null
python3 - "$source/traffic/mixed.pcap" "$work/nop.pcap" <<'P' || fail "nop changed packets"
import struct, sys
def frames(path):
    data = open(path, "rb").read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at < len(data):
        size = struct.unpack_from(order + "I", data, at + 8)[0]
        yield data[at + 16 : at + 16 + size]
        at += 16 + size
a, b = (list(frames(path)) for path in sys.argv[1:])
sys.exit(not (a and a == b))
P

# a signal ends it with totals, on one lcore and on two
for lcores in 0@0 0,1; do
	rm "$work/err"
	touch "$work/err"
	"$nf" --lcores=$lcores --no-pci --no-huge -m 256 --no-shconf --no-telemetry -- --config "$source/conf/nop.conf" \
		>"$work/out" 2>"$work/err" &
	pid=$!
	until grep -q "replaying" "$work/err"; do kill -0 $pid || fail "ended by itself"; done
	kill -TERM $pid
	wait $pid || fail "exit $? after SIGTERM"
	[ "$(member balanced)" = true ] || fail "totals do not add up after a signal"
done
