/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packet detection (3GPP TS 23.501, 5.8.2; TS 29.244, 5.2.1): which session a packet is of, and which of its rules it
 * matches. Makes the store of sessions that the stages behind it use. docs/behaviour.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "stage.h"
#include "upf/upf_config.h"
#include "session/upf_control.h"
#include "session/upf_match.h"
#include "upf/upf_policies.h"
#include "upf/upf_settings.h"

#define PDR_OUTCOMES(OUTCOME) \
	OUTCOME(PDR_UPLINK, "uplink", NALM_KIND_PASS) \
	OUTCOME(PDR_DOWNLINK, "downlink", NALM_KIND_PASS) \
	OUTCOME(PDR_OWN, "own", NALM_KIND_PASS) \
	OUTCOME(PDR_NO_SESSION, "no_session", NALM_KIND_POLICY) \
	OUTCOME(PDR_NO_RULE, "no_rule", NALM_KIND_POLICY) \
	OUTCOME(PDR_POLICY_DENIED, "policy_denied", NALM_KIND_POLICY) \
	OUTCOME(PDR_MALFORMED, "malformed", NALM_KIND_BAD) \
	OUTCOME(PDR_VLAN, "vlan", NALM_KIND_BAD) \
	OUTCOME(PDR_NOT_IP, "not_ip", NALM_KIND_BAD)

enum pdr_outcome { PDR_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec pdr_outcomes[] = {PDR_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

static const uint8_t outcome_of_kind[] = {
	[PACKET_MALFORMED] = PDR_MALFORMED,
	[PACKET_VLAN] = PDR_VLAN,
	[PACKET_NOT_IP] = PDR_NOT_IP,
};

#define BULK 64u /* packets that are looked up together */
_Static_assert(BULK <= RTE_HASH_LOOKUP_BULK_MAX && BULK <= DPI_TUPLES_BULK, "one call each");

struct pdr {
	const struct rcu_tables *rcu;
	struct upf_store *store;
	uint32_t index;
	uint32_t bulk; /* 1: packet after packet */
};

/* Packets of a bulk that belong to some session. */
struct lookups {
	uint32_t n;
	uint8_t at[BULK]; /* place in the batch */
	struct flow_key keys[BULK];
	const void *key_list[BULK];
	hash_sig_t hashes[BULK];
	void *first[BULK];
};

/* The first instance makes the store, and the last to go takes it away. */
static uint32_t instances;

static void *pdr_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct pdr_settings *s = settings;
	struct pdr *p = rte_zmalloc_socket("pdr", sizeof(*p), 64, place->socket);

	if (p == NULL)
		fprintf(stderr, "pdr: no memory\n");
	if (p == NULL || (instances == 0 && !upf_control_fill(s, place))) {
		rte_free(p);
		return NULL;
	}
	instances++;
	*p = (struct pdr){
		.rcu = rcu,
		.store = upf_store_running(),
		.index = place->index,
		.bulk = place->prefetch ? BULK : 1,
	};
	return p;
}

static void pdr_fini(void *instance)
{
	struct pdr *p = instance;

	if (--instances == 0)
		upf_control_empty();
	rte_free(p);
}

static inline void add(struct lookups *l, uint32_t i, struct rte_mbuf *m, const struct packet *p)
{
	uint32_t n = l->n++;

	l->keys[n] = upf_key_of(upf_mark(m), rte_pktmbuf_mtod(m, const uint8_t *), p);
	l->key_list[n] = &l->keys[n];
	l->hashes[n] = upf_key_hash(&l->keys[n]);
	l->at[n] = (uint8_t)i;
}

static inline enum pdr_outcome decide(const struct pdr *d, const struct upf_policies *policies, struct rte_mbuf *m,
				      const struct packet *p, uint32_t first)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct upf_mark *mark = upf_mark(m);

	if (!upf_match(d->store, first, mark, frame, p))
		return PDR_NO_RULE;
	if (d->store->pdrs[mark->pdr].predefined) {
		upf_policies_count(policies, d->index, mark->policy, upf_ip_bytes(frame, p));
		if (!upf_policy_passes(mark->policy))
			return PDR_POLICY_DENIED;
	}
	return mark->side == UPF_ACCESS ? PDR_UPLINK : PDR_DOWNLINK;
}

/* Packets first to end - 1, of which there are at most BULK. */
static inline void detect(const struct pdr *d, const struct upf_policies *policies, struct batch *b, uint32_t first,
			  uint32_t end)
{
	struct lookups l;
	uint64_t hits = 0;

	l.n = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct packet *p = &b->packets[i];
		if (unlikely(p->kind >= PACKET_MALFORMED))
			b->outcome[i] = outcome_of_kind[p->kind];
		else if (unlikely(upf_mark(b->mbufs[i])->side == UPF_OWN))
			b->outcome[i] = PDR_OWN;
		else
			add(&l, i, b->mbufs[i], p);
	}
	if (l.n == 0)
		return;
	(void)rte_hash_lookup_with_hash_bulk_data(d->store->keys, l.key_list, l.hashes, l.n, &hits, l.first);
	for (uint32_t n = 0; n < l.n; n++)
		if (hits >> n & 1)
			rte_prefetch0(&d->store->pdrs[(uintptr_t)l.first[n]]);
	upf_policies_find(policies, b, l.at, l.n, hits);
	for (uint32_t n = 0; n < l.n; n++) {
		uint32_t i = l.at[n];
		if (unlikely((hits >> n & 1) == 0))
			b->outcome[i] = PDR_NO_SESSION;
		else
			b->outcome[i] = (uint8_t)decide(d, policies, b->mbufs[i], &b->packets[i], (uint32_t)(uintptr_t)l.first[n]);
	}
}

STAGE_PROCESS void pdr_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void pdr_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct pdr *d = instance;
	const struct upf_policies *policies = rcu_tables_get(d->rcu);

	(void)now_ns;
	for (uint32_t first = 0; first < batch->count; first += d->bulk)
		detect(d, policies, batch, first, RTE_MIN(first + d->bulk, batch->count));
	batch_settle(batch);
}

static void pdr_describe(const void *settings, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u static policies", ((const struct pdr_settings *)settings)->policies->rule_count);
}

const struct stage_ops pdr_stage = {
	.name = "pdr",
	.outcomes = pdr_outcomes,
	.init = pdr_init,
	.process = pdr_process,
	.fini = pdr_fini,
	.hooks = {
		.configure = pdr_configure,
		.release = pdr_release,
		.build = upf_policies_build,
		.inherit = upf_policies_inherit,
		.destroy = upf_policies_destroy,
		.fixed_keys = upf_fixed_keys,
		.describe = pdr_describe,
		.report = upf_policies_report,
		.reset = upf_policies_reset,
		.start_control = upf_control_start,
		.stop_control = upf_control_stop,
	},
};
