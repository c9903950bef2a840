/* SPDX-License-Identifier: Apache-2.0
 *
 * The agent's tests' own NF: real probe, real turns, no DPDK. Its packets are numbers, its work is a loop.
 * work.h, which a test commits in versions, says how much work each stage does and how the NF misbehaves.
 *
 * usage: tiny_nf --features alpha,beta --traffic FILE
 */
#include "nalm_probe.h"

#include <stdio.h>
#include <unistd.h>

#ifdef WITH_PAPI /* events of its own, which PAPI reads as it reads the processor's */
#include "nalm_probe_papi.h"
#include <sde_lib.h>

static long long steps;
#endif

#include "work.h"

#ifndef ALPHA_WORK
#define ALPHA_WORK 40
#endif
#ifndef BETA_WORK
#define BETA_WORK 30
#endif

enum { GEN, RX, ALPHA, BETA, TX };
enum { BATCH = 32 };
#ifndef TABLE
#define TABLE 1024
#endif

static const struct nalm_outcome_spec pass[] = {{"pass", NALM_KIND_PASS}, {NULL, 0}};
static const struct nalm_outcome_spec alpha_outcomes[] = {
	{"pass", NALM_KIND_PASS}, {"denied", NALM_KIND_POLICY}, {NULL, 0}};
static const struct nalm_outcome_spec tx_outcomes[] = {{"sent", NALM_KIND_SENT}, {"full", NALM_KIND_LOST}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {
	{"gen", NALM_STAGE_APART, pass}, {"rx", 0, pass},	   {"alpha", 0, alpha_outcomes},
	{"beta", 0, pass},		 {"tx", 0, tx_outcomes},   {NULL, 0, NULL}};

static uint32_t table[TABLE];
static uint64_t buffers_held = BATCH;

static uint64_t buffers(void *unused)
{
	(void)unused;
	return buffers_held;
}

static __attribute__((noinline)) uint32_t churn(uint32_t value, uint32_t rounds)
{
#ifdef WITH_PAPI
	steps += rounds;
#endif
	for (uint32_t i = 0; i < rounds; i++) {
		value = value * 1664525u + 1013904223u;
		table[value % TABLE] ^= value;
	}
	return value;
}

static __attribute__((noinline)) void gen_process(uint32_t *packets, uint32_t n)
{
	static uint32_t next;
	for (uint32_t i = 0; i < n; i++)
		packets[i] = next++;
}

static __attribute__((noinline)) uint32_t alpha_process(uint32_t *packets, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = packets[i];
		packets[i] = churn(id, ALPHA_WORK);
#ifdef ALPHA_FENCED_CLOCK
		__asm__ volatile("lfence; rdtsc; lfence" ::: "rax", "rdx", "memory");
#endif
#ifdef ALPHA_ATOMIC
		static uint64_t counted;
		for (uint32_t each = 0; each < 24; each++)
			__atomic_fetch_add(&counted, 1, __ATOMIC_SEQ_CST);
#endif
		kept += id % 16 != 15; /* one in sixteen is denied by rule */
	}
	return kept;
}

static __attribute__((noinline)) void beta_process(uint32_t *packets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		packets[i] = churn(packets[i], BETA_WORK);
}

static bool has(const char *features, const char *name)
{
	return strstr(features, name) != NULL;
}

int main(int argc, char **argv)
{
	const char *features = "", *traffic = "";
	struct nalm_probe probe;
	struct nalm_lcore lc;
	uint32_t packets[BATCH];

	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--features") == 0)
			features = argv[i + 1];
		if (strcmp(argv[i], "--traffic") == 0)
			traffic = argv[i + 1];
	}
#ifdef FAIL_AT_START
	fprintf(stderr, "tiny_nf: no route to 192.0.2.1\n");
	return 1;
#endif
	FILE *capture = fopen(traffic, "rb");
	if (capture == NULL) {
		fprintf(stderr, "tiny_nf: cannot open %s\n", traffic);
		return 1;
	}
	fclose(capture);
	if (nalm_probe_open(&probe, "tiny_nf", stages, nalm_tsc_hz(), NULL) != 0)
		return 2;
	nalm_probe_buffers(&probe, buffers, NULL);
#ifdef WITH_PAPI
	papi_sde_register_counter(papi_sde_init("tiny"), "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
				  &steps);
	if (nalm_probe_papi_open(&probe) != 0)
		return 2;
#endif
	if (nalm_lcore_claim(&probe, 0, &lc) != 0)
		return 2;
	uint64_t seen = 0;
	bool with_alpha = has(features, "alpha"), with_beta = has(features, "beta");
	while (nalm_probe_gate(&lc)) {
		uint32_t n = BATCH, kept = n;
#ifdef REST_US
		usleep(REST_US);
#endif
		gen_process(packets, n);
		seen += n;
		nalm_probe_mark(&lc, GEN, n);
		nalm_probe_outcome(&lc, GEN, 0, n);
		nalm_probe_mark(&lc, RX, n);
		nalm_probe_outcome(&lc, RX, 0, n);
		if (with_alpha) {
			kept = alpha_process(packets, n);
			nalm_probe_mark(&lc, ALPHA, n);
			nalm_probe_outcome(&lc, ALPHA, 0, kept);
			nalm_probe_outcome(&lc, ALPHA, 1, n - kept);
		}
		if (with_beta) {
			beta_process(packets, kept);
			nalm_probe_mark(&lc, BETA, kept);
			nalm_probe_outcome(&lc, BETA, 0, kept);
		}
#ifdef LOG_WITHOUT_END
		fprintf(stderr, "%65536s\n", "another packet");
#endif
		nalm_probe_mark(&lc, TX, kept);
#ifdef DROP_ONE_BATCH_IN /* one packet of so many batches is lost */
		uint32_t lost = seen / n % DROP_ONE_BATCH_IN == 0;
		nalm_probe_outcome(&lc, TX, 0, kept - lost);
		nalm_probe_outcome(&lc, TX, 1, lost);
#elif defined FORGET_ONE_BATCH_IN
		nalm_probe_outcome(&lc, TX, 0, kept - (seen / n % FORGET_ONE_BATCH_IN == 0));
#elif defined DROP_BY_CHANCE /* as rings that overflow do: now and then, by the clock */
		uint32_t lost = nalm_tsc() % DROP_BY_CHANCE == 0;
		nalm_probe_outcome(&lc, TX, 0, kept - lost);
		nalm_probe_outcome(&lc, TX, 1, lost);
#elif defined FORWARD_LESS
		nalm_probe_outcome(&lc, TX, 0, kept - 1);
		nalm_probe_outcome(&lc, TX, 1, 1);
#elif defined FORWARD_NOTHING
		nalm_probe_outcome(&lc, TX, 1, kept);
#else
		nalm_probe_outcome(&lc, TX, 0, kept);
#endif
		nalm_probe_commit(&lc, n);
#ifdef LEAK
		buffers_held++;
#endif
#ifdef LEAK_ONE_BATCH_IN
		buffers_held += seen / n % LEAK_ONE_BATCH_IN == 0;
#endif
#ifdef FILL_TO /* a store with a bound, filled by what is new in it */
		buffers_held += buffers_held < FILL_TO && seen / n % 64 == 0;
#endif
#ifdef STOP_AFTER
		while (seen > STOP_AFTER) {
			nalm_probe_gate(&lc); /* it polls, and nothing comes */
			usleep(100);
		}
#endif
#ifdef DRY_AFTER
		while (seen > DRY_AFTER && nalm_probe_gate(&lc))
			nalm_probe_commit(&lc, 0); /* it polls, and nothing comes */
#endif
#ifdef KERNEL_CALLS
		for (uint32_t each = 0; each < KERNEL_CALLS; each++)
			getppid();
#endif
#ifdef HANG_IN_TURN
		while (lc.turn_packets > 1000)
			pause();
#endif
#ifdef DIE_IN_TURN
		if (lc.turn_packets > 1000) {
			fprintf(stderr, "tiny_nf: table corrupt\n");
			abort();
		}
#endif
	}
	nalm_probe_close(&probe);
	return 0;
}
