/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An edge of a provider backbone bridged network (IEEE 802.1ah): customers' frames get the addresses of two bridges and
 * the number of their service, and lose them again. See docs/behaviour.md.
 */
#include <stdio.h>

#include <rte_malloc.h>

#include "l2fwd/mac_lookup.h"
#include "pbb/pbb_config.h"
#include "pbb/pbb_table.h"
#include "stage.h"

#define PBB_OUTCOMES(OUTCOME) \
	OUTCOME(PBB_ENCAPSULATED, "encapsulated", NALM_KIND_PASS) \
	OUTCOME(PBB_FLOODED, "flooded", NALM_KIND_PASS) \
	OUTCOME(PBB_DECAPSULATED, "decapsulated", NALM_KIND_PASS) \
	OUTCOME(PBB_OTHER_SERVICE, "other_service", NALM_KIND_POLICY) \
	OUTCOME(PBB_OTHER_BRIDGE, "other_bridge", NALM_KIND_POLICY) \
	OUTCOME(PBB_RESERVED, "reserved", NALM_KIND_POLICY) \
	OUTCOME(PBB_MALFORMED, "malformed", NALM_KIND_BAD) \
	OUTCOME(PBB_TOO_LONG, "too_long", NALM_KIND_LOST)

enum pbb_outcome { PBB_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec pbb_outcomes[] = {PBB_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

#define ID_MASK RTE_BE16(0x0fff) /* of a B-TAG: its VLAN */

struct pbb {
	const struct rcu_tables *rcu;
};

static void *pbb_build(const void *settings, const struct stage_place *place)
{
	return pbb_table_create(settings, place);
}

static void pbb_destroy(void *tables)
{
	pbb_table_destroy(tables);
}

static void *pbb_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct pbb *p = rte_zmalloc_socket("pbb", sizeof(*p), 64, place->socket);

	(void)settings;
	if (p == NULL)
		fprintf(stderr, "pbb: no memory\n");
	else
		p->rcu = rcu;
	return p;
}

/* A frame with a B-TAG and an I-TAG; all of both are there. */
static enum pbb_outcome leave_backbone(const struct pbb_table *t, struct rte_mbuf *m, struct packet *p)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint64_t to = mac_destination(frame);

	if ((load16(frame + 14) & ID_MASK) != load16(t->head + 14) || memcmp(frame + 19, t->head + 19, 3) != 0)
		return PBB_OTHER_SERVICE;
	if (to != t->bridge && to != t->group)
		return PBB_OTHER_BRIDGE;
	frame = (const uint8_t *)rte_pktmbuf_adj(m, PBB_HEAD_BYTES);
	packet_parse(frame, m->data_len, p);
	return PBB_DECAPSULATED;
}

static enum pbb_outcome enter_backbone(const struct pbb_table *t, struct rte_mbuf *m, struct packet *p, uint64_t bridge)
{
	uint8_t *head = (uint8_t *)rte_pktmbuf_prepend(m, PBB_HEAD_BYTES);

	if (unlikely(head == NULL))
		return PBB_TOO_LONG;
	memcpy(head, t->head, PBB_HEAD_BYTES);
	memcpy(head, &bridge, RTE_ETHER_ADDR_LEN);
	*p = (struct packet){.kind = PACKET_VLAN};
	return bridge == t->group ? PBB_FLOODED : PBB_ENCAPSULATED;
}

/* Adds a customer's frame to those whose bridge is looked up; another one gets its outcome. */
static inline void look_at(const struct pbb_table *t, struct batch *b, uint32_t i, struct mac_lookups *w)
{
	struct rte_mbuf *m = b->mbufs[i];
	const uint8_t *frame = batch_frame(b, i);

	if (unlikely(rte_pktmbuf_data_len(m) < ETHER_BYTES)) {
		b->outcome[i] = PBB_MALFORMED;
		return;
	}
	if (load16(frame + 12) == load16(t->head + 12) && rte_pktmbuf_data_len(m) >= 18 &&
	    load16(frame + 16) == load16(t->head + 16)) {
		b->outcome[i] = rte_pktmbuf_data_len(m) < PBB_HEAD_BYTES + ETHER_BYTES ?
					PBB_MALFORMED :
					(uint8_t)leave_backbone(t, m, &b->packets[i]);
		return;
	}
	uint64_t address = mac_destination(frame);
	if (unlikely(mac_is_reserved(address))) {
		b->outcome[i] = PBB_RESERVED;
		return;
	}
	mac_lookups_add(w, i, address);
}

/* Groups of customers, and those who are not known, are behind all bridges with the service. */
static inline void find_bridges(const struct pbb_table *t, struct batch *b, struct mac_lookups *w)
{
	if (t->customers == NULL)
		memset(w->hits, 0, sizeof(w->hits));
	else
		flow_table_find_batch(t->customers, w->keys, w->count, w->hits, w->records);
	for (uint32_t i = 0; i < w->count; i++) {
		bool known = mac_lookups_hit(w, i);
		uint32_t at = w->at[i];
		b->outcome[at] = (uint8_t)enter_backbone(t, b->mbufs[at], &b->packets[at],
							 known ? t->entries[w->records[i]].bridge : t->group);
	}
}

STAGE_PROCESS void pbb_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void pbb_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct pbb *p = instance;
	const struct pbb_table *t = rcu_tables_get(p->rcu);
	struct mac_lookups w;

	(void)now_ns;
	w.count = 0;
	for (uint32_t i = 0; i < batch->count; i++)
		look_at(t, batch, i, &w);
	if (w.count != 0)
		find_bridges(t, batch, &w);
	batch_settle(batch);
}

static void pbb_describe(const void *settings, char *text, size_t bytes)
{
	const struct pbb_settings *s = settings;

	snprintf(text, bytes, "%u customers", s->count);
}

const struct stage_ops pbb_stage = {
	.name = "pbb",
	.outcomes = pbb_outcomes,
	.init = pbb_init,
	.process = pbb_process,
	.fini = rte_free,
	.hooks = {
		.configure = pbb_configure,
		.release = pbb_release,
		.build = pbb_build,
		.destroy = pbb_destroy,
		.describe = pbb_describe,
	},
};
