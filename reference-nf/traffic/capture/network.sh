# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# The network of the captures: two namespaces, a veth pair, and two pairs of VLAN ports on it. make_capture.sh reads
# it.
#
#   veth    clients 10.10.0.0/16, 2001:db8:10::/48      servers 192.0.2.0/24, 198.51.100.0/24, 2001:db8:20::/48
#   vlan    802.1Q 100: 10.10.100.11, 2001:db8:10:100::11 to 192.0.2.30, 2001:db8:20:100::30
#   qinq    802.1ad 200, 802.1Q 30: 10.10.130.11, 2001:db8:10:200::11 to 192.0.2.31, 2001:db8:20:200::31

ip netns add "$client"
ip netns add "$server"
ip link add veth-c netns "$client" type veth peer name veth-s netns "$server"
ip -n "$client" link set veth-c address 02:00:00:00:10:01
ip -n "$server" link set veth-s address 02:00:00:00:20:01
for end in "$client veth-c" "$server veth-s"; do
	read -r ns dev <<<"$end"
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.router_solicitations=0 \
		net.ipv6.conf.all.accept_dad=0 "net.ipv6.conf.$dev.accept_dad=0" "net.ipv6.conf.$dev.router_solicitations=0"
	# Offloads leave checksums unfilled and packets larger than the MTU in a capture of a veth.
	ip netns exec "$ns" ethtool -K "$dev" tx off rx off tso off gso off gro off sg off >/dev/null 2>&1
	ip -n "$ns" link set lo up
	ip -n "$ns" link set "$dev" mtu 1500 up
done
for host in 1.11 1.12 2.21 2.22 3.31 3.32 4.41 200.7; do
	ip -n "$client" addr add "10.10.$host/16" dev veth-c
done
for host in 192.0.2.{10,11,20,53,60,70} 198.51.100.{10,20,53}; do
	ip -n "$server" addr add "$host/32" dev veth-s
done
for host in 1::11 1::12 2::21 3::31; do
	ip -n "$client" addr add "2001:db8:10:$host/48" dev veth-c nodad
done
for host in 10 20 53 70 99; do
	ip -n "$server" addr add "2001:db8:20::$host/48" dev veth-s nodad
done
ip -n "$client" route add 192.0.2.0/24 dev veth-c src 10.10.1.11
ip -n "$client" route add 198.51.100.0/24 dev veth-c src 10.10.1.11
ip -n "$server" route add 10.10.0.0/16 dev veth-s src 192.0.2.10
ip -n "$client" route add 2001:db8:20::/48 dev veth-c
ip -n "$server" route add 2001:db8:10::/48 dev veth-s
# The waypoint of segment routing (RFC 8754) is one of the server's own addresses.
at_server sysctl -qw net.ipv6.conf.all.seg6_enabled=1 net.ipv6.conf.veth-s.seg6_enabled=1

# A VLAN device in user space, because not every kernel has one.
# vlan_port NAMESPACE PARENT NAME MAC MTU ADDRESS ADDRESS6 TAG...
vlan_port() {
	local ns=$1 parent=$2 name=$3 mac=$4 mtu=$5 address=$6 address6=$7
	shift 7
	ip -n "$ns" tuntap add dev "$name" mode tap
	ip netns exec "$ns" sysctl -qw "net.ipv6.conf.$name.accept_dad=0" "net.ipv6.conf.$name.router_solicitations=0"
	ip -n "$ns" link set "$name" address "$mac" mtu "$mtu" up
	ip -n "$ns" addr add "$address/32" dev "$name"
	ip -n "$ns" addr add "$address6/128" dev "$name" nodad
	ip netns exec "$ns" python3 "$here/capture/vlan_port.py" "$parent" "$name" "$@" &
}
vlan_port "$client" veth-c vlan 02:00:00:00:10:02 1500 10.10.100.11 2001:db8:10:100::11 8100:100
vlan_port "$server" veth-s vlan 02:00:00:00:20:02 1500 192.0.2.30 2001:db8:20:100::30 8100:100
# Two tags in the veth's 1500 bytes and the 14 of the Ethernet header.
vlan_port "$client" veth-c qinq 02:00:00:00:10:03 1492 10.10.130.11 2001:db8:10:200::11 88a8:200 8100:30
vlan_port "$server" veth-s qinq 02:00:00:00:20:03 1492 192.0.2.31 2001:db8:20:200::31 88a8:200 8100:30
for pair in "vlan 10.10.100.11 192.0.2.30 2001:db8:10:100::11 2001:db8:20:100::30" \
	"qinq 10.10.130.11 192.0.2.31 2001:db8:10:200::11 2001:db8:20:200::31"; do
	read -r dev near far near6 far6 <<<"$pair"
	ip -n "$client" route add "$far/32" dev "$dev" src "$near"
	ip -n "$server" route add "$near/32" dev "$dev" src "$far"
	ip -n "$client" route add "$far6/128" dev "$dev" src "$near6"
	ip -n "$server" route add "$near6/128" dev "$dev" src "$far6"
done
