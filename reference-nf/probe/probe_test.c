/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contract 1 from both sides: an NF thread that counts, and a reader that knows only the file's layout.
 */
#include "nalm_probe.h" /* first: it asks for GNU extensions of the system's headers */

#include <pthread.h>
#include <sched.h>

#include "check.h"

enum { GEN, RX, NAT };

static const struct nalm_outcome_spec rx_outcomes[] = {{"received", NALM_KIND_PASS}, {NULL, 0}};
static const struct nalm_outcome_spec nat_outcomes[] = {
	{"translated", NALM_KIND_PASS}, {"no_port", NALM_KIND_LOST}, {"sent", NALM_KIND_SENT}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {
	{"generator", NALM_STAGE_APART, NULL}, {"rx", 0, rx_outcomes}, {"nat", 0, nat_outcomes}, {NULL, 0, NULL}};

static struct nalm_probe probe;
static char path[] = "/tmp/nalm-probe-test-XXXXXX";

static void iterate(struct nalm_lcore *lc, uint32_t n)
{
	nalm_probe_mark(lc, GEN, n);
	nalm_probe_mark(lc, RX, n);
	nalm_probe_outcome(lc, RX, 0, n);
	nalm_probe_mark(lc, NAT, n);
	nalm_probe_outcome(lc, NAT, 0, n - n / 4);
	nalm_probe_outcome(lc, NAT, 1, n / 4);
	nalm_probe_commit(lc, n);
}

/* A mark that took so many cycles. */
static void mark_of(struct nalm_lcore *lc, uint32_t stage, uint32_t n, uint64_t cycles)
{
	nalm_probe_mark(lc, stage, n);
	lc->marks[lc->mark_count - 1].cycles = cycles;
}

static uint32_t word(const uint8_t *file, size_t at)
{
	uint32_t value;
	memcpy(&value, file + at, sizeof(value));
	return value;
}

static uint64_t long_word(const uint8_t *file, size_t at)
{
	uint64_t value;
	memcpy(&value, file + at, sizeof(value));
	return value;
}

/* Offsets are literal, because other programs rely on them. */
static void layout_of_the_file(void)
{
	static uint8_t file[1 << 20];
	struct nalm_lcore lc;

	unsetenv("NALM_PROBE_GATE");
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, path), 0);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 3, &lc), 0);
	CHECK(nalm_probe_gate(&lc));
	iterate(&lc, 8);
	iterate(&lc, 0);
	FILE *f = fopen(path, "rb");
	CHECK(f != NULL && fread(file, 1, sizeof(file), f) >= 12288 + 176 + 3 * 120);
	fclose(f);
	CHECK(memcmp(file, "NALM", 4) == 0);
	CHECK_EQUAL(word(file, 4), NALM_PROBE_VERSION);
	CHECK_EQUAL(word(file, 12), 12288 - 64);
	CHECK_EQUAL(word(file, 16), 12288);
	CHECK_EQUAL(word(file, 28), 3);
	CHECK_EQUAL(long_word(file, 40), 1000);
	CHECK(strcmp((char *)file + 64, "test") == 0);
	CHECK(strcmp((char *)file + 128, "generator") == 0);
	CHECK_EQUAL(word(file, 128 + 32), NALM_STAGE_APART);
	CHECK(strcmp((char *)file + 128 + 2 * 520 + 40 + 40, "no_port") == 0);
	CHECK_EQUAL(word(file, 128 + 2 * 520 + 40 + 40 + 32), NALM_KIND_LOST);
	CHECK_EQUAL(word(file, 12288 + 8), NALM_LCORE_RUNNING);
	CHECK_EQUAL(word(file, 12288 + 16), 3);
	CHECK_EQUAL(long_word(file, 12288 + 24), 2);	    /* iterations */
	CHECK_EQUAL(long_word(file, 12288 + 32), 8);	    /* packets */
	CHECK_EQUAL(long_word(file, 12288 + 56), 1);	    /* idle polls */
	size_t nat = 12288 + 176 + 2 * 120;
	CHECK_EQUAL(long_word(file, nat + 8), 8);
	CHECK_EQUAL(long_word(file, nat + 16), 1);
	CHECK_EQUAL(long_word(file, nat + 24), 6);
	CHECK_EQUAL(long_word(file, nat + 32), 2);
	size_t iterations = 12288 + 176 + 16 * 120 + 8 * 176, of_nat = iterations + 3 * (1025 * 16 + 48);
	CHECK_EQUAL(long_word(file, iterations + 8 * 16), 1); /* one of eight packets */
	CHECK_EQUAL(long_word(file, iterations + 8 * 16 + 8), long_word(file, 12288 + 40));
	CHECK_EQUAL(long_word(file, iterations), 0); /* idle polls are not among them */
	CHECK_EQUAL(long_word(file, of_nat + 8 * 16), 1);
	CHECK_EQUAL(long_word(file, of_nat + 8 * 16 + 8), long_word(file, nat));
	CHECK_EQUAL(word(file, 128 + 16 * 520), 0); /* events */
	CHECK_EQUAL(word(file, 12288 + 168), 0);    /* which of them */
	const struct nalm_counter_block *c = &nalm_probe_block(&probe, 0)->counters;
	CHECK_EQUAL(c->busy_cycles, c->stages[RX].cycles + c->stages[NAT].cycles);
	CHECK(c->apart_cycles >= c->stages[GEN].cycles);
	nalm_probe_close(&probe);
}

static void too_much_is_refused(void)
{
	struct nalm_stage_spec many[NALM_PROBE_MAX_STAGES + 2] = {{NULL, 0, NULL}};
	struct nalm_outcome_spec ways[NALM_PROBE_MAX_OUTCOMES + 2] = {{NULL, 0}};
	struct nalm_lcore lc;

	for (uint32_t i = 0; i <= NALM_PROBE_MAX_STAGES; i++)
		many[i].name = "s";
	CHECK_EQUAL(nalm_probe_open(&probe, "test", many, 1, NULL), -E2BIG);
	many[1].name = NULL;
	for (uint32_t i = 0; i <= NALM_PROBE_MAX_OUTCOMES; i++)
		ways[i].name = "o";
	many[0].outcomes = ways;
	CHECK_EQUAL(nalm_probe_open(&probe, "test", many, 1, NULL), -E2BIG);
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1, "/nowhere/file"), -ENOENT);
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1, NULL), 0);
	for (uint32_t i = 0; i < NALM_PROBE_MAX_LCORES; i++)
		CHECK_EQUAL(nalm_lcore_claim(&probe, i, &lc), 0);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 99, &lc), -ENOSPC);
	nalm_probe_close(&probe);
}

static uint64_t buffers_in_use = 7;

static uint64_t count_buffers(void *arg)
{
	return *(const uint64_t *)arg;
}

static void speed_and_buffers_of_a_turn(void)
{
	struct nalm_lcore lc;

	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	const struct nalm_counter_block *c = &nalm_probe_block(&probe, 0)->counters;
	CHECK(nalm_probe_gate(&lc));
	iterate(&lc, 8);
	nalm_lcore_finish(&lc);
	CHECK_EQUAL(c->buffers_at_tsc, 0); /* the NF named no function */
	/* additions take one cycle; TSC and core differ by less than a factor of ten */
	CHECK(c->turn_begin_tsc_per_million_adds > 100000 && c->turn_begin_tsc_per_million_adds < 10000000);
	CHECK(c->turn_end_tsc_per_million_adds > 100000 && c->turn_end_tsc_per_million_adds < 10000000);
	CHECK(c->turn_tsc_cycles > 0);
	nalm_probe_close(&probe);

	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	nalm_probe_buffers(&probe, count_buffers, &buffers_in_use);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	c = &nalm_probe_block(&probe, 0)->counters;
	CHECK(nalm_probe_gate(&lc));
	CHECK_EQUAL(c->buffers_at_tsc, 0);
	iterate(&lc, 8);
	nalm_lcore_finish(&lc);
	CHECK_EQUAL(c->buffers, 7);
	CHECK(c->buffers_at_tsc > lc.start_tsc);
	nalm_probe_close(&probe);
}

/* Counts that show which mark got them: each reading adds 1 to the first event and 10 to the second. */
static uint64_t readings;

static void read_made_up(const struct nalm_lcore *lc, uint64_t values[NALM_PROBE_MAX_EVENTS])
{
	(void)lc;
	readings++;
	values[0] = readings;
	values[1] = 10 * readings;
}

static void attach_made_up(struct nalm_lcore *lc)
{
	lc->read_events = read_made_up;
	lc->event_count = 2;
	lc->block->counters.event_mask = 3;
}

static void events_of_stages(void)
{
	struct nalm_lcore lc;

	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	probe.attach_events = attach_made_up;
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	const struct nalm_event_block *e = &nalm_probe_block(&probe, 0)->events;
	CHECK_EQUAL(e->reading[0], 1);
	CHECK_EQUAL(e->reading[1], 10);
	readings = 0;
	CHECK(nalm_probe_gate(&lc));
	iterate(&lc, 8);
	iterate(&lc, 0);
	iterate(&lc, 8);
	nalm_lcore_finish(&lc);
	for (int s = GEN; s <= NAT; s++) {
		CHECK_EQUAL(e->marks[s], 2);
		CHECK_EQUAL(e->stages[s][0], 2);
		CHECK_EQUAL(e->stages[s][1], 20);
	}
	CHECK_EQUAL(e->busy[0], 4);
	CHECK_EQUAL(e->idle[0], 2);
	CHECK_EQUAL(e->apart[1], 30);
	CHECK_EQUAL(readings, 1 + 9); /* at the turn's begin, and at each mark */
	nalm_probe_close(&probe);
}

/* Marks and outcomes of one iteration beyond the room: nothing but the batches of a stage is merged. */
static void long_iterations(void)
{
	enum { STEPS = 3 * NALM_PROBE_MAX_PENDING };
	struct nalm_lcore lc;

	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK(probe.header->abilities & NALM_CAN_MERGE);
	probe.attach_events = attach_made_up;
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	const struct nalm_lcore_block *block = nalm_probe_block(&probe, 0);
	const struct nalm_counter_block *c = &block->counters;
	CHECK(nalm_probe_gate(&lc));
	iterate(&lc, 8);
	CHECK_EQUAL(c->merged_marks, 0);
	uint64_t begin = lc.last_tsc, cycles = c->busy_cycles + c->apart_cycles;
	for (uint32_t i = 0; i < STEPS; i++) {
		nalm_probe_mark(&lc, GEN, 2);
		nalm_probe_mark(&lc, RX, 1);
		nalm_probe_outcome(&lc, RX, 0, 1);
		nalm_probe_mark(&lc, NAT, 1);
		nalm_probe_outcome(&lc, NAT, i % 3, 1);
	}
	nalm_probe_commit(&lc, STEPS);
	CHECK_EQUAL(c->stages[GEN].packets, 8 + 2 * STEPS);
	CHECK_EQUAL(c->stages[RX].packets, 8 + STEPS);
	CHECK_EQUAL(c->stages[RX].outcomes[0], 8 + STEPS);
	CHECK_EQUAL(c->stages[NAT].outcomes[0], 6 + STEPS / 3);
	CHECK_EQUAL(c->stages[NAT].outcomes[1], 2 + STEPS / 3);
	CHECK_EQUAL(c->stages[NAT].outcomes[2], STEPS / 3);
	CHECK_EQUAL(c->busy_cycles + c->apart_cycles - cycles, lc.last_tsc - begin);
	CHECK(c->merged_marks > STEPS && c->merged_marks < 3 * STEPS);
	CHECK_EQUAL(c->stages[GEN].batches + c->stages[RX].batches + c->stages[NAT].batches + c->merged_marks,
		    3 * (1 + (uint64_t)STEPS));
	CHECK_EQUAL(block->events.marks[RX], 1 + STEPS);
	CHECK_EQUAL(block->events.stages[RX][0], 1 + STEPS);
	CHECK_EQUAL(block->events.apart[1], 10 * (1 + STEPS));
	uint32_t merged = c->merged_marks;
	iterate(&lc, 8);
	CHECK_EQUAL(c->merged_marks, merged);
	CHECK_EQUAL(c->stages[RX].batches, block->batches[RX].sizes[8].count + block->batches[RX].sizes[1].count + 1);
	nalm_lcore_finish(&lc);
	nalm_probe_close(&probe);
}

/* Long marks are counted by their length where the agent says what is long; also those of polls without packets. */
static void lengths_of_marks(void)
{
	struct nalm_lcore lc;

	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK(probe.header->abilities & NALM_CAN_LONG);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	const struct nalm_length_block *lengths = nalm_probe_block(&probe, 0)->lengths;
	for (uint64_t is_long = 0; is_long <= 4096; is_long += 4096) {
		probe.control->long_cycles = is_long;
		lc.running = false; /* the gate begins a turn */
		CHECK(nalm_probe_gate(&lc));
		for (uint32_t packets = 0; packets < 2; packets++) {
			mark_of(&lc, RX, packets, 4095);
			mark_of(&lc, RX, packets, 4096);
			mark_of(&lc, NAT, packets, 8191);
			mark_of(&lc, NAT, packets, 8192);
			mark_of(&lc, NAT, packets, 1ull << 40);
			nalm_probe_commit(&lc, packets);
		}
		CHECK_EQUAL(lengths[RX].marks[11].count, 0);
		CHECK_EQUAL(lengths[RX].marks[12].count, is_long ? 2 : 0);
		CHECK_EQUAL(lengths[RX].marks[12].cycles, is_long ? 2 * 4096 : 0);
		CHECK_EQUAL(lengths[NAT].marks[12].count, is_long ? 2 : 0);
		CHECK_EQUAL(lengths[NAT].marks[13].cycles, is_long ? 2 * 8192 : 0);
		CHECK_EQUAL(lengths[NAT].marks[31].cycles, is_long ? 2ull << 40 : 0);
	}
	nalm_lcore_finish(&lc);
	nalm_probe_close(&probe);
}

static void *nf_thread(void *unused)
{
	struct nalm_lcore lc;

	(void)unused;
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	while (nalm_probe_gate(&lc))
		iterate(&lc, 32);
	return NULL;
}

static struct nalm_counter_block *counters(void)
{
	return &nalm_probe_block(&probe, 0)->counters;
}

static void wait_for(uint32_t state, uint32_t turn)
{
	struct nalm_counter_block *c = counters();
	while (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != state ||
	       __atomic_load_n(&c->parked_turn, __ATOMIC_RELAXED) != turn)
		sched_yield();
}

static void set_gate(uint32_t gate)
{
	__atomic_store_n(&probe.control->gate, gate, __ATOMIC_RELEASE);
	syscall(SYS_futex, &probe.control->gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void open_turn(uint32_t turn, uint64_t packets)
{
	probe.control->turn_packets = packets;
	__atomic_store_n(&probe.control->turn, turn, __ATOMIC_RELEASE);
	set_gate(NALM_GATE_OPEN);
}

static pthread_t start_nf(void)
{
	pthread_t thread;
	setenv("NALM_PROBE_GATE", "closed", 1);
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, path), 0);
	CHECK_EQUAL(pthread_create(&thread, NULL, nf_thread, NULL), 0);
	wait_for(NALM_LCORE_PARKED, 0);
	return thread;
}

static void finish_nf(pthread_t thread)
{
	set_gate(NALM_GATE_FINISH);
	pthread_join(thread, NULL);
	CHECK_EQUAL(counters()->state, NALM_LCORE_FINISHED);
	nalm_probe_close(&probe);
}

static void turns_of_a_number_of_packets(void)
{
	pthread_t nf = start_nf();

	CHECK_EQUAL(counters()->packets, 0);
	for (uint32_t turn = 1; turn <= 50; turn++) {
		open_turn(turn, 100);
		wait_for(NALM_LCORE_PARKED, turn);
		CHECK_EQUAL(counters()->packets, turn * 128); /* the first multiple of 32 that is not below 100 */
		CHECK_EQUAL(counters()->turns, turn);
		set_gate(NALM_GATE_CLOSED);
	}
	CHECK(counters()->turn_tsc_cycles >= counters()->busy_cycles + counters()->apart_cycles);
	finish_nf(nf);
}

static void turns_ended_by_the_gate(void)
{
	pthread_t nf = start_nf();
	static struct nalm_counter_block s;

	for (uint32_t turn = 1; turn <= 50; turn++) {
		uint64_t before = counters()->packets;
		open_turn(turn, 0);
		while (!nalm_probe_snapshot(counters(), &s) || s.packets == before)
			sched_yield();
		set_gate(NALM_GATE_CLOSED);
		wait_for(NALM_LCORE_PARKED, turn);
		CHECK_EQUAL(counters()->turns, turn);
	}
	finish_nf(nf);
}

static void snapshots_are_of_one_moment(void)
{
	pthread_t nf = start_nf();
	static struct nalm_counter_block s;
	uint64_t last = 0, different = 0;

	open_turn(1, 0);
	while (different < 20000) {
		if (!nalm_probe_snapshot(counters(), &s))
			continue;
		CHECK_EQUAL(s.stages[RX].packets, s.packets);
		CHECK_EQUAL(s.stages[RX].outcomes[0], s.packets);
		CHECK_EQUAL(s.stages[NAT].outcomes[0] + s.stages[NAT].outcomes[1], s.packets);
		CHECK_EQUAL(s.packets, 32 * s.iterations);
		CHECK_EQUAL(s.busy_cycles, s.stages[RX].cycles + s.stages[NAT].cycles);
		CHECK(s.packets >= last);
		different += s.packets != last;
		last = s.packets;
	}
	finish_nf(nf);
}

static void without_an_agent_the_gate_is_open(void)
{
	struct nalm_lcore lc;
	setenv("NALM_PROBE_GATE", "closed", 1);
	unsetenv("NALM_PROBE_FILE");
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1000, NULL), 0);
	CHECK_EQUAL(nalm_lcore_claim(&probe, 0, &lc), 0);
	CHECK(nalm_probe_gate(&lc));
	nalm_lcore_finish(&lc);
	CHECK_EQUAL(counters()->state, NALM_LCORE_FINISHED);
	CHECK_EQUAL(counters()->turns, 1);
	nalm_probe_close(&probe);
}

int main(void)
{
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
	RUN(layout_of_the_file);
	RUN(too_much_is_refused);
	RUN(turns_of_a_number_of_packets);
	RUN(turns_ended_by_the_gate);
	RUN(snapshots_are_of_one_moment);
	RUN(speed_and_buffers_of_a_turn);
	RUN(events_of_stages);
	RUN(long_iterations);
	RUN(lengths_of_marks);
	RUN(without_an_agent_the_gate_is_open);
	remove(path);
	return 0;
}
