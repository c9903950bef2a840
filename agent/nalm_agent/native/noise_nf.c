/* SPDX-License-Identifier: Apache-2.0
 *
 * The NF that `nalm doctor --noise` compares with itself: real probe, real turns, no DPDK. Its packets are numbers. Its
 * two stages act like network functions: lookups in tables larger than the first caches, and arithmetic on headers.
 * Each launch's seed places the tables, so that launches differ like those of an NF.
 */
#include "nalm_probe.h"

enum { GEN, LOOKUP, REWRITE, TX };
enum { BATCH = 32, ENTRIES = 1 << 18, PROBES = 4, WORDS = 5, SPREAD = 1 << 16 };

static const struct nalm_outcome_spec pass[] = {{"pass", NALM_KIND_PASS}, {NULL, 0}};
static const struct nalm_outcome_spec sent[] = {{"sent", NALM_KIND_SENT}, {NULL, 0}};
static const struct nalm_stage_spec stages[] = {
	{"gen", NALM_STAGE_APART, pass}, {"lookup", 0, pass}, {"rewrite", 0, pass}, {"tx", 0, sent}, {NULL, 0, NULL}};

struct packet {
	uint32_t flow, port, header[WORDS];
};

static __attribute__((noinline)) void gen_process(struct packet *packets, uint32_t n)
{
	static uint32_t next;
	for (uint32_t i = 0; i < n; i++) {
		packets[i].flow = next++ * 2654435761u;
		for (uint32_t word = 0; word < WORDS; word++)
			packets[i].header[word] = packets[i].flow ^ word;
	}
}

static __attribute__((noinline)) void lookup_process(const uint32_t *table, struct packet *packets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = packets[i].flow;
		for (uint32_t probe = 0; probe < PROBES; probe++)
			at = table[at % ENTRIES] ^ (at >> 3);
		packets[i].port = at;
	}
}

static __attribute__((noinline)) uint32_t rewrite_process(struct packet *packets, uint32_t n)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sum = packets[i].port;
		for (uint32_t word = 0; word < WORDS; word++) {
			sum += packets[i].header[word];
			sum = (sum & 0xffff) + (sum >> 16);
		}
		packets[i].header[2] = ~sum;
		all ^= sum;
	}
	return all;
}

static uint32_t *placed_table(void)
{
	const char *seed = getenv("NALM_PROBE_SEED");
	uint32_t state = seed ? (uint32_t)strtoul(seed, NULL, 10) * 2246822519u + 1 : 1;
	char *memory = (char *)malloc(ENTRIES * sizeof(uint32_t) + SPREAD);

	if (memory == NULL)
		return NULL;
	uint32_t *table = (uint32_t *)(memory + state % SPREAD / 64 * 64);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		state = state * 1664525u + 1013904223u;
		table[i] = state;
	}
	return table;
}

int main(void)
{
	struct nalm_probe probe;
	struct nalm_lcore lc;
	struct packet packets[BATCH];
	volatile uint32_t kept = 0;
	uint32_t *table = placed_table();

	if (table == NULL || nalm_probe_open(&probe, "noise_nf", stages, nalm_tsc_hz(), NULL) != 0 ||
	    nalm_lcore_claim(&probe, 0, &lc) != 0)
		return 1;
	while (nalm_probe_gate(&lc)) {
		gen_process(packets, BATCH);
		nalm_probe_mark(&lc, GEN, BATCH);
		nalm_probe_outcome(&lc, GEN, 0, BATCH);
		lookup_process(table, packets, BATCH);
		nalm_probe_mark(&lc, LOOKUP, BATCH);
		nalm_probe_outcome(&lc, LOOKUP, 0, BATCH);
		kept ^= rewrite_process(packets, BATCH);
		nalm_probe_mark(&lc, REWRITE, BATCH);
		nalm_probe_outcome(&lc, REWRITE, 0, BATCH);
		nalm_probe_mark(&lc, TX, BATCH);
		nalm_probe_outcome(&lc, TX, 0, BATCH);
		nalm_probe_commit(&lc, BATCH);
	}
	nalm_probe_close(&probe);
	return 0;
}
