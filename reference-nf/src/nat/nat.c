/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NAT44 (RFC 3022). What happens to which packet: docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "nat/nat_error.h"
#include "nat/nat_owners.h"
#include "nat/nat_stage.h"
#include "tcp_track.h"

static const struct nalm_outcome_spec nat_outcomes[] = {
	[NAT_TRANSLATED_OUT] = {"translated_out", NALM_KIND_PASS},
	[NAT_TRANSLATED_IN] = {"translated_in", NALM_KIND_PASS},
	[NAT_HAIRPINNED] = {"hairpinned", NALM_KIND_PASS},
	[NAT_ICMP_ERROR] = {"icmp_error", NALM_KIND_PASS},
	[NAT_NOT_IPV4] = {"not_ipv4", NALM_KIND_PASS},
	[NAT_NO_PORT] = {"no_port", NALM_KIND_LOST},
	[NAT_TABLE_FULL] = {"table_full", NALM_KIND_LOST},
	[NAT_HAIRPIN_ELSEWHERE] = {"hairpin_elsewhere", NALM_KIND_LOST},
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

static void *nat_init(const void *settings, const struct live *live, const struct stage_place *place)
{
	const struct nat_settings *s = settings;
	struct nat *nat = rte_zmalloc_socket("nat", sizeof(*nat), 64, place->socket);

	(void)live;
	if (nat == NULL) {
		fprintf(stderr, "nat: no memory\n");
		return NULL;
	}
	*nat = (struct nat){
		.settings = *s,
		.inside = nat_prefix(s->inside),
		.pool = nat_prefix(s->pool),
		.table = nat_table_create(s, place),
		.index = place->index,
		.count = place->count,
		.bulk = place->prefetch ? FLOW_TABLE_BULK : 1,
		.prefetch = place->prefetch,
		.note = place->note,
	};
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

/* Keys that are looked up together, on one side of the table. */
struct query {
	struct flow_key keys[FLOW_TABLE_BULK];
	uint32_t records[FLOW_TABLE_BULK];
	uint32_t count;
};

/* What is to be done with a packet, and its mapping once that has been looked up. */
struct job {
	struct flow_key key;
	uint32_t record; /* NAT_NONE: not found */
	uint8_t way;	 /* enum nat_way */
	uint8_t asked;	 /* its place in the query */
	bool noted;	 /* the record is the flow cache's: its epoch is still to be looked at */
	bool ended;	 /* it has its outcome */
};

/* A note is the record's number and its epoch, which is never 0. */
static inline uint64_t note_of(const struct nat_mapping *m, uint32_t record)
{
	return (uint64_t)m->epoch << 32 | record;
}

static inline enum nat_side side_of(const struct job *job)
{
	return job->way == NAT_WAY_IN ? NAT_OUTSIDE : NAT_INSIDE;
}

/* Fills the packet's job and asks for its mapping. */
static inline void prepare(struct nat *nat, struct batch *b, uint32_t at, struct job *job, struct query queries[])
{
	const struct packet *p = &b->packets[at];

	job->ended = p->version != 4 || p->kind != PACKET_L4;
	if (job->ended) {
		b->outcome[at] = p->version == 6 ? NAT_NOT_IPV4 : (uint8_t)outcome_of_kind[p->kind];
		return;
	}
	job->way = (uint8_t)nat_way(nat->inside, nat->pool, batch_frame(b, at), p, &job->key);
	job->noted = false;
	if (job->way > NAT_WAY_HAIRPIN)
		return;
	if (b->noting && b->paths[at]->notes[nat->note] != 0) {
		job->noted = true;
		job->record = (uint32_t)b->paths[at]->notes[nat->note];
		if (nat->prefetch)
			rte_prefetch0(&nat->table->mappings[job->record]);
		return;
	}
	struct query *q = &queries[side_of(job)];
	q->keys[q->count] = job->key;
	job->asked = (uint8_t)q->count++;
}

static inline void ask(struct nat *nat, enum nat_side side, struct query *q)
{
	if (q->count == 0)
		return;
	uint64_t hits = nat_table_find(nat->table, side, q->keys, q->count, q->records);
	for (uint64_t missing = ~hits & UINT64_MAX >> (64 - q->count); missing != 0; missing &= missing - 1)
		q->records[__builtin_ctzll(missing)] = NAT_NONE;
}

/* The list's neighbours are written when a mapping is refreshed. */
static inline void prefetch_neighbours(const struct nat_table *t, uint32_t record)
{
	const struct use_links *links = &t->mappings[record].used;

	if (links->older != USE_NONE)
		rte_prefetch0(&t->mappings[links->older]);
	if (links->newer != USE_NONE)
		rte_prefetch0(&t->mappings[links->newer]);
}

/* Puts the record in the job's place. */
static inline void answer(const struct nat *nat, struct batch *b, uint32_t at, struct job *job,
			  const struct query queries[])
{
	if (!job->noted)
		job->record = queries[side_of(job)].records[job->asked];
	else if (note_of(&nat->table->mappings[job->record], job->record) != b->paths[at]->notes[nat->note])
		job->record = nat_table_find_one(nat->table, side_of(job), &job->key);
	if (nat->prefetch && job->record != NAT_NONE && job->way != NAT_WAY_IN)
		prefetch_neighbours(nat->table, job->record);
}

static inline uint8_t tcp_flags(const uint8_t *frame, const struct packet *p)
{
	return p->protocol == IPPROTO_TCP ? frame[p->l4 + TCP_FLAGS_AT] : 0;
}

static inline void follow_tcp(struct nat *nat, uint32_t record, uint8_t flags, bool out, bool payload, uint64_t now_ns)
{
	const struct nat_mapping *m = &nat->table->mappings[record];
	uint8_t next = m->tcp;

	if (((flags & TCP_EVENTS) | m->tcp) != 0) /* of TCP alone */
		next = tcp_track_next(m->tcp, flags, out, payload);
	if (next != m->tcp)
		nat_table_set_tcp(nat->table, record, next, now_ns);
}

static inline enum nat_outcome open_mapping(struct nat *nat, struct job *job, uint8_t flags, uint64_t now_ns)
{
	enum nat_refusal refusal;

	job->record = nat_table_open(nat->table, &job->key, tcp_track_first(flags), now_ns, &refusal);
	if (job->record == NAT_NONE)
		return refusal == NAT_REFUSED_FULL ? NAT_TABLE_FULL : NAT_NO_PORT;
	nat->opened++;
	return NAT_TRANSLATED_OUT;
}

static inline enum nat_outcome outbound(struct nat *nat, uint8_t *frame, const struct packet *p, struct job *job,
					uint64_t now_ns)
{
	uint8_t flags = tcp_flags(frame, p);

	if (job->record == NAT_NONE && nat->opened != 0) /* perhaps by a packet of this bulk */
		job->record = nat_table_find_one(nat->table, NAT_INSIDE, &job->key);
	if (job->record != NAT_NONE) {
		follow_tcp(nat, job->record, flags, true, p->payload_bytes != 0, now_ns);
		nat_table_refresh(nat->table, job->record, now_ns);
	} else {
		enum nat_outcome outcome = open_mapping(nat, job, flags, now_ns);
		if (outcome != NAT_TRANSLATED_OUT)
			return outcome;
	}
	nat_rewrite(frame, p, &nat->table->mappings[job->record], NAT_OUTSIDE);
	return NAT_TRANSLATED_OUT;
}

static inline enum nat_outcome inbound(struct nat *nat, uint8_t *frame, const struct packet *p, struct job *job,
				       uint64_t now_ns)
{
	if (job->record == NAT_NONE && nat->opened != 0)
		job->record = nat_table_find_one(nat->table, NAT_OUTSIDE, &job->key);
	if (job->record == NAT_NONE)
		return NAT_NO_MAPPING;
	follow_tcp(nat, job->record, tcp_flags(frame, p), false, false, now_ns);
	nat_rewrite(frame, p, &nat->table->mappings[job->record], NAT_INSIDE);
	return NAT_TRANSLATED_IN;
}

/* The other end's mapping is looked up first: a packet that reaches nobody opens none. A query has no port of the
 * other end. */
static enum nat_outcome hairpin(struct nat *nat, uint8_t *frame, const struct packet *p, struct job *job,
				uint64_t now_ns)
{
	if (p->protocol == IPPROTO_ICMP)
		return NAT_NO_MAPPING;
	struct job back = {.key = nat_key(p->protocol, load32(frame + IPV4_DESTINATION_AT), load16(frame + p->l4 + 2))};
	bool elsewhere;
	back.record = nat_find_outside(nat, &back.key, &elsewhere);
	if (back.record == NAT_NONE)
		return elsewhere ? NAT_HAIRPIN_ELSEWHERE : NAT_NO_MAPPING;
	enum nat_outcome outcome = outbound(nat, frame, p, job, now_ns);
	if (outcome != NAT_TRANSLATED_OUT)
		return outcome;
	inbound(nat, frame, p, &back, now_ns);
	return NAT_HAIRPINNED;
}

static inline enum nat_outcome finish(struct nat *nat, uint8_t *frame, const struct packet *p, struct job *job,
				      uint64_t now_ns)
{
	switch (job->way) {
	case NAT_WAY_OUT:
		return outbound(nat, frame, p, job, now_ns);
	case NAT_WAY_IN:
		return inbound(nat, frame, p, job, now_ns);
	case NAT_WAY_HAIRPIN:
		return hairpin(nat, frame, p, job, now_ns);
	case NAT_WAY_ERROR:
		return nat_error_translate(nat, frame, p);
	default:
		return NAT_UNSUPPORTED_PROTOCOL;
	}
}

static inline void write_note(const struct nat *nat, struct batch *b, uint32_t at, const struct job *job)
{
	if (job->way <= NAT_WAY_HAIRPIN && job->record != NAT_NONE)
		b->paths[at]->notes[nat->note] = note_of(&nat->table->mappings[job->record], job->record);
}

/* Packets first to first + n - 1, n at most FLOW_TABLE_BULK. */
static inline void translate(struct nat *nat, struct batch *b, uint32_t first, uint32_t n, uint64_t now_ns)
{
	struct job jobs[FLOW_TABLE_BULK];
	struct query queries[2]; /* by nat_side */

	queries[NAT_INSIDE].count = queries[NAT_OUTSIDE].count = 0;
	nat->opened = 0;
	for (uint32_t i = 0; i < n; i++)
		prepare(nat, b, first + i, &jobs[i], queries);
	ask(nat, NAT_INSIDE, &queries[NAT_INSIDE]);
	ask(nat, NAT_OUTSIDE, &queries[NAT_OUTSIDE]);
	for (uint32_t i = 0; i < n; i++)
		if (!jobs[i].ended && jobs[i].way <= NAT_WAY_HAIRPIN)
			answer(nat, b, first + i, &jobs[i], queries);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = first + i;
		if (jobs[i].ended)
			continue;
		b->outcome[at] = (uint8_t)finish(nat, batch_frame(b, at), &b->packets[at], &jobs[i], now_ns);
		if (b->noting)
			write_note(nat, b, at, &jobs[i]);
	}
}

STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct nat *nat = state;

	nat_table_expire(nat->table, now_ns);
	for (uint32_t i = 0; i < batch->count; i += nat->bulk)
		translate(nat, batch, i, RTE_MIN(batch->count - i, nat->bulk), now_ns);
	batch_settle(batch);
}

const struct stage_ops nat_stage = {
	.name = "nat",
	.outcomes = nat_outcomes,
	.keeps_flows = true,
	.configure = nat_configure,
	.release = free,
	.init = nat_init,
	.process = nat_process,
	.fini = nat_fini,
	.owners = nat_owners,
};
