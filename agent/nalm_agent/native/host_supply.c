/* SPDX-License-Identifier: Apache-2.0
 *
 * What this host delivers per second, and what a cache line costs that another CPU had. Each run prints one JSON object.
 *
 * usage: host_supply instructions CPU...
 *        host_supply lines BYTES CPU...
 *        host_supply line clean|dirty|memory PRODUCER CONSUMER
 *
 * instructions: of a simple loop, two additions for each load that hits the first cache, on all CPUs at once.
 * lines: cache lines loaded on all CPUs at once, each by CHAINS independent chases in random order through BYTES of its
 *        own: throughput, not latency.
 * Both: the sum over the CPUs, each the upper quartile of many short steps in which all worked: what other programs take
 * is not the host's.
 * line: ns of one dependent load by the consumer of a line that the producer's node holds. The producer has read it
 *        (clean), written it (dirty), or written it and flushed it to memory. The lower quartile of many short rounds.
 *
 * Exit codes: 0; 2 usage; 3 the CPU may not be used; 4 no memory; 5 the other CPU did not answer.
 */
#define _GNU_SOURCE
#include "host_bench.h"

#include <emmintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { CHAINS = 12, MOST_CPUS = 256 };
enum { STEPS = 200, LOADS = 4096 };	   /* lines: loads of each chain in a step */
enum { WORK = 4000,PER_PASS = 600 };	   /* instructions: passes of a step of about 0.2 ms */
enum { LINES = 128, APART = 4, ROUNDS = 400 }; /* line: a block of lines of which no two are neighbours */
enum { SPINS = 4096 };
static const int64_t limit_ns = 8000000000;

struct worker {
	pthread_t thread;
	int cpu;
	uint64_t bytes; /* 0: instructions */
	double per_s;
	int failed;
};

static int all;
static _Atomic int ready, working, done;

static double instructions_step(void)
{
	uint64_t v[4] = {1, 2, 3, 4}, cell = 7, seen = 0;

	for (int pass = 0; pass < WORK; pass++)
		__asm__ volatile(".rept 100\n\tadd %6, %0\n\tadd %6, %1\n\tmov %5, %4\n\tadd %6, %2\n\tadd %6, %3\n\tmov %5, %4\n\t.endr"
				 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]), "=&r"(seen)
				 : "m"(cell), "r"((uint64_t)7));
	return (double)WORK * PER_PASS;
}

static double lines_step(struct line **begin)
{
	struct line *at[CHAINS]; /* in registers, for all loops over it are unrolled */

#pragma GCC unroll 12
	for (int chain = 0; chain < CHAINS; chain++)
		at[chain] = begin[chain];
	for (int load = 0; load < LOADS; load++)
#pragma GCC unroll 12
		for (int chain = 0; chain < CHAINS; chain++)
			at[chain] = at[chain]->next;
#pragma GCC unroll 12
	for (int chain = 0; chain < CHAINS; chain++)
		begin[chain] = at[chain];
	return (double)LOADS * CHAINS;
}

static bool make_chains(struct worker *one, struct line **at)
{
	uint64_t each = one->bytes / LINE / CHAINS;
	struct line *lines = memory(one->bytes);

	if (lines == NULL)
		return false;
	for (int chain = 0; chain < CHAINS; chain++) {
		at[chain] = lines + (uint64_t)chain * each;
		make_ring(at[chain], each);
	}
	return true;
}

static void *work(void *given)
{
	struct worker *one = given;
	struct line *at[CHAINS];
	double rates[STEPS];
	int steps = 0;

	if (!run_on(one->cpu))
		one->failed = 3;
	else if (one->bytes != 0 && !make_chains(one, at))
		one->failed = 4;
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < all) /* chains take long to make */
		sched_yield();
	int64_t end = now_ns(), limit = end + limit_ns;
	for (bool first = true; one->failed == 0 && atomic_load(&done) < all && end < limit; first = false) {
		bool together = atomic_load(&working) == all;
		int64_t begin = now_ns();
		double count = one->bytes == 0 ? instructions_step() : lines_step(at);
		end = now_ns();
		if (first)
			atomic_fetch_add(&working, 1);
		if (!together || steps == STEPS) /* then it works so that the others do not work alone */
			continue;
		rates[steps++] = count / (double)(end - begin) * 1e9;
		if (steps == STEPS)
			atomic_fetch_add(&done, 1);
	}
	if (one->failed != 0)
		atomic_store(&done, all);
	if (steps == STEPS) {
		qsort(rates, STEPS, sizeof(rates[0]), by_size);
		one->per_s = rates[STEPS * 3 / 4];
	}
	return NULL;
}

static int supply(uint64_t bytes, int count, char **cpus)
{
	static struct worker workers[MOST_CPUS];
	double sum = 0;

	all = count;
	for (int i = 0; i < count; i++) {
		workers[i] = (struct worker){.cpu = atoi(cpus[i]), .bytes = bytes};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			return 4;
	}
	for (int i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < count; i++)
		if (workers[i].failed != 0)
			return workers[i].failed;
	for (int i = 0; i < count; i++) {
		if (workers[i].per_s == 0)
			return 5;
		sum += workers[i].per_s;
	}
	printf("{\"per_s\": %.1f}\n", sum);
	return 0;
}

enum held { CLEAN, DIRTY, MEMORY };
enum turn { PREPARE, PREPARED, DONE };

static struct {
	_Alignas(2 * LINE) _Atomic int turn;
	_Atomic int failed;
	_Atomic bool end;
	int producer;
	enum held held;
	struct line *block;
} shared;

/* A ring through the block's lines in random order; the lines between them stay untouched. */
static void ring_apart(struct line *block)
{
	static struct line order[LINES];

	make_ring(order, LINES);
	for (int i = 0; i < LINES; i++)
		block[i * APART].next = &block[(order[i].next - order) * APART];
}

static void flush(struct line *block)
{
	for (int i = 0; i < LINES; i++)
		_mm_clflush(&block[i * APART]);
	_mm_mfence();
}

static void prepare(void)
{
	flush(shared.block);
	for (int i = 0; i < LINES; i++) {
		struct line *volatile *at = &shared.block[i * APART].next;
		struct line *next = *at;
		if (shared.held != CLEAN)
			*at = next;
	}
	_mm_mfence();
	if (shared.held == MEMORY)
		flush(shared.block);
}

static void *produce(void *unused)
{
	int64_t limit = now_ns() + limit_ns;

	if (!run_on(shared.producer))
		atomic_store(&shared.failed, 3);
	else if ((shared.block = memory(LINES * APART * LINE)) == NULL)
		atomic_store(&shared.failed, 4);
	else
		ring_apart(shared.block); /* the first to touch it: the block lies on the producer's node */
	while (!atomic_load(&shared.end) && atomic_load(&shared.failed) == 0) {
		for (int spin = 1; atomic_load_explicit(&shared.turn, memory_order_acquire) != PREPARE; spin++)
			if (spin % SPINS == 0 && (atomic_load(&shared.end) || now_ns() > limit))
				return unused;
		prepare();
		atomic_store_explicit(&shared.turn, PREPARED, memory_order_release);
	}
	return unused;
}

static int line(int producer)
{
	static double ns[ROUNDS];
	pthread_t thread;
	int64_t limit = now_ns() + limit_ns;
	int rounds = 0;

	shared.producer = producer;
	if (pthread_create(&thread, NULL, produce, NULL) != 0)
		return 4;
	for (; rounds < ROUNDS; rounds++) {
		for (int spin = 1; atomic_load_explicit(&shared.turn, memory_order_acquire) != PREPARED; spin++)
			if (spin % SPINS == 0 && (atomic_load(&shared.failed) != 0 || now_ns() > limit))
				goto over;
		struct line *at = shared.block;
		int64_t begin = now_ns();
		for (int i = 0; i < LINES; i++)
			at = at->next;
		__asm__ volatile("" : : "r"(at));
		ns[rounds] = (double)(now_ns() - begin) / LINES;
		atomic_store_explicit(&shared.turn, rounds + 1 < ROUNDS ? PREPARE : DONE, memory_order_release);
	}
over:
	atomic_store(&shared.end, true);
	pthread_join(thread, NULL);
	if (atomic_load(&shared.failed) != 0)
		return atomic_load(&shared.failed);
	if (rounds < ROUNDS)
		return 5;
	qsort(ns, ROUNDS, sizeof(ns[0]), by_size);
	printf("{\"ns\": %.4f}\n", ns[ROUNDS / 4]);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {[CLEAN] = "clean", [DIRTY] = "dirty", [MEMORY] = "memory"};

	if (argc >= 3 && argc - 2 <= MOST_CPUS && strcmp(argv[1], "instructions") == 0)
		return supply(0, argc - 2, argv + 2);
	if (argc >= 4 && argc - 3 <= MOST_CPUS && strcmp(argv[1], "lines") == 0) {
		uint64_t bytes = strtoull(argv[2], NULL, 10);
		return bytes >= 2 * LINE * CHAINS ? supply(bytes, argc - 3, argv + 3) : 2;
	}
	if (argc != 5 || strcmp(argv[1], "line") != 0)
		return 2;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(argv[2], names[i]) != 0)
			continue;
		shared.held = (enum held)i;
		return run_on(atoi(argv[4])) ? line(atoi(argv[3])) : 3;
	}
	return 2;
}
