/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs that measure this host share: CPUs, clocks, memory on huge pages, rings of cache lines.
 */
#ifndef HOST_BENCH_H
#define HOST_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#ifndef __x86_64__
#error "written for x86-64, like the rest of what nalm measures with"
#endif

enum { LINE = 64 };
static const uint64_t huge_page = 2u << 20;

struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
};

static inline int64_t read_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline int64_t now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

static inline bool run_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline void *memory(uint64_t bytes)
{
	uint64_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
	void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (at != MAP_FAILED)
		return at;
	at = mmap(NULL, whole + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	at = (void *)(((uintptr_t)at + huge_page - 1) / huge_page * huge_page);
	madvise(at, whole, MADV_HUGEPAGE);
	return at;
}

/* One ring through all lines in random order (Sattolo): no prefetcher knows the next one. */
static inline void make_ring(struct line *lines, uint64_t count)
{
	uint64_t state = 0x9e3779b97f4a7c15u;

	for (uint64_t i = 0; i < count; i++)
		lines[i].next = &lines[i];
	for (uint64_t i = count - 1; i > 0; i--) {
		uint64_t j = next_random(&state) % i;
		struct line *kept = lines[i].next;
		lines[i].next = lines[j].next;
		lines[j].next = kept;
	}
}

static inline int by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

#endif
