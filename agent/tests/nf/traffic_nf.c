/* SPDX-License-Identifier: Apache-2.0
 *
 * The agent's tests' own NF with a generator that implements nalm_traffic.h: real probe, real turns, real pace, no
 * DPDK. It forwards the given number of packets a second, by the schedule's time, and drops the rest by name, so that
 * the right result of a search is known. --grow: leaks this many bytes in each turn. --poll-work: additional work of a
 * poll that finds packets. --same-flows: flows do not end. --most: the generator sends no more a second.
 *
 * usage: traffic_nf [--capacity PPS] [--lie] [--silent-drops] [--no-file] [--grow BYTES] [--poll-work N]
 *                   [--same-flows] [--most PPS]
 */
#include "nalm_probe.h"
#include "nalm_traffic.h"

#include <stdio.h>

enum { GEN, RX, WORK_STAGE, TX, SINK };
enum { BATCH = 32, WORK = 20 };

static const struct nalm_outcome_spec pass[] = {{"pass", NALM_KIND_PASS}, {NULL, 0}};
static const struct nalm_outcome_spec work_outcomes[] = {{"pass", NALM_KIND_PASS}, {"full", NALM_KIND_LOST}, {NULL, 0}};
static const struct nalm_outcome_spec tx_outcomes[] = {{"sent", NALM_KIND_SENT}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {
	{"gen", NALM_STAGE_APART, pass}, {"rx", 0, pass},		   {"work", 0, work_outcomes},
	{"tx", 0, tx_outcomes},		 {"sink", NALM_STAGE_APART, pass}, {NULL, 0, NULL}};

static struct nalm_probe probe;
static struct nalm_traffic *traffic;
static struct nalm_traffic_control requested;
static struct nalm_traffic_totals now;
static uint64_t last, passed, hz; /* packets forwarded in this trial */
static uint64_t turn_ticks, turn_sent; /* of the trial, when the current turn began */
static uint64_t capacity, most = UINT64_MAX;
static uint32_t poll_work;
static bool lies, hides, renews = true;

static void publish(void)
{
	if (traffic == NULL)
		return;
	traffic->totals = now;
	traffic->totals.sent = lies ? now.sent * 2 : now.sent;
}

static void begin(void)
{
	last = nalm_tsc();
	if (traffic == NULL)
		return;
	if (traffic->control.trial != requested.trial) {
		now = (struct nalm_traffic_totals){
			.trial = traffic->control.trial, .stamped = 1, .timed = 1, .directed = 1, .renewing = renews};
		memset(&traffic->latency, 0, sizeof(traffic->latency));
		memset(&traffic->jitter, 0, sizeof(traffic->jitter));
		memset(traffic->directions, 0, sizeof(traffic->directions));
		passed = 0;
	}
	requested = traffic->control;
	turn_ticks = now.sending_ticks;
	turn_sent = now.sent;
}

/* Seconds in which the mean rate has as many packets as the ramp, if there is one, in these. */
static double at_mean_rate(double seconds)
{
	double period = traffic == NULL ? 0 : (double)traffic->ramp.period_ns / 1e9;
	double least = period > 0 ? (double)traffic->ramp.least_millionths / 1e6 : 1;

	if (period == 0)
		return seconds;
	double periods = (double)(uint64_t)(seconds / period), share = seconds / period - periods;
	return period * (periods + least * share + (1 - least) * share * share);
}

static uint32_t generate(void)
{
	uint64_t t = nalm_tsc(), due, sent = now.sent - turn_sent;
	uint64_t pps = requested.rate_pps < most ? requested.rate_pps : most;

	if (requested.load == NALM_TRAFFIC_SILENT)
		return 0;
	now.sending_ticks += t - last;
	last = t;
	if (requested.load == NALM_TRAFFIC_CLOSED)
		return BATCH;
	due = (uint64_t)(at_mean_rate((double)(now.sending_ticks - turn_ticks) / (double)hz) * (double)pps);
	if (requested.burst != 0)
		due = (due / requested.burst + 1) * requested.burst;
	due = due > sent ? due - sent : 0;
	return due < BATCH ? (uint32_t)due : BATCH;
}

/* Number of the trial's packets that may have passed when this one is due. */
static bool has_room(uint64_t number)
{
	double seconds = requested.load == NALM_TRAFFIC_OPEN ? (double)number / (double)requested.rate_pps
							  : (double)now.sending_ticks / (double)hz;
	return capacity == 0 || (double)passed <= seconds * (double)capacity;
}

static uint32_t process(uint64_t first, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!has_room(first + i))
			continue;
		for (volatile uint32_t work = 0; work < WORK; work++)
			;
		passed++;
		kept++;
	}
	return kept;
}

static void count(struct nalm_traffic_histogram *h, uint64_t ticks)
{
	h->count++;
	h->sum += ticks;
	h->least = 1000;
	h->greatest = ticks > h->greatest ? ticks : h->greatest;
	h->bins[ticks == 1000 ? 4 * 32 + 1000 / 16 : 5 * 32 + 2000 / 32]++;
}

/* Every packet took a thousand ticks, every hundredth two thousand. Every second one goes to clients. */
static void meter(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t number = traffic->latency.count, ticks = number % 100 == 99 ? 2000 : 1000;
		count(&traffic->latency, ticks);
		count(&traffic->directions[number % 2].latency, ticks);
	}
	now.received += n;
}

static void pass_packets(struct nalm_lcore *lc)
{
	uint64_t first = now.sent;
	uint32_t n = generate(), kept;

	now.sent += n;
	if (requested.load == NALM_TRAFFIC_OPEN && renews)
		now.flows_begun = now.sent * requested.new_flows_per_second / requested.rate_pps;
	nalm_probe_mark(lc, GEN, n);
	nalm_probe_outcome(lc, GEN, 0, n);
	for (volatile uint32_t work = 0; n != 0 && work < poll_work; work++)
		;
	nalm_probe_mark(lc, RX, n);
	nalm_probe_outcome(lc, RX, 0, n);
	kept = process(first, n);
	nalm_probe_mark(lc, WORK_STAGE, n);
	nalm_probe_outcome(lc, WORK_STAGE, 0, hides ? n : kept);
	nalm_probe_outcome(lc, WORK_STAGE, 1, hides ? 0 : n - kept);
	nalm_probe_mark(lc, TX, kept);
	nalm_probe_outcome(lc, TX, 0, kept);
	if (traffic != NULL)
		meter(kept);
	nalm_probe_mark(lc, SINK, kept);
	nalm_probe_outcome(lc, SINK, 0, kept);
	nalm_probe_commit(lc, n);
}

int main(int argc, char **argv)
{
	struct nalm_lcore lc;
	bool file = true;
	size_t grow = 0;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "0";
		if (strcmp(argv[i], "--capacity") == 0)
			capacity = strtoull(value, NULL, 10);
		if (strcmp(argv[i], "--most") == 0)
			most = strtoull(value, NULL, 10);
		if (strcmp(argv[i], "--grow") == 0)
			grow = strtoull(value, NULL, 10);
		if (strcmp(argv[i], "--poll-work") == 0)
			poll_work = (uint32_t)strtoul(value, NULL, 10);
		lies = lies || strcmp(argv[i], "--lie") == 0;
		hides = hides || strcmp(argv[i], "--silent-drops") == 0;
		file = file && strcmp(argv[i], "--no-file") != 0;
		renews = renews && strcmp(argv[i], "--same-flows") != 0;
	}
	hz = nalm_tsc_hz();
	if ((file && nalm_traffic_open(&traffic, hz) != 0) || nalm_probe_open(&probe, "traffic_nf", stages, hz, NULL) != 0 ||
	    nalm_lcore_claim(&probe, 0, &lc) != 0)
		return 2;
	for (;;) {
		if (!nalm_probe_ready(&lc)) {
			publish();
			if (grow != 0)
				memset(malloc(grow), 1, grow);
			if (!nalm_probe_park(&lc))
				break;
			begin();
		}
		pass_packets(&lc);
	}
	nalm_traffic_close(traffic);
	nalm_probe_close(&probe);
	return 0;
}
