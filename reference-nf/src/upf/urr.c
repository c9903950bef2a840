/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage reporting (3GPP TS 29.244, 5.2.2): counts volume, tells when a threshold is reached, ends where a quota does.
 * docs/behaviour.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "stage.h"
#include "upf/upf_config.h"
#include "session/upf_match.h"
#include "upf/upf_owners.h"
#include "upf/upf_settings.h"

#define URR_OUTCOMES(OUTCOME) \
	OUTCOME(URR_COUNTED, "counted", NALM_KIND_PASS) \
	OUTCOME(URR_NOT_COUNTED, "not_counted", NALM_KIND_PASS) \
	OUTCOME(URR_OWN, "own", NALM_KIND_PASS) \
	OUTCOME(URR_QUOTA_EXHAUSTED, "quota_exhausted", NALM_KIND_POLICY) \
	OUTCOME(URR_SESSION_GONE, "session_gone", NALM_KIND_POLICY)

enum urr_outcome { URR_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec urr_outcomes[] = {URR_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct urr {
	struct upf_store *store;
	struct rte_ring *reports;
	bool prefetch;
	_Atomic uint64_t bytes[UPF_DIRECTIONS]; /* all that was counted, once; this instance writes */
	_Atomic uint64_t due, unsaid;		/* reports; those of them that the ring had no room for */
};

static void *urr_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct urr *u = rte_zmalloc_socket("urr", sizeof(*u), 64, place->socket);

	(void)settings, (void)rcu;
	if (u == NULL) {
		fprintf(stderr, "urr: no memory\n");
		return NULL;
	}
	u->store = upf_store_running();
	u->reports = u->store->reports[place->index];
	u->prefetch = place->prefetch;
	return u;
}

/* Of one writer. */
static inline uint64_t add(_Atomic uint64_t *count, uint64_t n)
{
	uint64_t sum = atomic_load_explicit(count, memory_order_relaxed) + n;

	atomic_store_explicit(count, sum, memory_order_relaxed);
	return sum;
}

static __attribute__((noinline)) void report(struct urr *urr, uint32_t at, enum upf_volume volume, uint64_t bytes)
{
	struct upf_urr *u = &urr->store->urrs[at];
	uint64_t step = __atomic_load_n(&urr->store->thresholds[at][volume], __ATOMIC_RELAXED);
	void *what = upf_reference(at, atomic_load_explicit(&u->epoch, memory_order_relaxed));

	atomic_store_explicit(&u->due[volume], step == UPF_NO_VOLUME ? UPF_NO_VOLUME : bytes + step, memory_order_relaxed);
	add(&urr->due, 1);
	if (rte_ring_sp_enqueue(urr->reports, what) != 0)
		add(&urr->unsaid, 1);
}

static inline bool is_due(const struct upf_urr *u, enum upf_volume volume, uint64_t bytes)
{
	return bytes >= atomic_load_explicit(&((struct upf_urr *)(uintptr_t)u)->due[volume], memory_order_relaxed);
}

static inline bool has_quota(const struct upf_urr *u)
{
	struct upf_urr *x = (struct upf_urr *)(uintptr_t)u;
	uint64_t total = atomic_load_explicit(&x->bytes[0], memory_order_relaxed) +
			 atomic_load_explicit(&x->bytes[1], memory_order_relaxed);

	return total < atomic_load_explicit(&x->quota, memory_order_relaxed);
}

/* Reports the end of a quota once for each grant. The control thread may have granted another one since the caller
 * looked. Without room for it, the next packet that is refused reports it. */
static __attribute__((noinline)) void report_quota(struct urr *urr, uint32_t at)
{
	struct upf_urr *u = &urr->store->urrs[at];
	uint16_t grant = atomic_load_explicit(&u->grant, memory_order_acquire); /* (G) */
	void *what = upf_reference(at | UPF_QUOTA_USED, atomic_load_explicit(&u->epoch, memory_order_relaxed));

	if ((grant & 1) == 0 || grant == atomic_load_explicit(&u->reported, memory_order_relaxed) || has_quota(u) ||
	    rte_ring_sp_enqueue(urr->reports, what) != 0)
		return;
	atomic_store_explicit(&u->reported, grant, memory_order_relaxed);
	add(&urr->due, 1);
}

static inline void count(struct urr *urr, uint32_t at, enum upf_direction d, uint32_t bytes)
{
	struct upf_urr *u = &urr->store->urrs[at];
	uint64_t sum = add(&u->bytes[d], bytes);
	uint64_t total = sum + atomic_load_explicit(&u->bytes[!d], memory_order_relaxed);
	enum upf_volume own = d == UPF_UPLINK ? UPF_VOLUME_UPLINK : UPF_VOLUME_DOWNLINK;

	if (unlikely(is_due(u, own, sum)))
		report(urr, at, own, sum);
	if (unlikely(is_due(u, UPF_VOLUME_TOTAL, total)))
		report(urr, at, UPF_VOLUME_TOTAL, total);
	if (unlikely(total >= atomic_load_explicit(&u->quota, memory_order_relaxed)))
		report_quota(urr, at);
}

static inline enum urr_outcome account(struct urr *urr, const struct upf_pdr *r, uint32_t bytes)
{
	enum upf_direction d = r->side == UPF_ACCESS ? UPF_UPLINK : UPF_DOWNLINK;

	if (r->urrs[0] == UPF_NONE)
		return URR_NOT_COUNTED;
	for (uint32_t i = 0; i < UPF_OF_PDR && r->urrs[i] != UPF_NONE; i++)
		if (!has_quota(&urr->store->urrs[r->urrs[i]])) {
			report_quota(urr, r->urrs[i]);
			return URR_QUOTA_EXHAUSTED;
		}
	for (uint32_t i = 0; i < UPF_OF_PDR && r->urrs[i] != UPF_NONE; i++)
		count(urr, r->urrs[i], d, bytes);
	add(&urr->bytes[d], bytes);
	return URR_COUNTED;
}

static inline enum urr_outcome look_at(struct urr *urr, struct rte_mbuf *m, const struct packet *p)
{
	if (unlikely(upf_mark(m)->side == UPF_OWN))
		return URR_OWN;
	const struct upf_pdr *r = upf_matched(urr->store, m, p);
	if (unlikely(r == NULL))
		return URR_SESSION_GONE;
	return account(urr, r, upf_ip_bytes(rte_pktmbuf_mtod(m, const uint8_t *), p));
}

static inline void prefetch(const struct upf_store *s, const struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct upf_mark *mark = upf_mark(b->mbufs[i]);
		if (likely(mark->side != UPF_OWN && upf_is_current(s, mark)) && s->pdrs[mark->pdr].urrs[0] != UPF_NONE)
			rte_prefetch0(&s->urrs[s->pdrs[mark->pdr].urrs[0]]);
	}
}

STAGE_PROCESS void urr_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void urr_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	struct urr *u = instance;

	(void)now_ns;
	if (u->prefetch)
		prefetch(u->store, batch);
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)look_at(u, batch->mbufs[i], &batch->packets[i]);
	batch_settle(batch);
}

static void urr_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out)
{
	uint64_t sums[4] = {0};

	(void)rcu;
	for (uint32_t i = 0; i < count; i++) {
		struct urr *u = instances[i];
		_Atomic uint64_t *const parts[] = {&u->bytes[UPF_UPLINK], &u->bytes[UPF_DOWNLINK], &u->due, &u->unsaid};
		for (uint32_t k = 0; k < RTE_DIM(parts); k++)
			sums[k] += atomic_load_explicit(parts[k], memory_order_relaxed);
	}
	fprintf(out,
		",\"upf_usage\":{\"uplink_bytes\":%" PRIu64 ",\"downlink_bytes\":%" PRIu64 ",\"reports_due\":%" PRIu64
		",\"reports_unsaid\":%" PRIu64 "}",
		sums[0], sums[1], sums[2], sums[3]);
}

/* Forgets the sums; what was counted for a session is the session's. */
static void urr_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count)
{
	(void)rcu;
	for (uint32_t i = 0; i < count; i++) {
		struct urr *u = instances[i];
		u->bytes[UPF_UPLINK] = u->bytes[UPF_DOWNLINK] = u->due = u->unsaid = 0;
	}
}

const struct stage_ops urr_stage = {
	.name = "urr",
	.outcomes = urr_outcomes,
	.keeps_flows = true,
	.init = urr_init,
	.process = urr_process,
	.fini = rte_free,
	.hooks = {
		.configure = urr_configure,
		.release = free,
		.owners = upf_owners,
		.report = urr_report,
		.reset = urr_reset,
	},
};
