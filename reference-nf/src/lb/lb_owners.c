/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/icmp_error.h"
#include "lb/lb_owners.h"
#include "lb/lb_packet.h"
#include "lb/lb_table.h"

static struct stage_owner by_client(uint8_t protocol, uint32_t address, uint16_t port)
{
	return (struct stage_owner){{{lb_service_key(address, port, protocol), 0}}, OWNER_BY_KEY};
}

/* An error to the address of a service is about a reply, whose destination is the client; another is about a client's
 * packet. */
static struct stage_owner owner_of_error(const struct lb_tables *t, uint8_t *frame, const struct packet *p)
{
	uint64_t address = lb_service_key(load32(frame + IPV4_DESTINATION_AT), 0, 0);
	bool to_service = lb_find_service(t, address) != LB_NONE;
	enum icmp_error_end client = to_service ? ICMP_ERROR_DESTINATION : ICMP_ERROR_SOURCE;
	struct icmp_error e;

	if (icmp_error_parse(frame, p, &e) != ICMP_ERROR_SOUND || e.protocol == IPPROTO_ICMP)
		return (struct stage_owner){.instance = OWNER_ANY};
	return by_client(e.protocol, icmp_error_address(&e, client), icmp_error_port(&e, client));
}

/* A packet to no service may be a reply of a back end, which the tables may no longer have. */
static struct stage_owner owner_of(const struct lb_tables *t, uint8_t *frame, const struct packet *p)
{
	if (p->version != 4 || p->kind != PACKET_L4)
		return (struct stage_owner){.instance = OWNER_ANY};
	uint32_t source = load32(frame + IPV4_SOURCE_AT), destination = load32(frame + IPV4_DESTINATION_AT);
	const uint8_t *l4 = frame + p->l4;
	if (p->protocol == IPPROTO_ICMP)
		return icmp_is_error(l4[0]) ? owner_of_error(t, frame, p) : (struct stage_owner){.instance = OWNER_ANY};
	if (lb_find_service(t, lb_service_key(destination, load16(l4 + 2), p->protocol)) != LB_NONE)
		return by_client(p->protocol, source, load16(l4));
	return by_client(p->protocol, destination, load16(l4 + 2));
}

void lb_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
	       struct stage_owner owners[])
{
	const struct lb_tables *tables = rcu_tables_get(rcu);

	(void)settings, (void)count;
	for (uint32_t i = 0; i < batch->count; i++)
		owners[i] = owner_of(tables, rte_pktmbuf_mtod(batch->mbufs[i], uint8_t *), &batch->packets[i]);
}
