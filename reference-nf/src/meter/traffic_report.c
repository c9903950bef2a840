/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include <rte_cycles.h>

#include "meter/traffic_report.h"

struct report {
	traffic_member member;
	void *to;
};

static void report(const struct report *r, const char *name, uint64_t value)
{
	r->member(r->to, name, value);
}

static void report_tx_stats(const struct report *r, const struct tx_stats *o)
{
	char name[64];

	for (uint32_t d = 0; d < TX_DIRECTIONS; d++) {
		snprintf(name, sizeof(name), "%s_packets", tx_direction_names[d]);
		report(r, name, o->packets[d]);
		snprintf(name, sizeof(name), "%s_bytes", tx_direction_names[d]);
		report(r, name, o->bytes[d]);
		for (uint32_t size = 0; size < TX_STATS_SIZES; size++) {
			snprintf(name, sizeof(name), "%s_size_%s", tx_direction_names[d], tx_stats_sizes[size]);
			report(r, name, o->sizes[d][size]);
		}
	}
}

static uint64_t to_ns(double ticks)
{
	return (uint64_t)(ticks * 1e9 / (double)rte_get_tsc_hz());
}

static void report_rate(const struct report *r, const struct generator *g)
{
	double seconds = (double)g->ticks / (double)rte_get_tsc_hz();

	report(r, "duration_ns", to_ns((double)g->ticks));
	report(r, "achieved_pps", seconds > 0 ? (uint64_t)((double)g->sent / seconds) : 0);
	if (g->settings->rate_pps == 0)
		return;
	report(r, "asked_pps", g->settings->rate_pps);
	report(r, "late", g->pace.late);
}

static void report_times(const struct report *r, const struct meter *m)
{
	const struct {
		const char *name;
		uint32_t per_mille;
	} points[] = {{"latency_p50_ns", 500}, {"latency_p99_ns", 990}, {"latency_p99_9_ns", 999}};
	struct meter_times all;

	meter_all_times(m, &all);
	report(r, "latency_packets", all.latency.count);
	report(r, "latency_min_ns", to_ns((double)all.latency.least));
	report(r, "latency_mean_ns", to_ns(histogram_mean(&all.latency)));
	for (uint32_t i = 0; i < RTE_DIM(points); i++)
		report(r, points[i].name, to_ns((double)histogram_at(&all.latency, points[i].per_mille)));
	report(r, "latency_max_ns", to_ns((double)all.latency.greatest));
	report(r, "jitter_mean_ns", to_ns(histogram_mean(&all.jitter)));
	report(r, "jitter_p99_ns", to_ns((double)histogram_at(&all.jitter, 990)));
	report(r, "jitter_max_ns", to_ns((double)all.jitter.greatest));
}

/* A packet in flight is neither received nor lost, so `lost` is exact only at the end. */
static void report_meter(const struct report *r, const struct generator *g, const struct meter *m)
{
	report(r, "received", m->received);
	report(r, "lost", g->sent - m->received);
	report(r, "reordered", m->reordered);
	report(r, "duplicates", m->duplicates);
	report(r, "damaged", m->damaged);
	if (m->timing)
		report_times(r, m);
}

void traffic_report(const struct generator *g, const struct sink *s, traffic_member member, void *to)
{
	const struct report r = {member, to};

	report_tx_stats(&r, &g->tx_stats);
	report_rate(&r, g);
	report(&r, "flows", generator_flows(g));
	if (g->replays)
		return;
	report(&r, "flows_begun", g->synthetic.born - g->synthetic.count);
	report_meter(&r, g, &s->meter);
}

static void print_member(void *to, const char *name, uint64_t value)
{
	fprintf(to, ",\"%s\":%" PRIu64, name, value);
}

void traffic_print(FILE *out, const struct generator *g, const struct sink *s)
{
	fprintf(out, ",\"traffic\":{\"profile\":\"%s\",\"loop\":\"%s\"", profile_names[g->settings->profile],
		g->settings->rate_pps == 0 ? "closed" : "open");
	traffic_report(g, s, print_member, out);
	fprintf(out, "}");
}
