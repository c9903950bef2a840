/* SPDX-License-Identifier: BSD-3-Clause
 *
 * IPv4 and IPv6 forwarding (RFC 1812, RFC 8200): route by longest prefix, TTL or hop limit, MAC addresses. See
 * docs/behaviour.md.
 */
#include <stdio.h>

#include <rte_malloc.h>

#include "l3fwd/l3fwd_config.h"
#include "l3fwd/l3fwd_rewrite.h"
#include "l3fwd/l3fwd_table.h"
#include "stage.h"

enum l3fwd_outcome {
	L3FWD_FORWARDED,
	L3FWD_TTL_EXPIRED,
	L3FWD_NO_ROUTE,
	L3FWD_MALFORMED,
	L3FWD_VLAN,
	L3FWD_NOT_IP,
	L3FWD_NOT_ROUTED,
};

static const struct nalm_outcome_spec l3fwd_outcomes[] = {
	[L3FWD_FORWARDED] = {"forwarded", NALM_KIND_PASS},
	[L3FWD_TTL_EXPIRED] = {"ttl_expired", NALM_KIND_BAD},
	[L3FWD_NO_ROUTE] = {"no_route", NALM_KIND_BAD},
	[L3FWD_MALFORMED] = {"malformed", NALM_KIND_BAD},
	[L3FWD_VLAN] = {"vlan", NALM_KIND_BAD},
	[L3FWD_NOT_IP] = {"not_ip", NALM_KIND_BAD},
	[L3FWD_NOT_ROUTED] = {"not_routed", NALM_KIND_PASS},
	{NULL, 0},
};

/* A router reads only the IP header: kinds before PACKET_MALFORMED are forwarded. What is no IP may belong to another
 * stage of the chain. */
static const uint8_t outcome_of_kind[] = {
	[PACKET_MALFORMED] = L3FWD_MALFORMED,
	[PACKET_VLAN] = L3FWD_VLAN,
	[PACKET_NOT_IP] = L3FWD_NOT_IP,
};

static inline uint8_t outcome_of(const struct l3fwd_table *t, uint8_t kind)
{
	return t->passes_others && kind != PACKET_MALFORMED ? L3FWD_NOT_ROUTED : outcome_of_kind[kind];
}

/* Offsets in a frame. */
enum {
	AT_TTL = ETHER_BYTES + 8,
	AT_HOP_LIMIT = ETHER_BYTES + 7,
	AT_DESTINATION = ETHER_BYTES + 16,
	AT_DESTINATION6 = ETHER_BYTES + 24,
};

#define BULK 64u /* packets whose routes are looked up together */

struct l3fwd {
	const struct rcu_tables *rcu;
	uint32_t bulk; /* 1: packet after packet */
	uint8_t note;
};

/* Packets of a bulk that want a route. */
struct lookups {
	uint8_t at[BULK]; /* place in the batch */
	uint32_t addresses[BULK]; /* host byte order */
	uint64_t hops[BULK];
};

struct lookups6 {
	uint8_t at[BULK];
	uint8_t addresses[BULK][IPV6_ADDRESS_BYTES];
	int32_t hops[BULK];
};

static void *l3fwd_build(const void *settings, const struct stage_place *place)
{
	return l3fwd_table_create(settings, place->socket);
}

static void l3fwd_destroy(void *tables)
{
	l3fwd_table_destroy(tables);
}

static void *l3fwd_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct l3fwd *l = rte_zmalloc_socket("l3fwd", sizeof(*l), 64, place->socket);

	(void)settings;
	if (l == NULL) {
		fprintf(stderr, "l3fwd: no memory\n");
		return NULL;
	}
	l->rcu = rcu;
	l->bulk = place->prefetch ? BULK : 1;
	l->note = place->note;
	return l;
}

static void l3fwd_fini(void *instance)
{
	rte_free(instance);
}

static inline void forward(const struct l3fwd_table *t, uint8_t *frame, uint32_t hop)
{
	decrement_ttl(frame + AT_TTL);
	write_addresses(frame, &t->next_hops[hop]);
}

static inline void forward6(const struct l3fwd_table *t, uint8_t *frame, uint32_t hop)
{
	frame[AT_HOP_LIMIT]--;
	write_addresses(frame, &t->next_hops[hop]);
}

/* A note: the destination it was made for, which a stage before this one may have changed; the table's generation; the
 * next hop. Generations begin with 1, so that 0 fits no table. */
_Static_assert(L3FWD_NEXT_HOPS <= 1u << 8 && L3FWD_GENERATION_MAX < 1u << 24, "fit a note");

static inline uint64_t note_head(const struct l3fwd_table *t, uint32_t address)
{
	return (uint64_t)address << 24 | t->generation;
}

static inline bool follow_note(const struct l3fwd *l, const struct l3fwd_table *t, const struct flow_path *path,
			       uint32_t address, uint8_t *frame)
{
	uint64_t note = path->notes[l->note];

	if (note >> 8 != note_head(t, address))
		return false;
	forward(t, frame, (uint8_t)note);
	return true;
}

/* Adds IPv4 packet i as number n to those that need a route, or gives it an outcome. Returns how many need one. */
static inline uint32_t look_at(const struct l3fwd *l, const struct l3fwd_table *t, struct batch *b, uint32_t i,
			       struct lookups *w, uint32_t n)
{
	uint8_t *frame = batch_frame(b, i);
	uint32_t address = rte_be_to_cpu_32(load32(frame + AT_DESTINATION));

	if (unlikely(frame[AT_TTL] <= 1)) {
		b->outcome[i] = L3FWD_TTL_EXPIRED;
		return n;
	}
	b->outcome[i] = L3FWD_FORWARDED;
	if (b->flow_cached && follow_note(l, t, b->paths[i], address, frame))
		return n;
	w->addresses[n] = address;
	w->at[n] = (uint8_t)i;
	return n + 1;
}

static inline uint32_t look_at6(struct batch *b, uint32_t i, struct lookups6 *w, uint32_t n)
{
	const uint8_t *frame = batch_frame(b, i);

	if (unlikely(frame[AT_HOP_LIMIT] <= 1)) {
		b->outcome[i] = L3FWD_TTL_EXPIRED;
		return n;
	}
	b->outcome[i] = L3FWD_FORWARDED;
	memcpy(w->addresses[n], frame + AT_DESTINATION6, IPV6_ADDRESS_BYTES);
	w->at[n] = (uint8_t)i;
	return n + 1;
}

static inline void find_routes(const struct l3fwd *l, const struct l3fwd_table *t, struct batch *b, struct lookups *w,
			       uint32_t n)
{
	l3fwd_table_lookup(t, w->addresses, w->hops, n);
	for (uint32_t i = 0; i < n; i++) {
		if (unlikely(w->hops[i] == L3FWD_NO_HOP)) {
			b->outcome[w->at[i]] = L3FWD_NO_ROUTE;
			continue;
		}
		if (b->flow_cached)
			b->paths[w->at[i]]->notes[l->note] = note_head(t, w->addresses[i]) << 8 | w->hops[i];
		forward(t, batch_frame(b, w->at[i]), (uint32_t)w->hops[i]);
	}
}

static inline void find_routes6(const struct l3fwd_table *t, struct batch *b, struct lookups6 *w, uint32_t n)
{
	l3fwd_table_lookup6(t, w->addresses, w->hops, n);
	for (uint32_t i = 0; i < n; i++) {
		if (unlikely(w->hops[i] == L3FWD_NO_HOP6))
			b->outcome[w->at[i]] = L3FWD_NO_ROUTE;
		else
			forward6(t, batch_frame(b, w->at[i]), (uint32_t)w->hops[i]);
	}
}

/* Whether every packet is to be routed by its IPv4 header: its kind is one of the four before PACKET_MALFORMED. */
static inline bool all_ipv4(const struct packet packets[], uint32_t n)
{
	_Static_assert(PACKET_MALFORMED == 4, "one mask for the kinds before it");
	for (uint32_t i = 0; i < n; i++)
		if ((packet_word(&packets[i]) & (uint16_t)~PACKET_WORD(0, PACKET_MALFORMED - 1)) != PACKET_WORD(4, 0))
			return false;
	return true;
}

/* n packets that all_ipv4() is true of. Those without TTL are looked up, too, so that no packet has to be moved. */
static inline void route_ipv4(const struct l3fwd_table *t, struct batch *b, uint32_t first, uint32_t n)
{
	uint8_t *frames[BULK];
	uint32_t addresses[BULK];
	uint64_t hops[BULK];

	for (uint32_t i = 0; i < n; i++) {
		frames[i] = batch_frame(b, first + i);
		addresses[i] = rte_be_to_cpu_32(load32(frames[i] + AT_DESTINATION));
	}
	l3fwd_table_lookup(t, addresses, hops, n);
	memset(&b->outcome[first], L3FWD_FORWARDED, n);
	for (uint32_t i = 0; i < n; i++) {
		if (unlikely(frames[i][AT_TTL] <= 1))
			b->outcome[first + i] = L3FWD_TTL_EXPIRED;
		else if (unlikely(hops[i] == L3FWD_NO_HOP))
			b->outcome[first + i] = L3FWD_NO_ROUTE;
		else
			forward(t, frames[i], (uint32_t)hops[i]);
	}
}

/* Packets first to end - 1, of which there are at most BULK. */
static inline void route(const struct l3fwd *l, const struct l3fwd_table *t, struct batch *b, uint32_t first, uint32_t end)
{
	struct lookups w;
	struct lookups6 w6;
	uint32_t n = 0, n6 = 0;

	if (!b->flow_cached && all_ipv4(&b->packets[first], end - first)) {
		route_ipv4(t, b, first, end - first);
		return;
	}
	for (uint32_t i = first; i < end; i++) {
		const struct packet *p = &b->packets[i];
		if (unlikely(p->kind >= PACKET_MALFORMED))
			b->outcome[i] = outcome_of(t, p->kind);
		else if (p->version == 4)
			n = look_at(l, t, b, i, &w, n);
		else
			n6 = look_at6(b, i, &w6, n6);
	}
	if (n != 0)
		find_routes(l, t, b, &w, n);
	if (n6 != 0)
		find_routes6(t, b, &w6, n6);
}

STAGE_PROCESS void l3fwd_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void l3fwd_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct l3fwd *l = instance;
	const struct l3fwd_table *t = rcu_tables_get(l->rcu);

	(void)now_ns;
	for (uint32_t first = 0; first < batch->count; first += l->bulk)
		route(l, t, batch, first, RTE_MIN(first + l->bulk, batch->count));
	batch_settle(batch);
}

static void l3fwd_describe(const void *settings, char *text, size_t bytes)
{
	const struct l3fwd_settings *s = settings;
	snprintf(text, bytes, "%u routes of IPv4, %u of IPv6", s->route_count, s->route6_count);
}

const struct stage_ops l3fwd_stage = {
	.name = "l3fwd",
	.outcomes = l3fwd_outcomes,
	.init = l3fwd_init,
	.process = l3fwd_process,
	.fini = l3fwd_fini,
	.hooks = {
		.configure = l3fwd_configure,
		.release = l3fwd_release,
		.build = l3fwd_build,
		.destroy = l3fwd_destroy,
		.describe = l3fwd_describe,
	},
};
