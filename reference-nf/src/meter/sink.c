/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "meter/sink.h"
#include "meter/stamp.h"

/* The NF's lcore wrote these lines last: reading them takes as long as reading memory. */
#define PREFETCH_MBUFS 8u
#define PREFETCH_FRAMES 4u

const struct nalm_outcome_spec sink_outcomes[] = {
	[SINK_RECEIVED] = {"received", NALM_KIND_PASS},
	{NULL, 0},
};

void sink_open(struct sink *s, struct generator *g)
{
	const struct traffic_settings *settings = g->settings;

	*s = (struct sink){.io = g->io, .generator = g, .warm_up = settings->warm_up_ms * rte_get_tsc_hz() / 1000};
	s->meter.timing = !g->replays && settings->meter == METER_LATENCY;
	s->meter.since = rte_rdtsc(); /* packets that open flows have no time */
}

/* Latencies of packets in flight while the lcore was parked are not counted. */
void sink_start(struct sink *s)
{
	uint64_t since = s->generator->last + s->warm_up;

	if ((int64_t)(since - s->meter.since) > 0)
		s->meter.since = since;
	s->warm_up = 0;
}

void sink_reset(struct sink *s)
{
	s->packets = 0;
	meter_clear(&s->meter);
}

static inline void take_packet(struct sink *s, struct rte_mbuf *m, uint64_t now)
{
	struct generator *g = s->generator;

	if (g->serves)
		service_arrive(&g->service, m, &s->meter, now);
	else if (!g->replays)
		synthetic_arrive(&g->synthetic, m, &s->meter, now);
	else if (g->replay.learned && m->hash.usr != 0) /* else the field may be the NIC's */
		replay_learn(&g->replay, m);
	if (s->dump.path != NULL) /* time stamps: packets so far, at the virtual pace */
		dump_add(&s->dump, rte_pktmbuf_mtod(m, uint8_t *), m->data_len, s->packets * g->settings->ns_per_packet);
	s->packets++;
}

/* What a meter reads of the packets behind this one. */
static inline void prefetch_next(struct rte_mbuf *const mbufs[], uint32_t i, uint32_t n)
{
	if (i + PREFETCH_MBUFS < n)
		rte_prefetch0(mbufs[i + PREFETCH_MBUFS]);
	if (i + PREFETCH_FRAMES < n) {
		const struct rte_mbuf *m = mbufs[i + PREFETCH_FRAMES];
		rte_prefetch0(rte_pktmbuf_mtod(m, const uint8_t *));
		rte_prefetch0(rte_pktmbuf_mtod(m, const uint8_t *) + m->data_len - STAMP_BYTES);
	}
}

static inline uint32_t take_all(struct sink *s, struct rte_ring *from)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n, all = 0;

	while ((n = rte_ring_sc_dequeue_burst(from, (void **)mbufs, BATCH_MAX, NULL)) != 0) {
		tsan_acquire(from);
		uint64_t now = rte_rdtsc();
		for (uint32_t i = 0; i < n && i < PREFETCH_MBUFS; i++)
			rte_prefetch0(mbufs[i]);
		for (uint32_t i = 0; i < n; i++) {
			prefetch_next(mbufs, i, n);
			take_packet(s, mbufs[i], now);
		}
		batch_free(mbufs, n);
		all += n;
	}
	return all;
}

__attribute__((noinline)) uint32_t sink_process(struct sink *s)
{
	uint32_t all = 0;

	if (s->io->from_next != NULL)
		return take_all(s, s->io->from_next);
	for (uint32_t q = 0; q < s->io->queues; q++)
		all += take_all(s, s->io->from_nf[q]);
	return all;
}
