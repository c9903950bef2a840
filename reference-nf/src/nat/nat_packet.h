/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and rewrites packets for the NAT. Only the stage's own files include it.
 */
#ifndef NAT_PACKET_H
#define NAT_PACKET_H

#include <arpa/inet.h>

#include "packet/batch.h"
#include "packet/checksum.h"
#include "packet/icmp_error.h"
#include "nat/nat_table.h"

/* A prefix in network byte order. */
struct nat_prefix {
	uint32_t address, mask;
};

static inline struct nat_prefix nat_prefix(struct ipv4_prefix prefix)
{
	return (struct nat_prefix){htonl(prefix.address), htonl(ipv4_mask(prefix.length))};
}

static inline bool nat_within(struct nat_prefix prefix, uint32_t address)
{
	return (address & prefix.mask) == prefix.address;
}

/* A packet's direction. */
enum nat_direction {
	NAT_DIRECTION_OUT,	 /* from the inside */
	NAT_DIRECTION_IN,	 /* from elsewhere */
	NAT_DIRECTION_HAIRPIN, /* from the inside to a pool address: out and back in (RFC 4787, REQ-9) */
	NAT_DIRECTION_ERROR,	 /* an ICMP error: about another packet */
	NAT_DIRECTION_NONE,	 /* ICMP that is neither an outbound query, nor an inbound reply, nor an error */
};

/* The packet is IPv4 and of kind PACKET_L4. Key: the end that the NAT looks up, for the first three directions. */
static inline enum nat_direction nat_direction(struct nat_prefix inside, struct nat_prefix pool, const uint8_t *frame,
				   const struct packet *p, struct flow_key *key)
{
	uint32_t source = load32(frame + IPV4_SOURCE_AT), destination = load32(frame + IPV4_DESTINATION_AT);
	const uint8_t *l4 = frame + p->l4, *port = l4 + 4;
	bool out = nat_within(inside, source);

	if (p->protocol != IPPROTO_ICMP)
		port = out ? l4 : l4 + 2;
	else if (icmp_is_error(l4[0]))
		return NAT_DIRECTION_ERROR;
	else if (l4[0] != (out ? ICMP_ECHO : ICMP_ECHOREPLY))
		return NAT_DIRECTION_NONE;
	*key = nat_key(p->protocol, out ? source : destination, load16(port));
	if (!out)
		return NAT_DIRECTION_IN;
	return nat_within(pool, destination) ? NAT_DIRECTION_HAIRPIN : NAT_DIRECTION_OUT;
}

/* The end of the quoted packet that has a mapping: the one that the error returns to. */
static inline struct flow_key nat_error_key(const struct icmp_error *e, enum icmp_error_end end)
{
	return nat_key(e->protocol, icmp_error_address(e, end), icmp_error_port(e, end));
}

/* Writes the mapping's end of that side: outside as the packet's source, inside as its destination. */
static inline void nat_rewrite(uint8_t *frame, const struct packet *p, const struct nat_mapping *m, enum nat_side to)
{
	uint8_t *ip_check = frame + ETHER_BYTES + 10, *l4 = frame + p->l4;
	uint32_t address = nat_key_address(&m->ends[to]);
	uint16_t port = nat_key_port(&m->ends[to]);

	memcpy(frame + (to == NAT_OUTSIDE ? IPV4_SOURCE_AT : IPV4_DESTINATION_AT), &address, sizeof(address));
	store16(ip_check, checksum_apply_folded(load16(ip_check), m->ip_delta[to]));
	if (p->protocol == IPPROTO_ICMP) {
		store16(l4 + 4, port);
		store16(l4 + 2, checksum_apply_folded(load16(l4 + 2), m->l4_delta[to]));
		return;
	}
	store16(l4 + (to == NAT_OUTSIDE ? 0 : 2), port);
	if (p->protocol == IPPROTO_TCP)
		store16(l4 + 16, checksum_apply_folded(load16(l4 + 16), m->l4_delta[to]));
	else
		store16(l4 + 6, checksum_apply_udp_folded(load16(l4 + 6), m->l4_delta[to]));
}

#endif
