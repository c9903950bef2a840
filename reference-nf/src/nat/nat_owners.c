/* SPDX-License-Identifier: BSD-3-Clause */
#include "nat/nat_owners.h"
#include "nat/nat_packet.h"

static struct stage_owner by_port(const struct nat_settings *s, const struct flow_key *outside, uint32_t count)
{
	int32_t instance = nat_port_instance(s, ntohs(nat_key_port(outside)), count);
	return (struct stage_owner){.instance = instance < 0 ? OWNER_ANY : instance};
}

/* A hairpinned error belongs to the instance with the mapping of its sender's end, like the packet that it is about. */
static struct stage_owner owner_of_error(const struct nat_settings *s, struct nat_prefix inside, uint8_t *frame,
					 const struct packet *p, uint32_t count)
{
	struct icmp_error e;
	struct flow_key key;

	if (icmp_error_parse(frame, p, &e) != ICMP_ERROR_SOUND)
		return (struct stage_owner){.instance = OWNER_ANY};
	if (nat_within(inside, load32(frame + IPV4_SOURCE_AT)))
		return (struct stage_owner){nat_error_key(&e, ICMP_ERROR_DESTINATION), OWNER_BY_KEY};
	key = nat_error_key(&e, ICMP_ERROR_SOURCE);
	return by_port(s, &key, count);
}

static struct stage_owner owner_of(const struct nat_settings *s, uint8_t *frame, const struct packet *p, uint32_t count)
{
	struct nat_prefix inside = nat_prefix(s->inside), pool = nat_prefix(s->pool);
	struct flow_key key;

	if (p->version != 4 || p->kind != PACKET_L4)
		return (struct stage_owner){.instance = OWNER_ANY};
	switch (nat_direction(inside, pool, frame, p, &key)) {
	case NAT_DIRECTION_OUT:
	case NAT_DIRECTION_HAIRPIN:
		return (struct stage_owner){key, OWNER_BY_KEY};
	case NAT_DIRECTION_IN:
		return nat_within(pool, nat_key_address(&key)) ? by_port(s, &key, count)
							       : (struct stage_owner){.instance = OWNER_ANY};
	case NAT_DIRECTION_ERROR:
		return owner_of_error(s, inside, frame, p, count);
	default:
		return (struct stage_owner){.instance = OWNER_ANY};
	}
}

void nat_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
		struct stage_owner owners[])
{
	(void)rcu;
	for (uint32_t i = 0; i < batch->count; i++)
		owners[i] = owner_of(settings, rte_pktmbuf_mtod(batch->mbufs[i], uint8_t *), &batch->packets[i], count);
}
