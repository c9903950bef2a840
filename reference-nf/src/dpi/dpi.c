/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deep packet inspection: L3/L4 rules, and rules on the payloads of TCP and UDP; content charging. docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet/checksum.h"
#include "dpi/dpi_note.h"
#include "dpi/dpi_config.h"
#include "dpi/dpi_telemetry.h"
#include "dpi/dpi_usage.h"

#define TCP_FLAGS_AT 13u
#define TCP_SYN 0x02u

enum dpi_outcome {
	DPI_NO_MATCH,
	DPI_MATCHED,
	DPI_MARKED,
	DPI_DROPPED,
	DPI_NO_PAYLOAD,
	DPI_NOT_INSPECTED,
	DPI_SCAN_FAILED,
	DPI_BY_FLOW,
	DPI_OVER_SHARE,
};

static const struct nalm_outcome_spec dpi_outcomes[] = {
	[DPI_NO_MATCH] = {"no_match", NALM_KIND_PASS},
	[DPI_MATCHED] = {"matched", NALM_KIND_PASS},
	[DPI_MARKED] = {"marked", NALM_KIND_PASS},
	[DPI_DROPPED] = {"dropped", NALM_KIND_POLICY},
	[DPI_NO_PAYLOAD] = {"no_payload", NALM_KIND_PASS},
	[DPI_NOT_INSPECTED] = {"not_inspected", NALM_KIND_PASS},
	[DPI_SCAN_FAILED] = {"scan_failed", NALM_KIND_LOST},
	[DPI_BY_FLOW] = {"by_flow", NALM_KIND_PASS},
	[DPI_OVER_SHARE] = {"over_share", NALM_KIND_POLICY},
	{NULL, 0},
};

struct dpi {
	const struct rcu_tables *rcu;
	uint32_t index; /* which part of the tables is this instance's own */
	uint32_t charged[BATCH_MAX]; /* the rule that each inspected packet of the batch was charged to */
	uint8_t note;
	bool in_bulk;
	struct dpi_key keys[DPI_TUPLES_BULK];
	uint32_t tuple_rules[BATCH_MAX]; /* the L3/L4 rule of each packet of the batch */
};

#define NOT_LOOKED_UP UINT32_MAX

/* One packet and what its matches add up to; before it, what is the same for all of the batch. */
struct inspection {
	const struct dpi_table *table;
	struct dpi_count *counts;
	hs_scratch_t *scratch;
	const uint8_t *frame;
	const struct packet *packet;
	uint32_t bytes; /* of the IP packet */
	uint32_t worst; /* enum dpi_action */
	uint32_t first; /* rule, in file order */
};

static void *dpi_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct dpi *dpi = calloc(1, sizeof(*dpi));

	(void)settings;
	if (dpi == NULL) {
		fprintf(stderr, "dpi: no memory\n");
		return NULL;
	}
	dpi->rcu = rcu;
	dpi->index = place->index;
	dpi->note = place->note;
	dpi->in_bulk = place->prefetch;
	return dpi;
}

static inline bool is_inspected(const struct packet *p)
{
	return p->kind == PACKET_L4 && (p->protocol == IPPROTO_TCP || p->protocol == IPPROTO_UDP);
}

static inline uint32_t ip_bytes(const uint8_t *frame, const struct packet *p)
{
	const uint8_t *ip = frame + ETHER_BYTES;
	return p->version == 4 ? load_be16(ip + 2) : load_be16(ip + 4) + IPV6_BYTES;
}

static inline void take(struct inspection *x, uint32_t rule, uint32_t action)
{
	struct dpi_count *count = &x->counts[rule];

	dpi_add(&count->packets, 1);
	dpi_add(&count->bytes, x->bytes);
	if (action > x->worst)
		x->worst = action;
	if (rule < x->first)
		x->first = rule;
}

static inline void charge(const struct inspection *x)
{
	if (x->first == DPI_NO_RULE)
		return;
	dpi_add(&x->counts[x->first].charged_packets, 1);
	dpi_add(&x->counts[x->first].charged_bytes, x->bytes);
}

static bool fits(const struct inspection *x, uint32_t rule)
{
	struct dpi_key key;

	dpi_key_of(&key, x->frame, x->packet);
	return dpi_tuple_fits(&x->table->settings->rules[rule].tuple, &key);
}

/* Hyperscan calls it for each rule whose pattern matches; 0: scan on, so that every rule is counted. Its name is one
 * that check_hot_path.sh begins at. */
static int match_process(unsigned int rule, unsigned long long from, unsigned long long to, unsigned int flags,
			 void *context)
{
	struct inspection *x = context;
	uint32_t action = x->table->actions[rule];

	(void)from, (void)to, (void)flags;
	if ((action & DPI_HAS_TUPLE) == 0 || fits(x, rule))
		take(x, rule, action & ~DPI_HAS_TUPLE);
	return 0;
}

static inline bool scan(struct inspection *x)
{
	const struct dpi_matcher *m = &x->table->matcher;

	return m->database == NULL ||
	       m->scan(m->database, (const char *)x->frame + x->packet->payload, x->packet->payload_bytes, 0,
		       x->scratch, match_process, x) == HS_SUCCESS;
}

static inline void mark_ipv4(struct rte_ipv4_hdr *ip, uint8_t dscp)
{
	uint16_t was = load16(ip);

	ip->type_of_service = (uint8_t)(dscp << 2 | (ip->type_of_service & 3));
	ip->hdr_checksum = checksum_apply(ip->hdr_checksum, checksum_delta16(was, load16(ip)));
}

/* Version 4 bits, traffic class 8 (DSCP 6, ECN 2), flow label (RFC 8200, section 3; RFC 2474). */
static inline void mark_ipv6(uint8_t *ip, uint8_t dscp)
{
	ip[0] = (uint8_t)((ip[0] & 0xf0) | dscp >> 2);
	ip[1] = (uint8_t)((ip[1] & 0x3f) | dscp << 6);
}

static inline enum dpi_outcome settle(const struct inspection *x, uint8_t *frame, enum dpi_outcome otherwise)
{
	uint8_t dscp = x->table->settings->mark_dscp;

	if (x->worst == DPI_DROP)
		return DPI_DROPPED;
	if (x->worst != DPI_MARK)
		return otherwise;
	if (x->packet->version == 4)
		mark_ipv4(packet_ipv4(frame), dscp);
	else
		mark_ipv6(frame + ETHER_BYTES, dscp);
	return DPI_MARKED;
}

/* The first L3/L4 rule that packet i matches, or DPI_NO_RULE. */
static inline uint32_t tuple_rule(struct dpi *dpi, const struct inspection *x, uint32_t i)
{
	if (!dpi_tuples_any(&x->table->tuples))
		return DPI_NO_RULE;
	if (dpi->tuple_rules[i] == NOT_LOOKED_UP) {
		dpi_key_of(&dpi->keys[0], x->frame, x->packet);
		dpi_tuples_find(&x->table->tuples, dpi->keys, 1, &dpi->tuple_rules[i]);
	}
	return dpi->tuple_rules[i];
}

static inline enum dpi_outcome inspect(struct dpi *dpi, struct inspection *x, uint8_t *frame, uint32_t i)
{
	uint32_t rule = tuple_rule(dpi, x, i);
	bool empty = x->packet->payload_bytes == 0;

	if (rule != DPI_NO_RULE)
		take(x, rule, x->table->actions[rule] & ~DPI_HAS_TUPLE);
	if (!empty && !scan(x))
		return DPI_SCAN_FAILED;
	charge(x);
	return settle(x, frame, x->worst != DPI_NONE ? DPI_MATCHED : empty ? DPI_NO_PAYLOAD : DPI_NO_MATCH);
}

static inline bool opens_connection(const uint8_t *frame, const struct packet *p)
{
	return p->protocol == IPPROTO_TCP && (frame[p->l4 + TCP_FLAGS_AT] & TCP_SYN) != 0;
}

static inline struct dpi_note recall(const struct inspection *x, uint64_t word)
{
	return dpi_note_read(opens_connection(x->frame, x->packet) ? 0 : word, x->table->generation);
}

static enum dpi_outcome follow(struct inspection *x, uint8_t *frame, struct dpi_note note)
{
	if (note.rule != DPI_NO_RULE)
		take(x, note.rule, note.action);
	charge(x);
	return settle(x, frame, DPI_BY_FLOW);
}

/* The first packets of a flow decide the later ones. */
static inline enum dpi_outcome inspect_flow(struct dpi *dpi, struct inspection *x, uint8_t *frame, uint32_t i,
					    uint64_t *word)
{
	struct dpi_note note = recall(x, *word);

	if (note.inspected >= x->table->settings->inspect_packets)
		return follow(x, frame, note);
	enum dpi_outcome outcome = inspect(dpi, x, frame, i);
	if (x->packet->payload_bytes != 0) {
		note.inspected++;
		note.rule = RTE_MIN(note.rule, x->first);
		note.action = RTE_MAX(note.action, x->worst);
	}
	*word = dpi_note_word(note, x->table->generation);
	return outcome;
}

/* State at the batch's begin; a packet in the batch may decide its flow or restart it. */
static inline bool is_decided(const struct dpi *dpi, const struct dpi_table *t, const struct batch *b, uint32_t i)
{
	return dpi_note_read(b->paths[i]->notes[dpi->note], t->generation).inspected >= t->settings->inspect_packets;
}

/* Finds L3/L4 rules of packets first to first + n - 1, n at most DPI_TUPLES_BULK, with overlapping cache misses. */
static void look_up(struct dpi *dpi, const struct dpi_table *t, struct batch *b, uint32_t first, uint32_t n,
		    bool by_flow)
{
	uint32_t at[DPI_TUPLES_BULK], rules[DPI_TUPLES_BULK], keys = 0;

	for (uint32_t i = first; i < first + n; i++)
		if (is_inspected(&b->packets[i]) && !(by_flow && is_decided(dpi, t, b, i))) {
			dpi_key_of(&dpi->keys[keys], batch_frame(b, i), &b->packets[i]);
			at[keys++] = i;
		}
	dpi_tuples_find(&t->tuples, dpi->keys, keys, rules);
	for (uint32_t i = 0; i < keys; i++)
		dpi->tuple_rules[at[i]] = rules[i];
}

/* The other packets are looked up one by one when needed. */
static inline void look_up_batch(struct dpi *dpi, const struct dpi_table *t, struct batch *b, bool by_flow)
{
	if (!dpi_tuples_any(&t->tuples))
		return;
	for (uint32_t i = 0; i < b->count; i++)
		dpi->tuple_rules[i] = NOT_LOOKED_UP;
	if (!dpi->in_bulk)
		return;
	for (uint32_t i = 0; i < b->count; i += DPI_TUPLES_BULK)
		look_up(dpi, t, b, i, RTE_MIN(b->count - i, DPI_TUPLES_BULK), by_flow);
}

static inline enum dpi_outcome decide(struct dpi *dpi, struct inspection *x, struct batch *b, uint32_t i,
				      bool by_flow)
{
	const struct packet *p = &b->packets[i];
	uint8_t *frame = batch_frame(b, i);

	if (!is_inspected(p))
		return DPI_NOT_INSPECTED;
	if (p->payload_bytes == 0 && !by_flow && !dpi_tuples_any(&x->table->tuples))
		return DPI_NO_PAYLOAD;
	x->frame = frame;
	x->packet = p;
	x->bytes = ip_bytes(frame, p);
	x->worst = DPI_NONE;
	x->first = DPI_NO_RULE;
	return by_flow ? inspect_flow(dpi, x, frame, i, &b->paths[i]->notes[dpi->note]) : inspect(dpi, x, frame, i);
}

/* Whether the packet passes as far as rules go, and has a length to count. */
static inline bool has_share(const struct batch *b, uint32_t i)
{
	return b->outcome[i] != DPI_DROPPED && b->outcome[i] != DPI_SCAN_FAILED && b->packets[i].version != 0 &&
	       b->packets[i].kind != PACKET_MALFORMED;
}

static inline uint32_t service_of(const struct dpi *dpi, const struct dpi_settings *s, const struct batch *b, uint32_t i)
{
	bool charged = b->outcome[i] != DPI_NOT_INSPECTED && b->outcome[i] != DPI_NO_PAYLOAD &&
		       dpi->charged[i] != DPI_NO_RULE;
	return charged ? s->service_of[dpi->charged[i]] : DPI_OTHER;
}

/* Counts packets by service, and drops what is over a service's share. */
static void share_out(const struct dpi *dpi, const struct dpi_settings *s, struct dpi_shaper *shaper, struct batch *b,
		      uint64_t now_ns)
{
	dpi_shaper_fill(shaper, s->service_count, now_ns);
	for (uint32_t i = 0; i < b->count; i++) {
		if (!has_share(b, i))
			continue;
		uint32_t bytes = ip_bytes(batch_frame(b, i), &b->packets[i]), service = service_of(dpi, s, b, i);
		struct dpi_service_count *count = &shaper->shares[service].count;
		bool passes = dpi_shaper_take(shaper, service, bytes);
		dpi_add(passes ? &count->packets : &count->over_packets, 1);
		dpi_add(passes ? &count->bytes : &count->over_bytes, bytes);
		if (!passes)
			b->outcome[i] = DPI_OVER_SHARE;
	}
}

STAGE_PROCESS void dpi_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void dpi_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	struct dpi *dpi = instance;
	const struct dpi_table *t = rcu_tables_get(dpi->rcu);
	const struct dpi_part *own = &t->parts[dpi->index];
	struct inspection x = {.table = t, .counts = own->counts, .scratch = own->scratch};
	bool by_flow = batch->flow_cached && t->settings->inspect_packets != 0;

	look_up_batch(dpi, t, batch, by_flow);
	for (uint32_t i = 0; i < batch->count; i++) {
		batch->outcome[i] = (uint8_t)decide(dpi, &x, batch, i, by_flow);
		dpi->charged[i] = x.first;
	}
	if (own->shaper != NULL)
		share_out(dpi, t->settings, own->shaper, batch, now_ns);
	batch_settle(batch);
}

static void dpi_describe(const void *settings, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u rules", ((const struct dpi_settings *)settings)->rule_count);
}

const struct stage_ops dpi_stage = {
	.name = "dpi",
	.outcomes = dpi_outcomes,
	.init = dpi_init,
	.process = dpi_process,
	.fini = free,
	.hooks = {
		.configure = dpi_configure,
		.release = dpi_release,
		.build = dpi_table_build,
		.inherit = dpi_table_inherit,
		.destroy = dpi_table_destroy,
		.describe = dpi_describe,
		.report = dpi_table_report,
		.reset = dpi_table_reset,
		.register_telemetry = dpi_telemetry_register,
	},
};
