/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NAT44 (RFC 3022). What happens to which packet: docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "nat/nat_config.h"
#include "nat/nat_error.h"
#include "nat/nat_owners.h"
#include "nat/nat_stage.h"
#include "packet/tcp_track.h"
#include "table/bulk_lookup.h"

static const struct nalm_outcome_spec nat_outcomes[] = {NAT_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

static const enum nat_outcome outcome_of_kind[] = {
	[PACKET_OTHER] = NAT_UNSUPPORTED_PROTOCOL,
	[PACKET_BAD_L4] = NAT_MALFORMED,
	[PACKET_FRAGMENT] = NAT_FRAGMENT,
	[PACKET_MALFORMED] = NAT_MALFORMED,
	[PACKET_VLAN] = NAT_NOT_IPV4,
	[PACKET_NOT_IP] = NAT_NOT_IPV4,
};

static void *nat_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct nat_settings *s = settings;
	struct nat *nat = rte_zmalloc_socket("nat", sizeof(*nat), 64, place->socket);

	(void)rcu;
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

_Static_assert(NAT_NONE == BULK_LOOKUP_NONE, "no record");

/* How to handle a packet, and its mapping after the lookup. */
struct lookup {
	uint8_t *frame;
	uint32_t record;   /* NAT_NONE: not found */
	uint8_t direction; /* enum nat_direction */
	uint8_t slot;	   /* its place among the keys of its bulk */
	bool cached;	   /* the record is from the flow cache: whether it is the packet's is not checked yet */
	bool ended;	   /* it has its outcome */
};

static uint32_t nat_entries(const void *settings)
{
	return ((const struct nat_settings *)settings)->entries;
}

static inline uint64_t note_of(const struct nat *nat, uint32_t record)
{
	return flow_path_note(nat->table->mappings[record].epoch, record);
}

static inline enum nat_side side_of(const struct lookup *lookup)
{
	return lookup->direction == NAT_DIRECTION_IN ? NAT_OUTSIDE : NAT_INSIDE;
}

/* Fills the packet's lookup and adds its key to a bulk. */
static inline void prepare(struct nat *nat, struct batch *b, uint32_t at, struct lookup *lookup,
			   struct bulk_lookup bulks[])
{
	const struct packet *p = &b->packets[at];
	struct flow_key key;

	lookup->ended = packet_word(p) != PACKET_WORD(4, PACKET_L4);
	if (unlikely(lookup->ended)) {
		b->outcome[at] = p->version == 6 ? NAT_NOT_IPV4 : (uint8_t)outcome_of_kind[p->kind];
		return;
	}
	lookup->frame = batch_frame(b, at);
	lookup->direction = (uint8_t)nat_direction(nat->inside, nat->pool, lookup->frame, p, &key);
	lookup->cached = false;
	if (unlikely(lookup->direction > NAT_DIRECTION_HAIRPIN))
		return;
	if (b->flow_cached && b->paths[at]->notes[nat->note] != 0) {
		lookup->cached = true;
		lookup->record = (uint32_t)b->paths[at]->notes[nat->note];
		if (nat->prefetch)
			rte_prefetch0(&nat->table->mappings[lookup->record]);
		return;
	}
	lookup->slot = bulk_lookup_add(&bulks[side_of(lookup)], &key);
}

static inline void look_up(struct nat *nat, enum nat_side side, struct bulk_lookup *bulk)
{
	if (bulk->count != 0)
		bulk_lookup_mark_missing(bulk, nat_table_find(nat->table, side, bulk->keys, bulk->count, bulk->records));
}

/* The packet's key again, for the few packets of which a bulk has none or has not found it. */
static struct flow_key key_of(const struct nat *nat, const struct packet *p, const struct lookup *lookup)
{
	struct flow_key key = {{0, 0}};

	(void)nat_direction(nat->inside, nat->pool, lookup->frame, p, &key);
	return key;
}

static __attribute__((noinline)) uint32_t find_again(const struct nat *nat, const struct packet *p,
						     const struct lookup *lookup)
{
	struct flow_key key = key_of(nat, p, lookup);
	return nat_table_find_one(nat->table, side_of(lookup), &key);
}

/* Compares the end as well: a stage before this one may give the flow's packets another address than when the note was
 * written. */
static inline bool note_holds(const struct nat *nat, const struct batch *b, uint32_t at, const struct lookup *lookup)
{
	struct flow_key key = key_of(nat, &b->packets[at], lookup);
	const struct flow_key *has = &nat->table->mappings[lookup->record].ends[side_of(lookup)];

	return note_of(nat, lookup->record) == b->paths[at]->notes[nat->note] && has->words[0] == key.words[0];
}

/* Stores the record in the lookup. */
static inline void resolve(const struct nat *nat, struct batch *b, uint32_t at, struct lookup *lookup,
			   const struct bulk_lookup bulks[])
{
	if (likely(!lookup->cached))
		lookup->record = bulks[side_of(lookup)].records[lookup->slot];
	else if (!note_holds(nat, b, at, lookup))
		lookup->record = find_again(nat, &b->packets[at], lookup);
	if (lookup->record != NAT_NONE && nat->prefetch)
		use_list_prefetch_neighbours(&nat->table->mappings[lookup->record].used, nat->table->mappings,
					     nat->table->now_s);
}

static inline void follow_tcp(struct nat *nat, uint32_t record, uint8_t flags, bool out, bool payload)
{
	const struct nat_mapping *m = &nat->table->mappings[record];
	uint8_t next = m->tcp;

	if (((flags & TCP_EVENTS) | m->tcp) != 0) /* only of TCP */
		next = tcp_track_next(m->tcp, flags, out, payload);
	if (next != m->tcp)
		nat_table_set_tcp(nat->table, record, next);
}

static __attribute__((noinline)) enum nat_outcome open_mapping(struct nat *nat, const struct packet *p,
							       struct lookup *lookup)
{
	enum nat_refusal refusal;
	struct flow_key key = key_of(nat, p, lookup);

	lookup->record = nat_table_open(nat->table, &key, tcp_track_first(tcp_flags(lookup->frame, p)), &refusal);
	if (lookup->record == NAT_NONE)
		return refusal == NAT_REFUSED_FULL ? NAT_TABLE_FULL : NAT_NO_PORT;
	nat->opened++;
	return NAT_TRANSLATED_OUT;
}

static __rte_always_inline enum nat_outcome outbound(struct nat *nat, const struct packet *p, struct lookup *lookup)
{
	if (unlikely(lookup->record == NAT_NONE) && nat->opened != 0) /* perhaps by a packet of this bulk */
		lookup->record = find_again(nat, p, lookup);
	if (likely(lookup->record != NAT_NONE)) {
		follow_tcp(nat, lookup->record, tcp_flags(lookup->frame, p), true, p->payload_bytes != 0);
		nat_table_refresh(nat->table, lookup->record);
	} else {
		enum nat_outcome outcome = open_mapping(nat, p, lookup);
		if (outcome != NAT_TRANSLATED_OUT)
			return outcome;
	}
	nat_rewrite(lookup->frame, p, &nat->table->mappings[lookup->record], NAT_OUTSIDE);
	return NAT_TRANSLATED_OUT;
}

static __rte_always_inline enum nat_outcome translate_in(struct nat *nat, uint8_t *frame, const struct packet *p,
							 uint32_t record)
{
	follow_tcp(nat, record, tcp_flags(frame, p), false, false);
	nat_rewrite(frame, p, &nat->table->mappings[record], NAT_INSIDE);
	return NAT_TRANSLATED_IN;
}

static __rte_always_inline enum nat_outcome inbound(struct nat *nat, const struct packet *p, struct lookup *lookup)
{
	if (unlikely(lookup->record == NAT_NONE) && nat->opened != 0)
		lookup->record = find_again(nat, p, lookup);
	if (unlikely(lookup->record == NAT_NONE))
		return NAT_NO_MAPPING;
	return translate_in(nat, lookup->frame, p, lookup->record);
}

/* Looks the other end's mapping up first: a packet that reaches nobody opens none. A query has no port of the other
 * end. */
static __attribute__((noinline)) enum nat_outcome hairpin(struct nat *nat, const struct packet *p,
							  struct lookup *lookup)
{
	uint8_t *frame = lookup->frame;
	bool elsewhere;

	if (p->protocol == IPPROTO_ICMP)
		return NAT_NO_MAPPING;
	struct flow_key to = nat_key(p->protocol, load32(frame + IPV4_DESTINATION_AT), load16(frame + p->l4 + 2));
	uint32_t back = nat_find_outside(nat, &to, &elsewhere);
	if (back == NAT_NONE)
		return elsewhere ? NAT_HAIRPIN_ELSEWHERE : NAT_NO_MAPPING;
	enum nat_outcome outcome = outbound(nat, p, lookup);
	if (outcome != NAT_TRANSLATED_OUT)
		return outcome;
	translate_in(nat, frame, p, back);
	return NAT_HAIRPINNED;
}

static __rte_always_inline enum nat_outcome finish(struct nat *nat, const struct packet *p, struct lookup *lookup)
{
	if (lookup->direction == NAT_DIRECTION_OUT)
		return outbound(nat, p, lookup);
	if (lookup->direction == NAT_DIRECTION_IN)
		return inbound(nat, p, lookup);
	if (lookup->direction == NAT_DIRECTION_HAIRPIN)
		return hairpin(nat, p, lookup);
	if (lookup->direction == NAT_DIRECTION_ERROR)
		return nat_error_translate(nat, lookup->frame, p);
	return NAT_UNSUPPORTED_PROTOCOL;
}

static inline void write_note(const struct nat *nat, struct batch *b, uint32_t at, const struct lookup *lookup)
{
	if (lookup->direction <= NAT_DIRECTION_HAIRPIN && lookup->record != NAT_NONE)
		b->paths[at]->notes[nat->note] = note_of(nat, lookup->record);
}

/* Packets first to first + n - 1, n at most FLOW_TABLE_BULK. */
static inline void translate(struct nat *nat, struct batch *b, uint32_t first, uint32_t n)
{
	struct lookup lookups[FLOW_TABLE_BULK];
	struct bulk_lookup bulks[2]; /* by nat_side */

	bulks[NAT_INSIDE].count = bulks[NAT_OUTSIDE].count = 0;
	nat->opened = 0;
	for (uint32_t i = 0; i < n; i++)
		prepare(nat, b, first + i, &lookups[i], bulks);
	look_up(nat, NAT_INSIDE, &bulks[NAT_INSIDE]);
	look_up(nat, NAT_OUTSIDE, &bulks[NAT_OUTSIDE]);
	for (uint32_t i = 0; i < n; i++)
		if (likely(!lookups[i].ended && lookups[i].direction <= NAT_DIRECTION_HAIRPIN))
			resolve(nat, b, first + i, &lookups[i], bulks);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = first + i;
		if (unlikely(lookups[i].ended))
			continue;
		b->outcome[at] = (uint8_t)finish(nat, &b->packets[at], &lookups[i]);
		if (b->flow_cached)
			write_note(nat, b, at, &lookups[i]);
	}
}

STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void nat_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct nat *nat = state;

	nat_table_expire(nat->table, now_ns);
	for (uint32_t i = 0; i < batch->count; i += nat->bulk)
		translate(nat, batch, i, RTE_MIN(batch->count - i, nat->bulk));
	batch_settle(batch);
}

const struct stage_ops nat_stage = {
	.name = "nat",
	.outcomes = nat_outcomes,
	.keeps_flows = true,
	.init = nat_init,
	.process = nat_process,
	.fini = nat_fini,
	.hooks = {
		.configure = nat_configure,
		.release = free,
		.owners = nat_owners,
		.entries = nat_entries,
	},
};
