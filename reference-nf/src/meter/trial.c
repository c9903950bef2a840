/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>

#include "meter/trial.h"

_Static_assert(sizeof(struct histogram) == sizeof(struct nalm_traffic_histogram), "copied as they are");
_Static_assert(HISTOGRAM_BINS == NALM_TRAFFIC_BINS && HISTOGRAM_STEPS == NALM_TRAFFIC_STEPS, "the file says so");

_Static_assert((int)NALM_TRAFFIC_OUTBOUND == (int)STAMP_OUTBOUND && (int)NALM_TRAFFIC_DIRECTIONS == (int)STAMP_DIRECTIONS,
	       "directions in one order");

_Static_assert(NALM_TRAFFIC_CONSTANT - 1 == (int)GAPS_CONSTANT &&
		       NALM_TRAFFIC_NEGATIVE_BINOMIAL - 1 == (int)GAPS_NEGATIVE_BINOMIAL,
	       "families in one order");

bool trial_open(struct trial *t)
{
	int err = nalm_traffic_open(&t->file, rte_get_tsc_hz());

	if (err == 0)
		return true;
	fprintf(stderr, "trials: cannot map %s: %s\n", getenv("NALM_TRAFFIC_FILE"), strerror(-err));
	return false;
}

void trial_close(struct trial *t)
{
	nalm_traffic_close(t->file);
	t->file = NULL;
}

static struct nalm_traffic_totals so_far(const struct generator *g, const struct meter *m)
{
	return (struct nalm_traffic_totals){
		.sending_ticks = g->ticks,
		.sent = g->sent,
		.late = g->pace.late,
		.received = m->received,
		.reordered = m->reordered,
		.duplicates = m->duplicates,
		.damaged = m->damaged,
		.flows_begun = generator_flows_begun(g),
	};
}

void trial_begin(struct trial *t, struct generator *g, struct sink *s)
{
	if (t->file == NULL || t->file->control.trial == 0)
		return;
	const struct nalm_traffic_control *requested = &t->file->control;
	if (requested->trial != t->before.trial) {
		t->before = so_far(g, &s->meter);
		t->before.trial = requested->trial;
		meter_clear_times(&s->meter);
		s->warm_up = (uint64_t)((double)requested->leave_out_ns * (double)rte_get_tsc_hz() / 1e9);
	}
	if (requested->arrivals == NALM_TRAFFIC_CONFIGURED)
		generator_set_arrivals(g, &g->settings->arrivals);
	else
		generator_set_arrivals(g, &(struct gaps_settings){(enum gaps_family)(requested->arrivals - 1),
								  (double)requested->cv_millionths / 1e6});
	bool open = requested->load == NALM_TRAFFIC_OPEN;
	generator_set_bursts(g, open ? requested->burst : 0);
	generator_set_new_flows(g, open ? requested->new_flows_per_second : 0);
	generator_set_ramp(g, open ? t->file->ramp.period_ns : 0, (double)t->file->ramp.least_millionths / 1e6);
	g->silent = requested->load == NALM_TRAFFIC_SILENT;
	if (!g->silent)
		generator_set_rate(g, open ? requested->rate_pps : 0);
}

static void write_times(struct nalm_traffic_histogram *latency, struct nalm_traffic_histogram *jitter,
			const struct meter_times *times)
{
	memcpy(latency, &times->latency, sizeof(*latency));
	memcpy(jitter, &times->jitter, sizeof(*jitter));
}

void trial_publish(const struct trial *t, const struct generator *g, const struct sink *s)
{
	if (t->file == NULL)
		return;
	const struct nalm_traffic_totals now = so_far(g, &s->meter), *before = &t->before;
	t->file->totals = (struct nalm_traffic_totals){
		.trial = before->trial,
		.sending_ticks = now.sending_ticks - before->sending_ticks,
		.sent = now.sent - before->sent,
		.late = now.late - before->late,
		.stamped = !g->replays,
		.received = now.received - before->received,
		.reordered = now.reordered - before->reordered,
		.duplicates = now.duplicates - before->duplicates,
		.damaged = now.damaged - before->damaged,
		.timed = s->meter.timing,
		.directed = s->meter.timing,
		.renewing = generator_renews(g),
		.flows_begun = now.flows_begun - before->flows_begun,
	};
	struct meter_times all;
	meter_all_times(&s->meter, &all);
	write_times(&t->file->latency, &t->file->jitter, &all);
	for (uint32_t i = 0; i < STAMP_DIRECTIONS; i++) {
		struct nalm_traffic_times *times = &t->file->directions[i];
		write_times(&times->latency, &times->jitter, &s->meter.times[i]);
	}
}
