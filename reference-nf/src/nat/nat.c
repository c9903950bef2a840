/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NAT44 (RFC 3022). What happens to which packet: docs/behaviour.md.
 */
#include <arpa/inet.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "checksum.h"
#include "nat/nat_table.h"
#include "stage.h"

enum nat_outcome {
	NAT_TRANSLATED_OUT,
	NAT_TRANSLATED_IN,
	NAT_NOT_IPV4,
	NAT_NO_PORT,
	NAT_TABLE_FULL,
	NAT_NO_MAPPING,
	NAT_MALFORMED,
	NAT_FRAGMENT,
	NAT_UNSUPPORTED_PROTOCOL,
};

static const struct nalm_outcome_spec nat_outcomes[] = {
	[NAT_TRANSLATED_OUT] = {"translated_out", NALM_KIND_PASS},
	[NAT_TRANSLATED_IN] = {"translated_in", NALM_KIND_PASS},
	[NAT_NOT_IPV4] = {"not_ipv4", NALM_KIND_PASS},
	[NAT_NO_PORT] = {"no_port", NALM_KIND_LOST},
	[NAT_TABLE_FULL] = {"table_full", NALM_KIND_LOST},
	[NAT_NO_MAPPING] = {"no_mapping", NALM_KIND_POLICY},
	[NAT_MALFORMED] = {"malformed", NALM_KIND_BAD},
	[NAT_FRAGMENT] = {"fragment", NALM_KIND_BAD},
	[NAT_UNSUPPORTED_PROTOCOL] = {"unsupported_protocol", NALM_KIND_BAD},
	{NULL, 0},
};

static const enum nat_outcome outcome_of_kind[] = {
	[PACKET_OTHER] = NAT_UNSUPPORTED_PROTOCOL,
	[PACKET_BAD_L4] = NAT_MALFORMED,
	[PACKET_FRAGMENT] = NAT_FRAGMENT,
	[PACKET_MALFORMED] = NAT_MALFORMED,
	[PACKET_VLAN] = NAT_NOT_IPV4,
	[PACKET_NOT_IP] = NAT_NOT_IPV4,
};

struct nat {
	struct ipv4_prefix inside;
	struct nat_table *table;
};

static void *nat_init(const void *settings, const struct live *live, const struct stage_place *place)
{
	const struct nat_settings *s = settings;
	struct nat *nat = rte_zmalloc("nat", sizeof(*nat), 64);

	(void)live;
	if (nat == NULL) {
		fprintf(stderr, "nat: no memory\n");
		return NULL;
	}
	nat->inside = s->inside;
	nat->table = nat_table_create(s, place->seed);
	if (nat->table == NULL) {
		rte_free(nat);
		return NULL;
	}
	return nat;
}

static void nat_fini(void *state)
{
	struct nat *nat = state;
	nat_table_destroy(nat->table);
	rte_free(nat);
}

/* Where a protocol keeps what the mapping calls its port, and its checksum. Offsets from the transport header. */
struct l4_layout {
	uint8_t source, destination, checksum;
};

static const struct l4_layout layouts[NAT_PROTOCOLS] = {
	[NAT_TCP] = {0, 2, 16},
	[NAT_UDP] = {0, 2, 6},
	[NAT_ICMP] = {4, 4, 2},
};

static inline void mend_l4(uint8_t *check, enum nat_protocol protocol, uint32_t address_delta, uint32_t port_delta)
{
	if (protocol == NAT_TCP)
		store16(check, checksum_apply(load16(check), address_delta + port_delta));
	else if (protocol == NAT_UDP)
		store16(check, checksum_apply_udp(load16(check), address_delta + port_delta));
	else /* ICMP has no pseudo-header */
		store16(check, checksum_apply(load16(check), port_delta));
}

/* A packet that is to be translated, and what the bulk lookup found for it. */
struct job {
	struct nat_query query;
	struct nat_mapping *found;
	bool out;
};

static inline enum nat_outcome outbound(struct nat *nat, struct rte_ipv4_hdr *ip, uint8_t *l4, const struct job *job,
					uint64_t now_ns)
{
	enum nat_protocol protocol = job->query.protocol;
	uint8_t *port = l4 + layouts[protocol].source;
	struct nat_endpoint inside = job->query.end;
	enum nat_refusal refusal = 0;
	const struct nat_mapping *m = job->found;

	if (m != NULL)
		nat_table_refresh(nat->table, job->found, now_ns);
	else
		m = nat_table_outbound(nat->table, protocol, inside, now_ns, &refusal);
	if (m == NULL)
		return refusal == NAT_REFUSED_NO_PORT ? NAT_NO_PORT : NAT_TABLE_FULL;
	uint32_t address_delta = checksum_delta32(inside.address, m->outside.address);
	ip->src_addr = m->outside.address;
	store16(port, m->outside.port);
	ip->hdr_checksum = checksum_apply(ip->hdr_checksum, address_delta);
	mend_l4(l4 + layouts[protocol].checksum, protocol, address_delta,
		checksum_delta16(inside.port, m->outside.port));
	return NAT_TRANSLATED_OUT;
}

static inline enum nat_outcome inbound(struct nat *nat, struct rte_ipv4_hdr *ip, uint8_t *l4, const struct job *job)
{
	enum nat_protocol protocol = job->query.protocol;
	uint8_t *port = l4 + layouts[protocol].destination;
	struct nat_endpoint outside = job->query.end;
	const struct nat_mapping *m = job->found;

	if (m == NULL)
		m = nat_table_inbound(nat->table, protocol, outside);
	if (m == NULL)
		return NAT_NO_MAPPING;
	uint32_t address_delta = checksum_delta32(outside.address, m->inside.address);
	ip->dst_addr = m->inside.address;
	store16(port, m->inside.port);
	ip->hdr_checksum = checksum_apply(ip->hdr_checksum, address_delta);
	mend_l4(l4 + layouts[protocol].checksum, protocol, address_delta,
		checksum_delta16(outside.port, m->inside.port));
	return NAT_TRANSLATED_IN;
}

/* Fills the packet's job. false: *outcome says how it ends without one. */
static inline bool prepare(struct nat *nat, uint8_t *frame, const struct packet *p, struct job *job, uint8_t *outcome)
{
	if (p->version != 4 || p->kind != PACKET_L4) {
		*outcome = p->version == 6 ? NAT_NOT_IPV4 : (uint8_t)outcome_of_kind[p->kind];
		return false;
	}

	struct rte_ipv4_hdr *ip = packet_ipv4(frame);
	uint8_t *l4 = frame + p->l4;
	bool out = ipv4_inside(nat->inside, ntohl(ip->src_addr));
	enum nat_protocol protocol = NAT_ICMP;

	if (p->protocol == IPPROTO_TCP)
		protocol = NAT_TCP;
	else if (p->protocol == IPPROTO_UDP)
		protocol = NAT_UDP;
	else if (l4[0] != (out ? ICMP_ECHO : ICMP_ECHOREPLY)) {
		*outcome = NAT_UNSUPPORTED_PROTOCOL;
		return false;
	}
	job->out = out;
	job->query.protocol = protocol;
	job->query.end = out ? (struct nat_endpoint){ip->src_addr, load16(l4 + layouts[protocol].source)}
			     : (struct nat_endpoint){ip->dst_addr, load16(l4 + layouts[protocol].destination)};
	return true;
}

/* Looks the jobs of one direction up. jobs[which[i]], i below count, are of that direction. */
static inline void find(struct nat *nat, struct job *jobs, const uint8_t *which, uint32_t count, bool by_outside)
{
	struct nat_query queries[NAT_TABLE_BULK];
	struct nat_mapping *found[NAT_TABLE_BULK];

	if (count == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		queries[i] = jobs[which[i]].query;
	nat_table_find(nat->table, queries, count, by_outside, found);
	for (uint32_t i = 0; i < count; i++)
		jobs[which[i]].found = found[i];
}

/* Packets first to first + n - 1, n at most NAT_TABLE_BULK. */
static inline void translate(struct nat *nat, struct batch *batch, uint32_t first, uint32_t n, uint64_t now_ns)
{
	struct job jobs[NAT_TABLE_BULK];
	uint8_t outward[NAT_TABLE_BULK], inward[NAT_TABLE_BULK], ended[NAT_TABLE_BULK];
	uint32_t outward_count = 0, inward_count = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = first + i;
		ended[i] = !prepare(nat, batch_frame(batch, at), &batch->packets[at], &jobs[i], &batch->outcome[at]);
		if (ended[i])
			continue;
		if (jobs[i].out)
			outward[outward_count++] = (uint8_t)i;
		else
			inward[inward_count++] = (uint8_t)i;
	}
	find(nat, jobs, outward, outward_count, false);
	find(nat, jobs, inward, inward_count, true);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = first + i;
		uint8_t *frame = batch_frame(batch, at), *l4 = frame + batch->packets[at].l4;
		if (ended[i])
			continue;
		batch->outcome[at] =
			(uint8_t)(jobs[i].out ? outbound(nat, packet_ipv4(frame), l4, &jobs[i], now_ns)
					      : inbound(nat, packet_ipv4(frame), l4, &jobs[i]));
	}
}

STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct nat *nat = state;

	nat_table_expire(nat->table, now_ns);
	for (uint32_t i = 0; i < batch->count; i += NAT_TABLE_BULK)
		translate(nat, batch, i, RTE_MIN(batch->count - i, NAT_TABLE_BULK), now_ns);
	batch_settle(batch);
}

const struct stage_ops nat_stage = {
	.name = "nat",
	.outcomes = nat_outcomes,
	.configure = nat_configure,
	.init = nat_init,
	.process = nat_process,
	.fini = nat_fini,
	.release = free,
};
