/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/rtc.h"

#define INLINE static inline __attribute__((always_inline))

/* lcore NULL: priming, which the probe does not see. */
INLINE void account(struct rtc *rtc, struct nalm_lcore *lcore, uint32_t stage, uint32_t packets,
		    const uint32_t *outcomes)
{
	struct stage_totals *totals = &rtc->chain->totals[stage];
	const struct nalm_outcome_spec *names = rtc->chain->probed[stage].outcomes;

	if (lcore != NULL)
		nalm_probe_mark(lcore, stage, packets);
	totals->packets += packets;
	for (uint32_t o = 0; names[o].name != NULL; o++) {
		totals->outcomes[o] += outcomes[o];
		if (lcore != NULL)
			nalm_probe_outcome(lcore, stage, o, outcomes[o]);
	}
}

INLINE uint32_t nf_iterate(struct rtc *rtc, struct nalm_lcore *lcore)
{
	struct chain *chain = rtc->chain;
	struct batch *batch = &rtc->batch;
	uint64_t now_ns = rtc->received * rtc->ns_per_packet;

	rx_process(rtc->io, batch, now_ns);
	uint32_t received = batch->count;
	account(rtc, lcore, CHAIN_RX, received, batch->outcomes);
	if (received == 0)
		return 0;
	rtc->received += received;
	for (uint32_t i = 0; i < chain->count; i++) {
		uint32_t n = batch->count;
		batch->go_on = chain->stages[i].go_on;
		chain->stages[i].ops->process(chain->stages[i].state, batch, now_ns);
		account(rtc, lcore, CHAIN_FIRST + i, n, batch->outcomes);
	}
	uint32_t n = batch->count;
	tx_process(rtc->io, batch, now_ns);
	account(rtc, lcore, chain_tx(chain), n, batch->outcomes);
	return received;
}

INLINE uint32_t generate(struct rtc *rtc, struct nalm_lcore *lcore)
{
	uint32_t n = generator_process(rtc->generator);
	account(rtc, lcore, CHAIN_GENERATOR, n, &n);
	return n;
}

INLINE uint32_t sink(struct rtc *rtc, struct nalm_lcore *lcore)
{
	uint32_t n = sink_process(rtc->sink);
	account(rtc, lcore, chain_sink(rtc->chain), n, &n);
	return n;
}

void rtc_prime(struct rtc *rtc)
{
	while (generator_prime(rtc->generator) != 0) {
		nf_iterate(rtc, NULL);
		sink(rtc, NULL);
	}
	chain_reset_totals(rtc->chain);
}

void rtc_run_shared(struct rtc *rtc, struct nalm_lcore *lcore)
{
	while (!*rtc->stop && nalm_probe_gate(lcore)) {
		generate(rtc, lcore);
		uint32_t received = nf_iterate(rtc, lcore);
		sink(rtc, lcore);
		nalm_probe_commit(lcore, received);
		if (received == 0 && rtc->generator->left == 0)
			break;
	}
}

void rtc_run_nf(struct rtc *rtc, struct nalm_lcore *lcore)
{
	while (!*rtc->stop && nalm_probe_gate(lcore)) {
		/* read before the ring is: what the generator put there before it ended is then seen (S) */
		bool last = atomic_load_explicit(&rtc->source_ended, memory_order_acquire);
		uint32_t received = nf_iterate(rtc, lcore);
		nalm_probe_commit(lcore, received);
		if (last && received == 0)
			break;
	}
	atomic_store_explicit(&rtc->nf_ended, true, memory_order_release); /* (N) */
}

void rtc_run_traffic(struct rtc *rtc, struct nalm_lcore *lcore)
{
	while (!*rtc->stop && nalm_probe_gate(lcore)) {
		bool last = atomic_load_explicit(&rtc->nf_ended, memory_order_acquire); /* pairs with (N) */
		uint32_t generated = generate(rtc, lcore);
		uint32_t sunk = sink(rtc, lcore);
		nalm_probe_commit(lcore, generated);
		if (rtc->generator->left == 0)
			atomic_store_explicit(&rtc->source_ended, true, memory_order_release); /* pairs with (S) */
		if (last && sunk == 0)
			break;
	}
	atomic_store_explicit(&rtc->source_ended, true, memory_order_release); /* pairs with (S) */
}
