/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forwarding actions (3GPP TS 29.244, 5.2.1): to the core as plain IP, to the access side in a tunnel, or not at all.
 * docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "stage.h"
#include "upf/upf_config.h"
#include "session/upf_match.h"
#include "upf/upf_settings.h"
#include "upf/upf_tunnel.h"

#define FAR_OUTCOMES(OUTCOME) \
	OUTCOME(FAR_TO_CORE, "to_core", NALM_KIND_PASS) \
	OUTCOME(FAR_TO_ACCESS, "to_access", NALM_KIND_PASS) \
	OUTCOME(FAR_OWN, "own", NALM_KIND_PASS) \
	OUTCOME(FAR_DROPPED, "dropped", NALM_KIND_POLICY) \
	OUTCOME(FAR_NOT_KEPT, "not_kept", NALM_KIND_POLICY) \
	OUTCOME(FAR_SESSION_GONE, "session_gone", NALM_KIND_POLICY) \
	OUTCOME(FAR_TOO_LONG, "too_long", NALM_KIND_LOST)

enum far_outcome { FAR_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec far_outcomes[] = {FAR_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct far {
	struct upf_store *store;
	struct rte_ring *arrivals;
	uint32_t n3;
	bool prefetch;
};

static void *far_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct upf_tunnel_settings *s = settings;
	struct far *f = rte_zmalloc_socket("far", sizeof(*f), 64, place->socket);

	(void)rcu;
	if (f == NULL) {
		fprintf(stderr, "far: no memory\n");
		return NULL;
	}
	*f = (struct far){
		.store = upf_store_running(),
		.arrivals = upf_store_running()->arrivals[place->index],
		.n3 = s->n3,
		.prefetch = place->prefetch,
	};
	return f;
}

/* A packet for whom nobody is there: once for a FAR, its session's owner hears of it. */
static __attribute__((noinline)) void tell(const struct far *far, struct upf_far *f, const struct upf_mark *mark)
{
	if (!f->notify || atomic_load_explicit(&f->notified, memory_order_relaxed) != 0)
		return;
	if (rte_ring_sp_enqueue(far->arrivals, upf_reference(mark->pdr, mark->epoch)) == 0)
		atomic_store_explicit(&f->notified, 1, memory_order_relaxed);
}

static inline enum far_outcome look_at(const struct far *far, struct rte_mbuf *m, struct packet *p)
{
	if (unlikely(upf_mark(m)->side == UPF_OWN))
		return FAR_OWN;
	const struct upf_pdr *r = upf_matched(far->store, m, p);
	if (unlikely(r == NULL))
		return FAR_SESSION_GONE;
	struct upf_far *f = &far->store->fars[r->far];
	if (unlikely(f->action != UPF_FORWARD)) {
		if (f->action == UPF_DROP)
			return FAR_DROPPED;
		tell(far, f, upf_mark(m));
		return FAR_NOT_KEPT;
	}
	if (f->to == UPF_CORE)
		return FAR_TO_CORE;
	return upf_wrap(m, p, far->n3, f->peer, f->teid, r->qfi) ? FAR_TO_ACCESS : FAR_TOO_LONG;
}

static inline void prefetch(const struct upf_store *s, const struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct upf_mark *mark = upf_mark(b->mbufs[i]);
		if (likely(mark->side != UPF_OWN && upf_is_current(s, mark)))
			rte_prefetch0(&s->fars[s->pdrs[mark->pdr].far]);
	}
}

STAGE_PROCESS void far_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void far_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct far *f = instance;

	(void)now_ns;
	if (f->prefetch)
		prefetch(f->store, batch);
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)look_at(f, batch->mbufs[i], &batch->packets[i]);
	batch_settle(batch);
}

const struct stage_ops far_stage = {
	.name = "far",
	.outcomes = far_outcomes,
	.init = far_init,
	.process = far_process,
	.fini = rte_free,
	.hooks = {
		.configure = far_configure,
		.release = free,
	},
};
