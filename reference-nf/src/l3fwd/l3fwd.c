/* SPDX-License-Identifier: BSD-3-Clause
 *
 * IPv4 forwarding (RFC 1812): route by longest prefix, TTL, MAC addresses. docs/behaviour.md.
 */
#include <arpa/inet.h>
#include <string.h>

#include "checksum.h"
#include "l3fwd/l3fwd_table.h"
#include "stage.h"

enum l3fwd_outcome {
	L3FWD_FORWARDED,
	L3FWD_TTL_EXPIRED,
	L3FWD_NO_ROUTE,
	L3FWD_MALFORMED,
	L3FWD_VLAN,
	L3FWD_IPV6,
	L3FWD_NOT_IP,
};

static const struct nalm_outcome_spec l3fwd_outcomes[] = {
	[L3FWD_FORWARDED] = {"forwarded", NALM_KIND_PASS},
	[L3FWD_TTL_EXPIRED] = {"ttl_expired", NALM_KIND_BAD},
	[L3FWD_NO_ROUTE] = {"no_route", NALM_KIND_BAD},
	[L3FWD_MALFORMED] = {"malformed", NALM_KIND_BAD},
	[L3FWD_VLAN] = {"vlan", NALM_KIND_BAD},
	[L3FWD_IPV6] = {"ipv6", NALM_KIND_BAD},
	[L3FWD_NOT_IP] = {"not_ip", NALM_KIND_BAD},
	{NULL, 0},
};

/* A router looks no further than the IPv4 header: bad transport headers and fragments are forwarded. */
static const enum l3fwd_outcome outcome_of_kind[] = {
	[PACKET_L4] = L3FWD_FORWARDED,	      [PACKET_OTHER] = L3FWD_FORWARDED, [PACKET_BAD_L4] = L3FWD_FORWARDED,
	[PACKET_FRAGMENT] = L3FWD_FORWARDED,  [PACKET_MALFORMED] = L3FWD_MALFORMED,
	[PACKET_VLAN] = L3FWD_VLAN,	[PACKET_NOT_IP] = L3FWD_NOT_IP,
};

static void *l3fwd_init(const void *settings, const struct live *live, const struct stage_place *place)
{
	(void)live, (void)place;
	return l3fwd_table_create(settings);
}

static void l3fwd_fini(void *state)
{
	l3fwd_table_destroy(state);
}

static inline void decrement_ttl(struct rte_ipv4_hdr *ip)
{
	const uint8_t *word = &ip->time_to_live; /* TTL and protocol: one word of the checksum */
	uint16_t was = load16(word);

	ip->time_to_live--;
	ip->hdr_checksum = checksum_apply(ip->hdr_checksum, checksum_delta16(was, load16(word)));
}

static inline enum l3fwd_outcome forward(const struct l3fwd_table *table, uint8_t *frame, const struct packet *p)
{
	enum l3fwd_outcome outcome = p->version == 6 ? L3FWD_IPV6 : outcome_of_kind[p->kind];
	if (outcome != L3FWD_FORWARDED)
		return outcome;

	struct rte_ipv4_hdr *ip = packet_ipv4(frame);
	if (ip->time_to_live <= 1)
		return L3FWD_TTL_EXPIRED;
	const struct l3fwd_next_hop *hop = l3fwd_table_lookup(table, ntohl(ip->dst_addr));
	if (hop == NULL)
		return L3FWD_NO_ROUTE;
	decrement_ttl(ip);
	memcpy(frame, hop, sizeof(*hop));
	return L3FWD_FORWARDED;
}

STAGE_PROCESS void l3fwd_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void l3fwd_process(void *state, struct batch *batch, uint64_t now_ns)
{
	const struct l3fwd_table *table = state;

	(void)now_ns;
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)forward(table, batch_frame(batch, i), &batch->packets[i]);
	batch_settle(batch);
}

const struct stage_ops l3fwd_stage = {
	.name = "l3fwd",
	.outcomes = l3fwd_outcomes,
	.configure = l3fwd_configure,
	.init = l3fwd_init,
	.process = l3fwd_process,
	.fini = l3fwd_fini,
	.release = l3fwd_release,
};
