/* SPDX-License-Identifier: BSD-3-Clause */
#include "nat/nat_error.h"

static void rewrite_inside(const struct nat *nat, uint8_t *frame, const struct packet *p, const struct icmp_error *e,
			   enum icmp_error_end end, uint32_t record, enum nat_side to)
{
	const struct flow_key *is = &nat->table->mappings[record].ends[to];
	icmp_error_rewrite(frame, p, e, end, nat_key_address(is), nat_key_port(is));
}

/* From the inside, about an inbound packet: the sender, which is the host or a router before it, becomes its pool
 * address. */
static enum nat_outcome outbound(const struct nat *nat, uint8_t *frame, const struct packet *p,
				 const struct icmp_error *e)
{
	struct flow_key key = nat_error_key(e, ICMP_ERROR_DESTINATION);
	uint32_t record = nat_table_find_one(nat->table, NAT_INSIDE, &key);

	if (record == NAT_NONE)
		return NAT_NO_MAPPING;
	rewrite_inside(nat, frame, p, e, ICMP_ERROR_DESTINATION, record, NAT_OUTSIDE);
	uint32_t sender = load32(frame + IPV4_SOURCE_AT);
	icmp_error_rewrite_address(frame, IPV4_SOURCE_AT, nat_table_pool_address(nat->table, sender));
	return NAT_ICMP_ERROR;
}

/* To the sender of an outbound packet; found is its mapping. */
static void inbound(const struct nat *nat, uint8_t *frame, const struct packet *p, const struct icmp_error *e,
		    uint32_t found)
{
	const struct flow_key *inside = &nat->table->mappings[found].ends[NAT_INSIDE];

	rewrite_inside(nat, frame, p, e, ICMP_ERROR_SOURCE, found, NAT_INSIDE);
	icmp_error_rewrite_address(frame, IPV4_DESTINATION_AT, nat_key_address(inside));
}

static enum nat_outcome translate(const struct nat *nat, uint8_t *frame, const struct packet *p,
				  const struct icmp_error *e)
{
	bool out = nat_within(nat->inside, load32(frame + IPV4_SOURCE_AT)), elsewhere = false;
	uint32_t destination = load32(frame + IPV4_DESTINATION_AT), found = NAT_NONE;
	bool in = !out || nat_within(nat->pool, destination);

	if (in) { /* looks the error's other end up before writing */
		struct flow_key key = nat_error_key(e, ICMP_ERROR_SOURCE);
		if (destination == icmp_error_address(e, ICMP_ERROR_SOURCE)) /* errors go to the packet's sender */
			found = nat_find_outside(nat, &key, &elsewhere);
		if (found == NAT_NONE)
			return elsewhere ? NAT_HAIRPIN_ELSEWHERE : NAT_NO_MAPPING;
	}
	if (out && outbound(nat, frame, p, e) != NAT_ICMP_ERROR)
		return NAT_NO_MAPPING;
	if (in)
		inbound(nat, frame, p, e, found);
	return NAT_ICMP_ERROR;
}

/* An outbound query or an inbound reply: these have mappings. */
static bool of_a_query(const struct nat *nat, const uint8_t *frame, const struct icmp_error *e)
{
	if (e->protocol != IPPROTO_ICMP)
		return true;
	bool out = nat_within(nat->inside, load32(frame + IPV4_SOURCE_AT));
	return icmp_error_query(e) == (out ? ICMP_ECHOREPLY : ICMP_ECHO);
}

enum nat_outcome nat_error_translate(const struct nat *nat, uint8_t *frame, const struct packet *p)
{
	struct icmp_error e;

	switch (icmp_error_parse(frame, p, &e)) {
	case ICMP_ERROR_MALFORMED:
		return NAT_MALFORMED;
	case ICMP_ERROR_FRAGMENT:
		return NAT_FRAGMENT;
	case ICMP_ERROR_UNSUPPORTED:
		return NAT_UNSUPPORTED_PROTOCOL;
	default:
		return of_a_query(nat, frame, &e) ? translate(nat, frame, p, &e) : NAT_UNSUPPORTED_PROTOCOL;
	}
}
