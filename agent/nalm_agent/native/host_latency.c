/* SPDX-License-Identifier: Apache-2.0
 *
 * Latencies of memory and of other CPUs on this host, and the steadiness of a core. Each run prints one JSON object.
 *
 * usage: host_latency speed CPU
 *        host_latency chase CPU BYTES
 *        host_latency transfer CPU CPU
 *        host_latency sharing CPU CPU
 *
 * speed: core clock in GHz of many short samples, from a chain of additions that takes one core cycle each.
 * chase: ns of one dependent load in a ring of cache lines in random order, the lower quartile of many short steps:
 *        what other programs add is not the host's. "huge_bytes" is how much of the memory the kernel put on huge
 *        pages: where it is less than "bytes", misses of the TLB are in the figure.
 * transfer: ns from a write on one CPU until the other sees it, half a round trip of one cache line, the least of many
 *        short rounds.
 * sharing: how much longer the first CPU needs for the same work, in its own CPU time, while the other one works: medians
 *        of short periods in turn. 1: nothing is shared; about 1.5: two threads of one core, even if the machine hides it.
 *
 * Exit codes: 0; 2 usage; 3 the CPU may not be used; 4 no memory; 5 the other CPU did not answer.
 */
#define _GNU_SOURCE
#include "host_bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SAMPLES = 600, CHAIN = 1000 };			   /* speed: CHAIN * 1000 additions a sample */
enum { STEPS = 400, LOADS = 8192, WARM_LINES = 1 << 20 }; /* chase: loads a step */
enum { ROUNDS = 400, TRIPS = 100, SPINS = 4096 };	  /* transfer: short: both CPUs are seldom free for long */
enum { PERIODS = 60, WORK = 20000 };			   /* sharing: a period is a few milliseconds */
static const int64_t transfer_limit_ns = 300000000;

static int speed(void)
{
	uint64_t value = 1, step = 3;

	printf("{\"ghz\": [");
	for (int sample = -1; sample < SAMPLES; sample++) {
		int64_t begin = read_ns(CLOCK_THREAD_CPUTIME_ID); /* excludes other programs */
		for (int i = 0; i < CHAIN; i++) /* register operands: sums with constants are folded on the way */
			__asm__ volatile(".rept 1000\n\tadd %1, %0\n\t.endr" : "+r"(value) : "r"(step));
		double ghz = CHAIN * 1000.0 / (double)(read_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
		if (sample >= 0) /* the first one is a warm-up */
			printf("%s%.4f", sample == 0 ? "" : ", ", ghz);
	}
	printf("]}\n");
	return 0;
}

/* Bytes of the mapping at `at` that are on huge pages, as the kernel reports. */
static uint64_t huge_bytes(const void *at)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	char text[256];
	bool here = false;
	uint64_t found = 0;

	if (maps == NULL)
		return 0;
	while (fgets(text, sizeof(text), maps) != NULL) {
		uint64_t low, high, kilobytes;
		if (sscanf(text, "%" SCNx64 "-%" SCNx64, &low, &high) == 2)
			here = low <= (uintptr_t)at && (uintptr_t)at < high;
		else if (here && (sscanf(text, "AnonHugePages: %" SCNu64, &kilobytes) == 1 ||
				  sscanf(text, "Private_Hugetlb: %" SCNu64, &kilobytes) == 1))
			found += kilobytes << 10;
	}
	fclose(maps);
	return found;
}

static int chase(uint64_t bytes)
{
	static double ns[STEPS];
	struct line *lines = memory(bytes);

	if (lines == NULL)
		return 4;
	make_ring(lines, bytes / LINE);
	struct line *at = lines;
	for (uint64_t i = 0; i < WARM_LINES && i < 2 * bytes / LINE; i++)
		at = at->next;
	for (int step = 0; step < STEPS; step++) {
		int64_t begin = now_ns();
		for (int i = 0; i < LOADS; i++)
			at = at->next;
		__asm__ volatile("" : : "r"(at));
		ns[step] = (double)(now_ns() - begin) / LOADS;
	}
	qsort(ns, STEPS, sizeof(ns[0]), by_size);
	printf("{\"bytes\": %" PRIu64 ", \"ns\": %.4f, \"huge_bytes\": %" PRIu64 "}\n", bytes, ns[STEPS / 4],
	       huge_bytes(lines));
	return 0;
}

static struct {
	_Alignas(2 * LINE) _Atomic uint64_t turn; /* written by both in turn: even is for the first CPU to answer */
	_Alignas(2 * LINE) _Atomic bool end;
	_Atomic bool refused;
	int cpu;
} ball;

static void *answer(void *unused)
{
	uint64_t expected = 1;

	if (!run_on(ball.cpu)) {
		atomic_store(&ball.refused, true);
		return unused;
	}
	while (!atomic_load_explicit(&ball.end, memory_order_relaxed)) {
		if (atomic_load_explicit(&ball.turn, memory_order_acquire) == expected) {
			atomic_store_explicit(&ball.turn, expected + 1, memory_order_release);
			expected += 2;
		}
	}
	return unused;
}

static int transfer(int other)
{
	pthread_t thread;
	double least = 1e9;
	uint64_t number = 0;
	int64_t limit = now_ns() + transfer_limit_ns;

	ball.cpu = other;
	if (pthread_create(&thread, NULL, answer, NULL) != 0)
		return 4;
	for (int round = 0; round < ROUNDS; round++) {
		int64_t begin = now_ns();
		int trips = 0;
		for (; trips < TRIPS; trips++) {
			atomic_store_explicit(&ball.turn, ++number, memory_order_release);
			number++;
			for (int spin = 1; atomic_load_explicit(&ball.turn, memory_order_acquire) != number; spin++)
				if (spin % SPINS == 0 &&
				    (atomic_load_explicit(&ball.refused, memory_order_relaxed) || now_ns() > limit))
					goto done;
		}
		double ns = (double)(now_ns() - begin) / TRIPS / 2;
		if (round > 0 && ns < least)
			least = ns;
	}
done:
	atomic_store(&ball.end, true);
	pthread_join(thread, NULL);
	if (atomic_load(&ball.refused))
		return 3;
	if (least == 1e9)
		return 5;
	printf("{\"ns\": %.4f}\n", least);
	return 0;
}

/* Six chains at once: bound by the core's units, not by one chain's latency. */
static double work_ns(void)
{
	uint64_t v[6] = {1, 2, 3, 4, 5, 6};
	int64_t begin = read_ns(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < WORK; i++)
		__asm__ volatile(".rept 50\n\tadd %6, %0\n\tadd %6, %1\n\tadd %6, %2\n\tadd %6, %3\n\tadd %6, %4\n\tadd %6, %5\n\t.endr"
				 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]), "+r"(v[4]), "+r"(v[5])
				 : "r"((uint64_t)7));
	return (double)(read_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static struct {
	_Atomic bool work, end, refused;
	int cpu;
} neighbour;

static void *neighbour_works(void *unused)
{
	const struct timespec pause = {0, 100000};

	if (!run_on(neighbour.cpu))
		atomic_store(&neighbour.refused, true);
	while (!atomic_load(&neighbour.end)) {
		if (atomic_load(&neighbour.work))
			(void)work_ns();
		else
			nanosleep(&pause, NULL);
	}
	return unused;
}

static int sharing(int other)
{
	static double ns[2][PERIODS];
	const struct timespec settle = {0, 10000000};
	pthread_t thread;

	neighbour.cpu = other;
	if (pthread_create(&thread, NULL, neighbour_works, NULL) != 0)
		return 4;
	for (int period = 0; period < PERIODS; period++) {
		for (int busy = 0; busy < 2; busy++) {
			atomic_store(&neighbour.work, busy == 1);
			nanosleep(&settle, NULL); /* until the other CPU has reacted */
			ns[busy][period] = work_ns();
		}
	}
	atomic_store(&neighbour.end, true);
	pthread_join(thread, NULL);
	if (atomic_load(&neighbour.refused))
		return 3;
	for (int busy = 0; busy < 2; busy++)
		qsort(ns[busy], PERIODS, sizeof(ns[busy][0]), by_size);
	printf("{\"ratio\": %.4f}\n", ns[1][PERIODS / 2] / ns[0][PERIODS / 2]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || (argc != 4) == (strcmp(argv[1], "speed") != 0))
		return 2;
	if (!run_on(atoi(argv[2])))
		return 3;
	if (strcmp(argv[1], "speed") == 0)
		return speed();
	if (strcmp(argv[1], "chase") == 0 && strtoull(argv[3], NULL, 10) >= 2 * LINE)
		return chase(strtoull(argv[3], NULL, 10));
	if (strcmp(argv[1], "sharing") == 0)
		return sharing(atoi(argv[3]));
	return strcmp(argv[1], "transfer") == 0 ? transfer(atoi(argv[3])) : 2;
}
