/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A flow's key: protocol, addresses and ports as in the frame.
 */
#ifndef FLOW_ID_H
#define FLOW_ID_H

#include "packet/packet.h"
#include "table/flow_table.h"

/* The 5-tuple of a packet of TCP or UDP over IPv4. */
static inline struct flow_key flow_id_with_ports(const uint8_t *frame, const struct packet *p)
{
	struct flow_key key;
	uint32_t ports;

	memcpy(&key.words[0], frame + ETHER_BYTES + 12, 8); /* source and destination address */
	memcpy(&ports, frame + p->l4, sizeof(ports));
	key.words[1] = (uint64_t)p->protocol << 32 | ports;
	return key;
}

/* The 5-tuple of an IPv4 packet whose transport header is whole (kind PACKET_L4, version 4). ICMP has type and
 * identifier instead of ports. */
static inline struct flow_key flow_id_ipv4(const uint8_t *frame, const struct packet *p)
{
	struct flow_key key = flow_id_with_ports(frame, p);
	const uint8_t *l4 = frame + p->l4;

	if (p->protocol == IPPROTO_ICMP)
		key.words[1] = (uint64_t)p->protocol << 32 | (uint32_t)l4[0] << 16 | load16(l4 + 4);
	return key;
}

/* A number that is the same for all packets of a flow in one direction, as for a NIC's receive side scaling. It is by
 * ports if there are any, else by addresses; 0 without IP. */
static inline uint32_t flow_id_spread(const uint8_t *frame, const struct packet *p)
{
	struct flow_key key = {{0, 0}};

	if (p->version == 0 || p->kind == PACKET_MALFORMED)
		return 0;
	if (p->version == 4) {
		if (p->kind == PACKET_L4)
			key = flow_id_ipv4(frame, p);
		else
			memcpy(&key.words[0], frame + ETHER_BYTES + 12, 8);
	} else {
		uint64_t addresses[4];
		memcpy(addresses, frame + ETHER_BYTES + 8, sizeof(addresses));
		key.words[0] = addresses[0] ^ addresses[2] * 3;
		key.words[1] = addresses[1] ^ addresses[3] * 3;
		if (p->kind == PACKET_L4 && p->protocol != IPPROTO_ICMPV6)
			key.words[1] ^= (uint64_t)load16(frame + p->l4) << 32 ^ (uint64_t)load16(frame + p->l4 + 2) << 48;
	}
	return flow_table_hash(&key, 0);
}

#endif
