/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QoS enforcement (3GPP TS 29.244, 5.4): gates, and maximum bit rates by token buckets. docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "packet/token_bucket.h"
#include "stage.h"
#include "upf/upf_config.h"
#include "session/upf_match.h"
#include "upf/upf_owners.h"
#include "upf/upf_settings.h"

#define QER_OUTCOMES(OUTCOME) \
	OUTCOME(QER_CONFORMED, "conformed", NALM_KIND_PASS) \
	OUTCOME(QER_UNLIMITED, "unlimited", NALM_KIND_PASS) \
	OUTCOME(QER_OWN, "own", NALM_KIND_PASS) \
	OUTCOME(QER_GATE_CLOSED, "gate_closed", NALM_KIND_POLICY) \
	OUTCOME(QER_RATE_EXCEEDED, "rate_exceeded", NALM_KIND_POLICY) \
	OUTCOME(QER_SESSION_GONE, "session_gone", NALM_KIND_POLICY)

enum qer_outcome { QER_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec qer_outcomes[] = {QER_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

#define NS_PER_MS UINT64_C(1000000)
#define LEAST_BURST_BYTES 2000u /* more than a packet */

struct qer {
	struct upf_store *store;
	uint64_t burst_ns;
	bool prefetch;
};

static void *qer_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct qer_settings *s = settings;
	struct qer *q = rte_zmalloc_socket("qer", sizeof(*q), 64, place->socket);

	(void)rcu;
	if (q == NULL) {
		fprintf(stderr, "qer: no memory\n");
		return NULL;
	}
	*q = (struct qer){.store = upf_store_running(), .burst_ns = s->burst_ms * NS_PER_MS, .prefetch = place->prefetch};
	return q;
}

/* Fills the bucket for the time since it was last looked at. It is full at its first packet. Another lcore may have seen a
 * later time than this batch's. */
static inline void fill_bucket(struct upf_qer *q, enum upf_direction d, uint64_t kbit, uint64_t burst_ns, uint64_t now_ns)
{
	uint64_t full = RTE_MAX(kbit * burst_ns, LEAST_BURST_BYTES * TOKENS_OF_BYTE), since = q->since_ns[d];
	uint64_t now = now_ns + 1, passed = now > since ? now - since : 0; /* since 0: never */

	q->credit[d] = since == 0 ? full : token_bucket_filled(q->credit[d], full, kbit, passed);
	q->since_ns[d] = RTE_MAX(now, since);
}

static inline enum qer_outcome enforce(const struct qer *qer, const struct upf_pdr *r, uint32_t bytes, uint64_t now_ns)
{
	enum upf_direction d = r->side == UPF_ACCESS ? UPF_UPLINK : UPF_DOWNLINK;
	struct upf_qer *limits[UPF_OF_PDR];
	uint64_t cost = bytes * TOKENS_OF_BYTE;
	uint32_t n = 0;

	if (r->qers[0] == UPF_NONE)
		return QER_UNLIMITED;
	for (uint32_t i = 0; i < UPF_OF_PDR && r->qers[i] != UPF_NONE; i++) {
		struct upf_qer *q = &qer->store->qers[r->qers[i]];
		uint32_t kbit = atomic_load_explicit(&q->kbit[d], memory_order_relaxed);
		if (atomic_load_explicit(&q->closed[d], memory_order_relaxed) != 0)
			return QER_GATE_CLOSED;
		if (kbit == UPF_UNLIMITED)
			continue;
		if (kbit == 0)
			return QER_RATE_EXCEEDED;
		fill_bucket(q, d, kbit, qer->burst_ns, now_ns);
		if (q->credit[d] < cost)
			return QER_RATE_EXCEEDED;
		limits[n++] = q;
	}
	for (uint32_t i = 0; i < n; i++) /* a packet takes credit of all its QERs, or of none */
		limits[i]->credit[d] -= cost;
	return n == 0 ? QER_UNLIMITED : QER_CONFORMED;
}

static inline enum qer_outcome look_at(const struct qer *qer, struct rte_mbuf *m, const struct packet *p, uint64_t now_ns)
{
	if (unlikely(upf_mark(m)->side == UPF_OWN))
		return QER_OWN;
	const struct upf_pdr *r = upf_matched(qer->store, m, p);
	if (unlikely(r == NULL))
		return QER_SESSION_GONE;
	return enforce(qer, r, upf_ip_bytes(rte_pktmbuf_mtod(m, const uint8_t *), p), now_ns);
}

static inline void prefetch(const struct upf_store *s, const struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct upf_mark *mark = upf_mark(b->mbufs[i]);
		if (likely(mark->side != UPF_OWN && upf_is_current(s, mark)) && s->pdrs[mark->pdr].qers[0] != UPF_NONE)
			rte_prefetch0(&s->qers[s->pdrs[mark->pdr].qers[0]]);
	}
}

STAGE_PROCESS void qer_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void qer_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct qer *q = instance;

	if (q->prefetch)
		prefetch(q->store, batch);
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)look_at(q, batch->mbufs[i], &batch->packets[i], now_ns);
	batch_settle(batch);
}

const struct stage_ops qer_stage = {
	.name = "qer",
	.outcomes = qer_outcomes,
	.keeps_flows = true,
	.init = qer_init,
	.process = qer_process,
	.fini = rte_free,
	.hooks = {
		.configure = qer_configure,
		.release = free,
		.owners = upf_owners,
	},
};
