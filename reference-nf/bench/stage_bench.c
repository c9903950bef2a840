/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stage_bench STAGE FLOWS ROUNDS [EAL options] -- [the NF's options]: the cost of a stage, and that of the bare library
 * call below it, over as many keys and the same tables. Prints one line of JSON. Frames are UDP, 64 B (60 without FCS).
 *
 * A round is a pass over all flows in batches, first the stage, then the library, or the other way round; only
 * process() and the library call are timed. Frames are written before each, so both start with the same caches. The
 * stage's virtual time passes as in the NF, ns_per_packet for each packet. ROUNDS 0: as many as a median needs; other
 * numbers are for callgrind, which counts what call_stage() and call_library() execute.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_fib.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_lcore.h>

#include "acl/acl_table.h"
#include "dpi/dpi_table.h"
#include "frames.h"
#include "l3fwd/l3fwd_table.h"
#include "median.h"
#include "model/chain.h"
#include "settings.h"

#define BATCH 64u
#define PACKETS 800000u /* per side in total, but at least a few rounds */
#define MIN_ROUNDS 9u
#define MAX_ROUNDS 201u
#define PAYLOAD_BYTES 18u
#define FRAME_BYTES 60u

struct bench {
	struct settings settings;
	struct chain chain;
	struct chain_stage *stage;
	struct rte_mempool *pool;
	uint32_t flows;
	uint64_t now_ns; /* virtual */
	uint8_t (*frames)[64];
	struct batch batch;
	/* The library's arguments, by flow. */
	struct flow_key *keys;
	uint32_t *addresses; /* host byte order */
	struct rte_hash *hash;
	uint64_t answers; /* a sum of results, so that no call is optimized away */
};

static struct bench bench;

static void fail(const char *what)
{
	fprintf(stderr, "stage_bench: %s\n", what);
	exit(1);
}

/* Packets of many inside hosts to many servers; for lb to one service. */
static void make_flow(uint32_t i, bool to_service)
{
	uint32_t spread = i * 2654435761u; /* Knuth's multiplier: separates neighbours */
	uint32_t server = IP(11 + spread % 180, spread >> 8 & 255, spread >> 16 & 255, 1 + (spread >> 24) % 250);
	char payload[PAYLOAD_BYTES];

	memset(payload, 'a' + (int)(i % 26), sizeof(payload));
	if (to_service)
		server = IP(198, 51, 100, 53);
	struct frame f = make_frame(17, IP(10, i >> 16, i >> 8 & 255, i & 255), (uint16_t)(1024 + i), server, 53, payload,
				    sizeof(payload));
	if (f.bytes != FRAME_BYTES)
		fail("a frame has another size");
	memcpy(bench.frames[i], f.data, f.bytes);
	bench.addresses[i] = server;
	bench.keys[i] = (struct flow_key){{(uint64_t)spread << 32 | i, i}};
}

static void open_hash(void)
{
	const struct rte_hash_parameters p = {
		.name = "bare",
		.entries = bench.flows * 2, /* it may refuse keys before it is full */
		.key_len = sizeof(struct flow_key),
		.hash_func = rte_hash_crc,
		.socket_id = (int)rte_socket_id(),
	};
	bench.hash = rte_hash_create(&p);
	if (bench.hash == NULL)
		fail("no memory for the library's table");
	for (uintptr_t i = 0; i < bench.flows; i++)
		if (rte_hash_add_key_data(bench.hash, &bench.keys[i], (void *)i) < 0)
			fail("the library's table refused a key");
}

static void ask_hash(uint32_t first)
{
	const void *keys[BATCH];
	void *data[BATCH];
	uint64_t hits = 0;

	for (uint32_t i = 0; i < BATCH; i++)
		keys[i] = &bench.keys[first + i];
	rte_hash_lookup_bulk_data(bench.hash, keys, BATCH, &hits, data);
	bench.answers += hits + (uintptr_t)data[0];
}

static void ask_fib(uint32_t first)
{
	const struct l3fwd_table *table = rcu_tables_get(&bench.stage->rcu);
	uint64_t hops[BATCH];

	(void)rte_fib_lookup_bulk(table->fib, &bench.addresses[first], hops, BATCH);
	bench.answers += hops[0];
}

static int on_match(unsigned int rule, unsigned long long from, unsigned long long to, unsigned int flags, void *context)
{
	(void)rule, (void)from, (void)to, (void)flags, (void)context;
	bench.answers++;
	return 0;
}

static void ask_scan(uint32_t first)
{
	const struct dpi_table *table = rcu_tables_get(&bench.stage->rcu);

	for (uint32_t i = 0; i < BATCH; i++)
		(void)table->matcher.scan(table->matcher.database,
					  (const char *)bench.frames[first + i] + AT_L4 + UDP_BYTES, PAYLOAD_BYTES,
					  0, table->parts[0].scratch, on_match, NULL);
}

static void ask_acl(uint32_t first)
{
	const struct acl_table *table = rcu_tables_get(&bench.stage->rcu);
	const uint8_t *data[BATCH];
	uint32_t results[BATCH];

	for (uint32_t i = 0; i < BATCH; i++)
		data[i] = bench.frames[first + i] + AT_IP;
	(void)rte_acl_classify(table->ipv4, data, results, BATCH, 1);
	bench.answers += results[0];
}

static const struct {
	const char *stage, *library;
	void (*ask)(uint32_t first);
} libraries[] = {
	{"nat", "rte_hash_lookup_bulk_data", ask_hash},
	{"lb", "rte_hash_lookup_bulk_data", ask_hash},
	{"l3fwd", "rte_fib_lookup_bulk", ask_fib},
	{"dpi", "hs_scan", ask_scan},
	{"acl", "rte_acl_classify", ask_acl},
};

static void fill_batch(uint32_t first)
{
	struct batch *b = &bench.batch;

	if (rte_pktmbuf_alloc_bulk(bench.pool, b->mbufs, BATCH) != 0)
		fail("no packet buffers");
	b->count = BATCH;
	b->go_on = bench.stage->go_on;
	for (uint32_t i = 0; i < BATCH; i++) {
		memcpy(batch_frame(b, i), bench.frames[first + i], FRAME_BYTES);
		b->mbufs[i]->data_len = FRAME_BYTES;
		b->mbufs[i]->pkt_len = FRAME_BYTES;
		packet_parse(batch_frame(b, i), FRAME_BYTES, &b->packets[i]);
	}
}

static __attribute__((noinline)) void call_stage(void)
{
	bench.stage->ops->process(bench.stage->instances[0], &bench.batch, bench.now_ns);
}

static __attribute__((noinline)) void call_library(void (*ask)(uint32_t first), uint32_t first)
{
	ask(first);
}

static uint64_t run_stage(void)
{
	uint64_t cycles = 0;

	for (uint32_t first = 0; first < bench.flows; first += BATCH) {
		fill_batch(first);
		uint64_t begin = rte_rdtsc_precise();
		call_stage();
		cycles += rte_rdtsc_precise() - begin;
		if (bench.batch.count != BATCH)
			fail("the stage dropped packets, so this configuration does not measure its cost");
		rte_pktmbuf_free_bulk(bench.batch.mbufs, bench.batch.count);
		bench.now_ns += BATCH * bench.settings.traffic->ns_per_packet;
	}
	return cycles;
}

static uint64_t run_library(void (*ask)(uint32_t first))
{
	uint64_t cycles = 0;

	for (uint32_t first = 0; first < bench.flows; first += BATCH) {
		fill_batch(first);
		uint64_t begin = rte_rdtsc_precise();
		call_library(ask, first);
		cycles += rte_rdtsc_precise() - begin;
		rte_pktmbuf_free_bulk(bench.batch.mbufs, BATCH);
	}
	return cycles;
}

static void measure(uint32_t library, uint32_t rounds)
{
	static double stage[MAX_ROUNDS], bare[MAX_ROUNDS], ratio[MAX_ROUNDS];

	if (rounds == 0)
		rounds = RTE_MAX(RTE_MIN(PACKETS / bench.flows | 1, MAX_ROUNDS), MIN_ROUNDS);
	run_stage(); /* opens the flows */
	run_library(libraries[library].ask);
	for (uint32_t r = 0; r < rounds; r++) {
		uint64_t first = r % 2 == 0 ? run_stage() : run_library(libraries[library].ask);
		uint64_t second = r % 2 == 0 ? run_library(libraries[library].ask) : run_stage();
		stage[r] = (double)(r % 2 == 0 ? first : second) / bench.flows;
		bare[r] = (double)(r % 2 == 0 ? second : first) / bench.flows;
		ratio[r] = stage[r] / bare[r];
	}
	printf("{\"stage\":\"%s\",\"library\":\"%s\",\"flows\":%u,\"stage_cycles\":%.1f,\"library_cycles\":%.1f,\"ratio\":%.3f,"
	       "\"answers\":%" PRIu64 "}\n",
	       libraries[library].stage, libraries[library].library, bench.flows, median(stage, rounds), median(bare, rounds),
	       median(ratio, rounds), bench.answers);
}

static uint32_t find_library(const char *stage)
{
	for (uint32_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strcmp(libraries[i].stage, stage) == 0)
			return i;
	fail("usage: stage_bench nat|lb|l3fwd|dpi|acl FLOWS ROUNDS [EAL options] -- --config FILE [--set ...]");
	return 0;
}

static void open_stage(const char *name)
{
	if (!chain_init(&bench.chain, &bench.settings.model, 0))
		exit(1);
	for (uint32_t i = 0; i < bench.chain.count; i++)
		if (strcmp(bench.chain.stages[i].ops->name, name) == 0)
			bench.stage = &bench.chain.stages[i];
	if (bench.stage == NULL)
		fail("the chain of this configuration lacks the stage");
	bench.pool = rte_pktmbuf_pool_create("bench", 1023, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	if (bench.pool == NULL)
		fail("no memory for packet buffers");
}

/* A multiple of a batch, at most the number of inside addresses. */
static void make_flows(const char *stage, const char *count)
{
	bench.flows = (uint32_t)strtoul(count, NULL, 10) / BATCH * BATCH;
	if (bench.flows == 0 || bench.flows > 1u << 24)
		fail("FLOWS: expected 64 to 16777216");
	bench.frames = calloc(bench.flows, sizeof(*bench.frames));
	bench.keys = calloc(bench.flows, sizeof(*bench.keys));
	bench.addresses = calloc(bench.flows, sizeof(*bench.addresses));
	if (bench.frames == NULL || bench.keys == NULL || bench.addresses == NULL)
		fail("no memory for the frames");
	for (uint32_t i = 0; i < bench.flows; i++)
		make_flow(i, strcmp(stage, "lb") == 0);
}

int main(int argc, char **argv)
{
	const char *stage = argc > 3 ? argv[1] : "", *flows = argc > 3 ? argv[2] : "";
	uint32_t library = find_library(stage), rounds = RTE_MIN((uint32_t)strtoul(argv[3], NULL, 10), MAX_ROUNDS);
	struct options options = {0};

	argv[3] = argv[0];
	int used = rte_eal_init(argc - 3, argv + 3);
	if (used < 0)
		fail("cannot start EAL");
	if (!options_parse(&options, argc - 3 - used, argv + 3 + used) ||
	    !settings_read(&bench.settings, &bench.chain, &options))
		return 2;
	open_stage(stage);
	make_flows(stage, flows);
	open_hash();
	measure(library, rounds);
	return 0;
}
