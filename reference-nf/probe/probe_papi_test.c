/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events through PAPI itself, on any host: software-defined events (libsde) take the path of hardware events, and an
 * event without hardware has PAPI's reason.
 */
#include "nalm_probe_papi.h" /* first: it asks for GNU extensions of the system's headers */

#include <sde_lib.h>

#include "check.h"

enum { RX, NAT };

static const struct nalm_stage_spec stages[] = {{"rx", 0, NULL}, {"nat", 0, NULL}, {NULL, 0, NULL}};

static struct nalm_probe probe;
static long long steps, misses;

static void work(struct nalm_lcore *lc, uint32_t n)
{
	steps += 3;
	nalm_probe_mark(lc, RX, n);
	steps += 100;
	misses += 7;
	nalm_probe_mark(lc, NAT, n);
	nalm_probe_commit(lc, n);
}

static void *lcore_thread(void *unused)
{
	static struct nalm_lcore lc;

	(void)unused;
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	CHECK(nalm_probe_gate(&lc));
	for (int i = 0; i < 10; i++)
		work(&lc, 8);
	work(&lc, 0);
	nalm_lcore_finish(&lc);
	return NULL;
}

static void open_with(const char *events)
{
	CHECK_EQUAL(setenv("NALM_PROBE_EVENTS", events, 1), 0);
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK_EQUAL(nalm_probe_papi_open(&probe), 0);
}

static void run_lcore(void)
{
	pthread_t thread;

	CHECK_EQUAL(pthread_create(&thread, NULL, lcore_thread, NULL), 0);
	CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

static void nothing_is_requested(void)
{
	CHECK_EQUAL(unsetenv("NALM_PROBE_EVENTS"), 0);
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK_EQUAL(nalm_probe_papi_open(&probe), 0);
	run_lcore();
	CHECK_EQUAL(probe.header->event_count, 0);
	CHECK_EQUAL(nalm_probe_block(&probe, 0)->counters.event_mask, 0);
	nalm_probe_close(&probe);
}

static void more_than_there_is_room_for(void)
{
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK_EQUAL(setenv("NALM_PROBE_EVENTS", "1,2,3,4,5,6,7,8,9", 1), 0);
	CHECK_EQUAL(nalm_probe_papi_open(&probe), -E2BIG);
	CHECK_EQUAL(setenv("NALM_PROBE_EVENTS", "an_event_with_a_name_of_32_chars", 1), 0);
	CHECK_EQUAL(nalm_probe_papi_open(&probe), -E2BIG);
	nalm_probe_close(&probe);
}

static void events_fall_to_their_stages(void)
{
	open_with("sde:::nalm::steps,NO_SUCH_EVENT,sde:::nalm::misses");
	const struct nalm_header *h = probe.header;
	CHECK_EQUAL(h->event_count, 3);
	CHECK(strcmp(h->events[2].name, "sde:::nalm::misses") == 0);
	CHECK(strcmp(h->events[0].state, NALM_PROBE_COUNTED) == 0);
	CHECK(strcmp(h->events[2].state, NALM_PROBE_COUNTED) == 0);
	CHECK(h->events[1].state[0] != '\0' && strcmp(h->events[1].state, NALM_PROBE_COUNTED) != 0);
	run_lcore();
	CHECK_EQUAL(nalm_probe_block(&probe, 0)->counters.event_mask, 5);
	const struct nalm_event_block *e = &nalm_probe_block(&probe, 0)->events;
	CHECK_EQUAL(e->marks[NAT], 10);
	CHECK_EQUAL(e->stages[RX][0], 30);
	CHECK_EQUAL(e->stages[NAT][0], 1000);
	CHECK_EQUAL(e->stages[NAT][1], 0);
	CHECK_EQUAL(e->stages[NAT][2], 70);
	CHECK_EQUAL(e->busy[0], 1030);
	CHECK_EQUAL(e->idle[0], 103);
	CHECK_EQUAL(e->reading[0], 0);
	nalm_probe_close(&probe);
}

/* The event is counted if there is a PMU, else PAPI gives a reason. The other event is counted in both cases. */
static void hardware_or_a_reason(void)
{
	open_with("PAPI_TOT_INS");
	const struct nalm_event_name *event = &probe.header->events[0];
	bool counted = strcmp(event->state, NALM_PROBE_COUNTED) == 0;
	run_lcore();
	const struct nalm_lcore_block *b = nalm_probe_block(&probe, 0);
	CHECK_EQUAL(b->counters.event_mask, counted);
	CHECK_EQUAL(b->counters.packets, 80);
	if (counted) {
		CHECK(b->events.busy[0] > 100 && b->events.reading[0] > 10);
	} else {
		fprintf(stderr, "PAPI_TOT_INS: %s\n", event->state);
		CHECK(strlen(event->state) > 10);
	}
	nalm_probe_close(&probe);
}

int main(void)
{
	papi_handle_t handle = papi_sde_init("nalm");

	CHECK_EQUAL(papi_sde_register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps), 0);
	CHECK_EQUAL(papi_sde_register_counter(handle, "misses", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &misses),
		    0);
	RUN(nothing_is_requested);
	RUN(more_than_there_is_room_for);
	RUN(events_fall_to_their_stages);
	RUN(hardware_or_a_reason);
	return 0;
}
