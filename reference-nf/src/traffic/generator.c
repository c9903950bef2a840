/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "traffic/generator.h"
#include "role/ring_room.h"

const struct nalm_outcome_spec generator_outcomes[] = {
	[GENERATOR_GENERATED] = {"generated", NALM_KIND_PASS},
	{NULL, 0},
};

/* Packets from a flow's first to its first reply: as many as can be in flight. It has a minimum, so that models with
 * usual ring sizes get the same packets. */
#define REPLY_AFTER 16384u

static bool open_source(struct generator *g)
{
	uint32_t reply_after = RTE_MAX(REPLY_AFTER, g->io->in_flight + BATCH_MAX);

	if (g->replays)
		return replay_open(&g->replay, g->settings);
	if (g->serves)
		return service_open(&g->service, g->settings);
	return synthetic_open(&g->synthetic, g->settings, reply_after);
}

/* The table is filled again only for other gaps. */
static void draw_gaps(struct generator *g, uint64_t rate_pps)
{
	if (rate_pps == 0 || g->arrivals.family == GAPS_CONSTANT)
		return;
	double mean_ns = 1e9 * g->burst / (double)rate_pps;
	if (mean_ns != g->gaps_ns)
		gaps_fill(g->gaps, &g->arrivals, mean_ns, (double)rte_get_tsc_hz() / 1e9);
	g->gaps_ns = mean_ns;
	pace_draw(&g->pace, g->gaps, g->settings->seed + g->sent);
}

static void set_pace(struct generator *g, uint64_t rate_pps)
{
	uint64_t hz = rte_get_tsc_hz(), late = g->pace.late;

	pace_open(&g->pace, rate_pps, g->burst, g->settings->late_after_us * hz / 1000000, hz);
	g->pace.late = late;
	g->pace.ramp = g->ramp;
	draw_gaps(g, rate_pps);
}

void generator_set_rate(struct generator *g, uint64_t rate_pps)
{
	set_pace(g, rate_pps);
	if (!g->replays && !g->serves)
		synthetic_set_rate(&g->synthetic, rate_pps);
}

void generator_set_arrivals(struct generator *g, const struct gaps_settings *arrivals)
{
	if (arrivals->family == g->arrivals.family && arrivals->cv == g->arrivals.cv)
		return;
	g->arrivals = *arrivals;
	g->gaps_ns = 0;
}

void generator_set_bursts(struct generator *g, uint64_t packets)
{
	g->burst = packets != 0 ? (uint32_t)packets : g->settings->burst;
}

void generator_set_ramp(struct generator *g, uint64_t period_ns, double least)
{
	g->ramp = (struct ramp){.period = (double)period_ns * (double)rte_get_tsc_hz() / 1e9, .least = fmin(least, 1)};
}

bool generator_renews(const struct generator *g)
{
	return !g->replays && !g->serves && !g->synthetic.mixed;
}

void generator_set_new_flows(struct generator *g, uint64_t per_second)
{
	if (generator_renews(g))
		g->synthetic.new_flows_per_second = per_second != 0 ? per_second : g->settings->new_flows_per_second;
}

uint64_t generator_flows_begun(const struct generator *g)
{
	return generator_renews(g) ? g->synthetic.born - g->synthetic.count : 0;
}

bool generator_open(struct generator *g, struct io *io, const struct traffic_settings *s, uint64_t limit)
{
	*g = (struct generator){
		.io = io,
		.settings = s,
		.replays = profile_replays(s->profile),
		.serves = profile_serves(s->profile),
		.burst = s->burst,
		.arrivals = s->arrivals,
		.gaps = calloc(GAPS_DRAWS, sizeof(double)),
	};
	if (g->gaps == NULL) {
		fprintf(stderr, "traffic: no memory for gaps\n");
		return false;
	}
	if (!nic_open(&g->nic, s, io->rx_queues)) {
		free(g->gaps);
		return false;
	}
	if (!open_source(g)) {
		nic_close(&g->nic);
		free(g->gaps);
		return false;
	}
	set_pace(g, s->rate_pps);
	g->left = s->loop == TRAFFIC_FOREVER ? UINT64_MAX : replay_packets(&g->replay);
	if (limit != 0 && limit < g->left)
		g->left = limit;
	return true;
}

void generator_close(struct generator *g)
{
	nic_close(&g->nic);
	free(g->gaps);
	if (g->replays)
		replay_close(&g->replay);
	else if (g->serves)
		service_close(&g->service);
	else
		synthetic_close(&g->synthetic);
}

uint64_t generator_flows(const struct generator *g)
{
	if (g->serves)
		return service_flows(&g->service);
	return g->replays ? replay_flows(&g->replay) : g->synthetic.count;
}

void generator_room(const struct generator *g, uint64_t limit, uint64_t *packets, uint64_t *bytes)
{
	const struct flows *f = &g->replay.flows;

	*packets = limit;
	*bytes = limit * IO_MAX_FRAME_BYTES;
	if (limit != 0)
		return;
	*packets = replay_packets(&g->replay);
	*bytes = *packets * RTE_PKTMBUF_HEADROOM; /* which stages may put before a frame */
	for (uint32_t i = 0; i < f->image_count; i++)
		*bytes += (uint64_t)f->images[i].bytes * f->copies;
}

void generator_describe(const struct generator *g, char *text, size_t size)
{
	const struct traffic_settings *s = g->settings;

	if (g->serves) {
		snprintf(text, size, "sending profile upf of %u subscribers", s->subscribers.count);
		return;
	}
	if (!g->replays) {
		snprintf(text, size, "sending profile %s, %" PRIu64 " flows opened", profile_names[s->profile], g->primed);
		return;
	}
	uint32_t skipped = s->captures[0].skipped + s->captures[1].skipped;
	int used = snprintf(text, size, "replaying %u frames x %u copies, %" PRIu64 " flows opened",
			    g->replay.flows.image_count, g->replay.flows.copies, g->primed);
	if (skipped != 0 && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, "; %u frames of the captures cannot be sent", skipped);
}

void generator_start(struct generator *g)
{
	g->last = rte_rdtsc();
	pace_start(&g->pace, g->last);
}

/* All packets may go to the same queue. */
static inline uint32_t room(const struct generator *g, uint64_t needed)
{
	uint32_t n = g->io->batch_size;

	for (uint32_t q = 0; q < g->io->rx_queues; q++)
		n = RTE_MIN(n, ring_room(g->io->to_nf[q]));
	return needed < n ? (uint32_t)needed : n;
}

static inline bool take_buffers(struct generator *g, struct rte_mbuf *mbufs[], uint32_t n)
{
	if (rte_pktmbuf_alloc_bulk(g->io->pool, mbufs, n) != 0)
		return false;
	tsan_acquire(g->io->pool);
	return true;
}

static inline void put_before_nf(struct generator *g, uint32_t queue, struct rte_mbuf *mbufs[], uint32_t n)
{
	tsan_release(g->io->to_nf[queue]);
	rte_ring_sp_enqueue_bulk(g->io->to_nf[queue], (void **)mbufs, n, NULL);
}

/* In order within each queue. */
static inline void put_by_queue(struct generator *g, struct rte_mbuf *mbufs[], uint32_t n)
{
	struct rte_mbuf *of_queue[BATCH_MAX];

	/* relaxed: time alone, which no packet waits for */
	atomic_store_explicit(&g->io->offered.packets, g->handed_in, memory_order_relaxed);
	g->handed_in += n;
	for (uint32_t q = 0; q < g->io->rx_queues; q++) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < n; i++)
			if (g->nic.queue[i] == q)
				of_queue[count++] = mbufs[i];
		if (count != 0)
			put_before_nf(g, q, of_queue, count);
	}
}

static inline void hand_over(struct generator *g, struct rte_mbuf *mbufs[], uint32_t n)
{
	if (g->nic.offload == 0) {
		put_before_nf(g, 0, mbufs, n);
		return;
	}
	memcpy(g->waiting, mbufs, n * sizeof(*mbufs));
	g->waiting_count = n;
}

uint32_t generator_hand_in(struct generator *g)
{
	uint32_t n = g->waiting_count;

	if (n == 0)
		return 0;
	nic_process(&g->nic, g->waiting, n);
	if (g->io->rx_queues > 1)
		put_by_queue(g, g->waiting, n);
	else
		put_before_nf(g, 0, g->waiting, n);
	g->waiting_count = 0;
	return n;
}

/* due: time of each packet; NULL: now. */
static inline uint32_t send_some(struct generator *g, uint32_t n, const uint64_t *due)
{
	const struct traffic_settings *s = g->settings;
	struct synthetic_times times = {.due = due, .time = g->last};
	struct rte_mbuf *mbufs[BATCH_MAX];

	if (n == 0 || !take_buffers(g, mbufs, n))
		return 0;
	if (s->meter == METER_ORDER)
		times = (struct synthetic_times){NULL, g->sent * s->ns_per_packet, s->ns_per_packet};
	if (g->replays)
		replay_fill(&g->replay, mbufs, n, &g->tx_stats);
	else if (g->serves)
		service_fill(&g->service, mbufs, n, &times, &g->tx_stats);
	else
		synthetic_fill(&g->synthetic, mbufs, n, &times, &g->tx_stats);
	hand_over(g, mbufs, n);
	g->left -= n;
	g->sent += n;
	return n;
}

/* Sends packets that are due and not too late. */
static inline uint32_t send_due(struct generator *g)
{
	uint64_t late = pace_give_up(&g->pace, g->last, g->left), due[BATCH_MAX];

	g->left -= late;
	if (!g->replays && !g->serves)
		synthetic_skip(&g->synthetic, late);
	struct pace pace = g->pace; /* stored only if there are packet buffers */
	uint32_t most = room(g, g->left), n;
	for (n = 0; n < most && pace_is_due(&pace, g->last); n++) {
		due[n] = pace_due(&pace);
		pace_sent(&pace);
	}
	if (send_some(g, n, due) == 0)
		return 0;
	g->pace = pace;
	return n;
}

__attribute__((noinline)) uint32_t generator_process(struct generator *g)
{
	uint64_t now = rte_rdtsc();

	if (g->left == 0 || g->silent)
		return 0;
	g->ticks += now - g->last;
	g->last = now;
	return g->pace.interval != 0 ? send_due(g) : send_some(g, room(g, g->left), NULL);
}

uint32_t generator_prime(struct generator *g)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n = g->settings->replies == REPLIES_LEARNED ? room(g, generator_flows(g) - g->primed) : 0;

	if (n == 0 || !take_buffers(g, mbufs, n))
		return 0;
	if (g->replays)
		replay_open_flows(&g->replay, mbufs, n, g->primed);
	else
		synthetic_open_flows(&g->synthetic, mbufs, n, g->primed);
	hand_over(g, mbufs, n);
	(void)generator_hand_in(g);
	g->primed += n;
	return n;
}
