/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Load balancer for TCP and UDP over IPv4. What happens to which packet: docs/behaviour.md.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "packet/flow_id.h"
#include "packet/icmp_error.h"
#include "lb/lb_config.h"
#include "lb/lb_error.h"
#include "lb/lb_owners.h"
#include "lb/lb_packet.h"
#include "packet/tcp_track.h"
#include "table/bulk_lookup.h"

#define LB_OUTCOMES(OUTCOME) \
	OUTCOME(LB_FORWARDED, "forwarded", NALM_KIND_PASS) \
	OUTCOME(LB_OPENED, "opened", NALM_KIND_PASS) \
	OUTCOME(LB_REPLIED, "replied", NALM_KIND_PASS) \
	OUTCOME(LB_ICMP_ERROR, "icmp_error", NALM_KIND_PASS) \
	OUTCOME(LB_NO_SERVICE, "no_service", NALM_KIND_PASS) \
	OUTCOME(LB_NOT_OPENING, "not_opening", NALM_KIND_POLICY) \
	OUTCOME(LB_NO_BACKEND, "no_backend", NALM_KIND_LOST) \
	OUTCOME(LB_TABLE_FULL, "table_full", NALM_KIND_LOST) \
	OUTCOME(LB_END_TAKEN, "end_taken", NALM_KIND_LOST) \
	OUTCOME(LB_MALFORMED, "malformed", NALM_KIND_BAD) \
	OUTCOME(LB_FRAGMENT, "fragment", NALM_KIND_BAD)

enum lb_outcome { LB_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec lb_outcomes[] = {LB_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct lb {
	struct lb_connections *connections;
	const struct rcu_tables *rcu;
	uint32_t bulk; /* packets looked up at once */
	uint32_t opened, closed; /* connections since a bulk was looked up: what it has told may not hold any more */
	bool prefetch;
	uint8_t note;
};

static void *lb_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct lb *lb = rte_zmalloc_socket("lb", sizeof(*lb), 64, place->socket);

	if (lb == NULL) {
		fprintf(stderr, "lb: no memory\n");
		return NULL;
	}
	*lb = (struct lb){
		.connections = lb_connections_create(settings, place),
		.rcu = rcu,
		.bulk = place->prefetch ? FLOW_TABLE_BULK : 1,
		.prefetch = place->prefetch,
		.note = place->note,
	};
	if (lb->connections == NULL) {
		rte_free(lb);
		return NULL;
	}
	return lb;
}

static void lb_fini(void *state)
{
	struct lb *lb = state;
	lb_connections_destroy(lb->connections);
	rte_free(lb);
}

_Static_assert(LB_NO_CONNECTION == BULK_LOOKUP_NONE, "no record");

/* How to handle a packet, and its connection after the lookup. */
struct lookup {
	uint8_t *frame;
	uint32_t service; /* the packet's destination; LB_NONE: none, it may be a reply */
	uint32_t record;  /* LB_NO_CONNECTION: not found */
	uint8_t slot;	  /* its place among the keys of its bulk */
	bool cached;	  /* the record is from the flow cache: its epoch is not checked yet */
	bool ended;	  /* it has its outcome */
};

static inline enum lb_side side_of(const struct lookup *lookup)
{
	return lookup->service != LB_NONE ? LB_CLIENT : LB_BACKEND;
}

static inline uint64_t note_of(const struct lb *lb, uint32_t record)
{
	return flow_path_note(lb->connections->records[record].epoch, record);
}

/* A packet without a whole TCP or UDP header: refused if it goes to a service's address, else passed. */
static enum lb_outcome without_ports(const struct lb *lb, const struct lb_tables *t, uint8_t *frame,
				     const struct packet *p)
{
	if (p->version == 6 || p->kind == PACKET_VLAN || p->kind == PACKET_NOT_IP)
		return LB_NO_SERVICE;
	if (p->kind == PACKET_MALFORMED)
		return LB_MALFORMED;
	if (p->kind == PACKET_L4 && p->protocol == IPPROTO_ICMP && icmp_is_error(frame[p->l4]))
		return lb_error_translate(lb->connections, t, frame, p) ? LB_ICMP_ERROR : LB_NO_SERVICE;
	if (lb_find_service(t, lb_service_key(load32(frame + IPV4_DESTINATION_AT), 0, 0)) == LB_NONE)
		return LB_NO_SERVICE;
	if (p->kind == PACKET_FRAGMENT)
		return LB_FRAGMENT;
	return p->kind == PACKET_BAD_L4 ? LB_MALFORMED : LB_NO_SERVICE;
}

/* The key of a packet that has ports. */
static inline struct flow_key key_of(const struct lookup *lookup, const struct packet *p)
{
	return flow_id_with_ports(lookup->frame, p);
}

static __attribute__((noinline)) uint32_t find_again(const struct lb *lb, const struct packet *p,
						     const struct lookup *lookup)
{
	struct flow_key key = key_of(lookup, p);
	return lb_connections_find_one(lb->connections, side_of(lookup), &key);
}

/* Fills the packet's lookup and adds its key to a bulk. */
static inline void prepare(struct lb *lb, const struct lb_tables *t, struct batch *b, uint32_t at,
			   struct lookup *lookup, struct bulk_lookup bulks[])
{
	const struct packet *p = &b->packets[at];

	lookup->frame = batch_frame(b, at);
	lookup->ended = packet_word(p) != PACKET_WORD(4, PACKET_L4) || p->protocol == IPPROTO_ICMP;
	if (unlikely(lookup->ended)) /* decided later, in packet order: an error is about a connection */
		return;
	struct flow_key key = key_of(lookup, p);
	struct lb_end to = lb_destination(&key);
	lookup->service = lb_find_service(t, lb_service_key(to.address, to.port, p->protocol));
	lookup->cached = b->flow_cached && b->paths[at]->notes[lb->note] != 0;
	if (unlikely(lookup->cached)) {
		lookup->record = (uint32_t)b->paths[at]->notes[lb->note];
		if (lb->prefetch)
			rte_prefetch0(&lb->connections->records[lookup->record]);
		return;
	}
	lookup->slot = bulk_lookup_add(&bulks[side_of(lookup)], &key);
}

static inline void look_up(struct lb *lb, enum lb_side side, struct bulk_lookup *bulk)
{
	if (bulk->count != 0)
		bulk_lookup_mark_missing(bulk, flow_table_find(lb->connections->by[side], bulk->keys, bulk->count, bulk->records));
}

/* Whether the lookup's record is in use for the connection that it looks up. */
static inline bool still_its(const struct lb *lb, const struct packet *p, const struct lookup *lookup)
{
	const struct lb_connection *c = &lb->connections->records[lookup->record];
	const struct flow_key *has = &c->from[side_of(lookup)];
	struct flow_key key = key_of(lookup, p);

	return (c->epoch & 1) != 0 && has->words[0] == key.words[0] && has->words[1] == key.words[1];
}

/* Compares the key as well: a note about a removed service must not lead to replies of its connection. */
static inline bool note_holds(const struct lb *lb, const struct batch *b, uint32_t at, const struct lookup *lookup)
{
	uint64_t note = note_of(lb, lookup->record);
	return note == b->paths[at]->notes[lb->note] && still_its(lb, &b->packets[at], lookup);
}

/* Stores the record in the lookup. */
static inline void resolve(const struct lb *lb, struct batch *b, uint32_t at, struct lookup *lookup,
			   const struct bulk_lookup bulks[])
{
	if (likely(!lookup->cached))
		lookup->record = bulks[side_of(lookup)].records[lookup->slot];
	else if (!note_holds(lb, b, at, lookup))
		lookup->record = find_again(lb, &b->packets[at], lookup);
	if (lookup->record != LB_NO_CONNECTION && lb->prefetch)
		use_list_prefetch_neighbours(&lb->connections->records[lookup->record].used, lb->connections->records,
					     lb->connections->now_s);
}

static inline void follow(struct lb *lb, uint32_t record, uint8_t flags, bool from_client, bool payload)
{
	const struct lb_connection *c = &lb->connections->records[record];
	uint8_t next = c->tcp;

	if (((flags & TCP_EVENTS) | c->tcp) != 0)
		next = tcp_track_next(c->tcp, flags, from_client, payload);
	if (next != c->tcp)
		lb_connections_set_tcp(lb->connections, record, next);
	else
		lb_connections_refresh(lb->connections, record);
}

/* Whether a TCP segment may open a connection. */
static inline bool opens(const struct lb_tables *t, const struct packet *p, uint8_t flags)
{
	if (p->protocol != IPPROTO_TCP)
		return true;
	if (t->settings->any_opens)
		return (flags & TCP_RST) == 0;
	return (flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN;
}

static __attribute__((noinline)) enum lb_outcome open_connection(struct lb *lb, const struct lb_tables *t,
								  const struct packet *p, struct lookup *lookup)
{
	struct flow_key key = key_of(lookup, p);
	struct lb_end client = lb_source(&key), service = lb_destination(&key);
	uint8_t flags = tcp_flags(lookup->frame, p);
	enum lb_refusal refusal;

	if (!opens(t, p, flags))
		return LB_NOT_OPENING;
	uint32_t slot = lb_maglev_slot(t->settings->maglev_size, ntohl(client.address), ntohl(service.address),
				       p->protocol, ntohs(client.port), ntohs(service.port));
	const struct lb_backend *chosen = lb_choose(t, lookup->service, slot);
	if (chosen == NULL)
		return LB_NO_BACKEND;
	struct lb_end backend = {htonl(chosen->address), htons(chosen->port)};
	lookup->record = lb_connections_open(lb->connections, &key, backend, tcp_track_first(flags),
					  &refusal);
	if (lookup->record == LB_NO_CONNECTION)
		return refusal == LB_REFUSED_FULL ? LB_TABLE_FULL : LB_END_TAKEN;
	lb->connections->records[lookup->record].generation = t->generation;
	lb->opened++;
	return LB_OPENED;
}

/* Whether the connection continues: its back end is not known to be dead, and this is not the first packet of another
 * connection with the same ends. */
static inline bool goes_on(const struct lb *lb, const struct lb_tables *t, const struct lookup *lookup, uint8_t flags)
{
	struct lb_connection *c = &lb->connections->records[lookup->record];
	struct lb_end backend = lb_source(&c->from[LB_BACKEND]);

	if (c->tcp == TCP_TRACK_CLOSED && (flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN)
		return false;
	if (c->generation == t->generation)
		return true;
	if (lb_is_down(t, lookup->service, ntohl(backend.address), ntohs(backend.port)))
		return false;
	c->generation = t->generation;
	return true;
}

static __rte_always_inline enum lb_outcome from_client(struct lb *lb, const struct lb_tables *t,
						       const struct packet *p, struct lookup *lookup)
{
	enum lb_outcome outcome = LB_FORWARDED;
	uint8_t flags = tcp_flags(lookup->frame, p);

	if (lookup->record != LB_NO_CONNECTION && !goes_on(lb, t, lookup, flags)) {
		lb_connections_close(lb->connections, lookup->record);
		lb->closed++;
		lookup->record = LB_NO_CONNECTION;
	}
	if (likely(lookup->record != LB_NO_CONNECTION)) {
		follow(lb, lookup->record, flags, true, p->payload_bytes != 0);
	} else {
		outcome = open_connection(lb, t, p, lookup);
		if (outcome != LB_OPENED)
			return outcome;
	}
	lb_rewrite(lookup->frame, p, &lb->connections->records[lookup->record], LB_CLIENT);
	return outcome;
}

static __rte_always_inline enum lb_outcome from_backend(struct lb *lb, const struct packet *p,
							const struct lookup *lookup)
{
	if (lookup->record == LB_NO_CONNECTION)
		return LB_NO_SERVICE;
	follow(lb, lookup->record, tcp_flags(lookup->frame, p), false, p->payload_bytes != 0);
	lb_rewrite(lookup->frame, p, &lb->connections->records[lookup->record], LB_BACKEND);
	return LB_REPLIED;
}

/* An earlier packet of the bulk may have opened a missing connection, or closed one. */
static inline void look_again(const struct lb *lb, const struct packet *p, struct lookup *lookup)
{
	bool found = lookup->record != LB_NO_CONNECTION;

	if (likely((lb->opened | lb->closed) == 0))
		return;
	if ((found && lb->closed != 0 && !still_its(lb, p, lookup)) || (!found && lb->opened != 0))
		lookup->record = find_again(lb, p, lookup);
}

static __rte_always_inline enum lb_outcome finish(struct lb *lb, const struct lb_tables *t, struct batch *b,
						  uint32_t at, struct lookup *lookup)
{
	const struct packet *p = &b->packets[at];
	enum lb_outcome outcome;

	if (unlikely(lookup->ended))
		return without_ports(lb, t, lookup->frame, p);
	look_again(lb, p, lookup);
	if (side_of(lookup) == LB_CLIENT)
		outcome = from_client(lb, t, p, lookup);
	else
		outcome = from_backend(lb, p, lookup);
	if (b->flow_cached && lookup->record != LB_NO_CONNECTION)
		b->paths[at]->notes[lb->note] = note_of(lb, lookup->record);
	return outcome;
}

/* Packets first to first + n - 1, n at most FLOW_TABLE_BULK. */
static inline void balance(struct lb *lb, const struct lb_tables *t, struct batch *b, uint32_t first, uint32_t n)
{
	struct lookup lookups[FLOW_TABLE_BULK];
	struct bulk_lookup bulks[2]; /* by lb_side */

	bulks[LB_CLIENT].count = bulks[LB_BACKEND].count = 0;
	lb->opened = lb->closed = 0;
	for (uint32_t i = 0; i < n; i++)
		prepare(lb, t, b, first + i, &lookups[i], bulks);
	look_up(lb, LB_CLIENT, &bulks[LB_CLIENT]);
	look_up(lb, LB_BACKEND, &bulks[LB_BACKEND]);
	for (uint32_t i = 0; i < n; i++)
		if (!lookups[i].ended)
			resolve(lb, b, first + i, &lookups[i], bulks);
	for (uint32_t i = 0; i < n; i++)
		b->outcome[first + i] = (uint8_t)finish(lb, t, b, first + i, &lookups[i]);
}

STAGE_PROCESS void lb_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void lb_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct lb *lb = state;
	const struct lb_tables *tables = rcu_tables_get(lb->rcu);

	lb_connections_expire(lb->connections, now_ns);
	for (uint32_t i = 0; i < batch->count; i += lb->bulk)
		balance(lb, tables, batch, i, RTE_MIN(batch->count - i, lb->bulk));
	batch_settle(batch);
}

/* Keys of instances; services and their Maglev tables are tables. */
static const char *const lb_fixed_keys[] = {
	"entries", "tcp_timeout_s", "tcp_opening_timeout_s", "tcp_closing_timeout_s", "udp_timeout_s", NULL,
};

static uint32_t lb_entries(const void *settings)
{
	return ((const struct lb_settings *)settings)->entries;
}

static void lb_describe(const void *settings, char *text, size_t bytes)
{
	const struct lb_settings *s = settings;
	uint32_t backends = 0;

	for (uint32_t i = 0; i < s->service_count; i++)
		backends += s->services[i].backend_count;
	snprintf(text, bytes, "%u services, %u back ends", s->service_count, backends);
}

const struct stage_ops lb_stage = {
	.name = "lb",
	.outcomes = lb_outcomes,
	.keeps_flows = true,
	.init = lb_init,
	.process = lb_process,
	.fini = lb_fini,
	.hooks = {
		.configure = lb_configure,
		.release = lb_release,
		.build = lb_tables_build,
		.destroy = lb_tables_destroy,
		.fixed_keys = lb_fixed_keys,
		.describe = lb_describe,
		.owners = lb_owners,
		.entries = lb_entries,
	},
};
