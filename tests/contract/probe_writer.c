/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer for the probe contract: two threads whose counters keep, at every commit, the invariants a reader tests:
 * packets of "work" = 3 * iterations, outcomes add up to packets, batch histogram adds up to batches.
 *
 * With the argument "events" it also reads events of its own: one refused, and one that each reading increases by 5, so
 * that marks and counts can be compared.
 */
#include "nalm_probe.h"

#include <pthread.h>
#include <stdio.h>

enum { GENERATOR, WORK };
enum { SENT, REFUSED };

static const struct nalm_outcome_spec outcomes[] = {
	{"sent", NALM_KIND_SENT}, {"refused", NALM_KIND_POLICY}, {NULL, NALM_KIND_PASS}};
static const struct nalm_stage_spec stages[] = {
	{"generator", NALM_STAGE_APART, NULL}, {"work", 0, outcomes}, {NULL, 0, NULL}};

static struct nalm_probe probe;

/* About the cycles of a small batch in a real NF, because a writer without pauses could never be read. */
static void work(void)
{
	for (uint64_t begin = nalm_tsc(); nalm_tsc() - begin < 8000;)
		continue;
}

static __thread uint64_t readings;

static void read_events(const struct nalm_lcore *lc, uint64_t values[NALM_PROBE_MAX_EVENTS])
{
	(void)lc;
	values[1] = 5 * ++readings;
}

static void attach_events(struct nalm_lcore *lc)
{
	lc->read_events = read_events;
	lc->event_count = 2;
	lc->block->counters.event_mask = 2;
}

static void offer_events(void)
{
	static const struct nalm_event_name events[] = {{"REFUSED", "no counter left"}, {"FIVES", NALM_PROBE_COUNTED}};

	memcpy(probe.header->events, events, sizeof(events));
	probe.attach_events = attach_events;
	__atomic_store_n(&probe.header->event_count, 2, __ATOMIC_RELEASE);
}

static uint64_t buffers(void *arg)
{
	return *(const uint64_t *)arg;
}

static void *writer(void *id)
{
	struct nalm_lcore lc;
	if (nalm_lcore_claim(&probe, (uint32_t)(size_t)id, &lc) != 0)
		return NULL;
	while (nalm_probe_gate(&lc)) {
		nalm_probe_mark(&lc, GENERATOR, 3);
		work();
		nalm_probe_mark(&lc, WORK, 3);
		nalm_probe_outcome(&lc, WORK, SENT, 2);
		nalm_probe_outcome(&lc, WORK, REFUSED, 1);
		nalm_probe_commit(&lc, 3);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static uint64_t in_use = 42;
	pthread_t threads[2];
	int err = nalm_probe_open(&probe, "contract writer", stages, nalm_tsc_hz(), NULL);
	if (err != 0) {
		fprintf(stderr, "nalm_probe_open: %s\n", strerror(-err));
		return 1;
	}
	if (argc > 1 && strcmp(argv[1], "events") == 0) {
		offer_events();
		nalm_probe_buffers(&probe, buffers, &in_use);
	}
	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, writer, (void *)(i + 5)) != 0)
			return 1;
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	nalm_probe_close(&probe);
	return 0;
}
