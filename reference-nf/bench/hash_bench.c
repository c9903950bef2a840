/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks the same random keys up in each kind of flow table, in turns, and prints a line of JSON: nanoseconds of the
 * thread's CPU time per lookup, one figure per round and contender. With -c it only looks keys up, for cachegrind to
 * count.
 *
 * rte_hash is used in its fastest way: without concurrency flags, with 64 keys at once, in pages of the same size as
 * our tables. It stores keys itself; ours compare keys in the records, of 64 bytes each, as stages do.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "table/flow_table.h"
#include "table/flow_table_core.h"
#include "table/table_memory.h"

#define QUERIES (256u << 10) /* per round; each round has new ones, because few keys would keep a table in a cache */
#define HUGE_PAGE ((size_t)2 << 20)
#define SEED 1u

struct record {
	struct flow_key key;
	uint64_t packets;
	uint8_t rest[40];
} __attribute__((aligned(64)));

struct options {
	uint32_t entries, rounds;
	double load, misses; /* shares of the entries and of the queries */
	bool small_pages;
	const char *only; /* contender to count; NULL: time all */
	uint32_t lookups; /* to be counted */
};

struct bench {
	struct options options;
	uint32_t flows; /* records in the tables */
	struct record *records;
	struct flow_key *queries;
	struct flow_table *signature, *chained;
	struct rte_hash *hash;
	uint64_t state; /* of the random numbers */
};

static void die(const char *what)
{
	fprintf(stderr, "hash_bench: %s: %s\n", what, rte_strerror(rte_errno));
	exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: hash_bench [-e ENTRIES] [-l LOAD] [-m MISSES] [-s] "
			"[-r ROUNDS | -c CONTENDER -n LOOKUPS]\n"
			"LOAD and MISSES are shares, 0 to 1; -s: small pages for all tables\n");
	exit(2);
}

static struct flow_key key_of(uint64_t number)
{
	return (struct flow_key){{mix64(number), number & 0xff}};
}

static uint64_t next_random(struct bench *b)
{
	return mix64(b->state++);
}

static uint32_t hash_bytes(const void *key, uint32_t bytes, uint32_t hash_seed)
{
	(void)bytes;
	return flow_hash(key, hash_seed);
}

/* A heap for rte_hash in memory like that of our tables: without huge pages EAL's heap is in small pages. */
static int make_heap(size_t bytes)
{
	bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *memory = table_memory_take("heap", bytes, 0);

	if (memory == NULL || rte_malloc_heap_create("tables") != 0 ||
	    rte_malloc_heap_memory_add("tables", memory, bytes, NULL, (unsigned)(bytes / HUGE_PAGE), HUGE_PAGE) != 0)
		die("no memory for rte_hash");
	return rte_malloc_heap_get_socket("tables");
}

static struct rte_hash *create_rte_hash(const struct bench *b)
{
	uint32_t entries = b->options.entries;
	struct rte_hash_parameters p = {
		.name = "bench",
		.entries = entries,
		.key_len = sizeof(struct flow_key),
		.hash_func = hash_bytes,
		.hash_func_init_val = flow_hash_seed(SEED),
		.socket_id = make_heap((size_t)entries * 96 + ((size_t)16 << 20)),
	};
	struct rte_hash *hash = rte_hash_create(&p);

	if (hash == NULL)
		die("rte_hash_create");
	for (uint32_t i = 0; i < b->flows; i++)
		if (rte_hash_add_key_data(hash, &b->records[i].key, &b->records[i]) != 0)
			die("rte_hash refused a key");
	return hash;
}

static struct flow_table *create_table(const struct bench *b, enum flow_table_kind kind)
{
	struct flow_table_params p = {
		.name = flow_table_kinds[kind],
		.kind = kind,
		.entries = b->options.entries,
		.keys = &b->records[0].key,
		.stride = sizeof(struct record),
		.seed = SEED,
		.prefetch = true,
	};
	struct flow_table *table = flow_table_create(&p);

	if (table == NULL)
		exit(1);
	for (uint32_t i = 0; i < b->flows; i++)
		if (!flow_table_insert(table, i))
			die("the table refused a key");
	return table;
}

static void set_up(struct bench *b)
{
	b->flows = (uint32_t)(b->options.entries * b->options.load);
	b->records = table_memory_take("records", b->options.entries * sizeof(*b->records), 0);
	b->queries = table_memory_take("queries", QUERIES * sizeof(*b->queries), 0);
	if (b->records == NULL || b->queries == NULL)
		die("no memory");
	for (uint32_t i = 0; i < b->flows; i++)
		b->records[i].key = key_of(i);
	b->signature = create_table(b, FLOW_TABLE_SIGNATURE);
	b->chained = create_table(b, FLOW_TABLE_CHAINED);
	b->hash = create_rte_hash(b);
}

/* Draws keys uniformly from the flows, and the configured share of misses. */
static void draw_queries(struct bench *b, uint32_t count)
{
	uint64_t strangers = (uint64_t)(b->options.misses * UINT32_MAX);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t number = next_random(b) % b->flows;
		if ((next_random(b) & UINT32_MAX) < strangers)
			number += UINT64_C(1) << 32;
		b->queries[i] = key_of(number);
	}
}

/* Uses the records found, as an NF does. */
static void use_records(struct bench *b, uint64_t hits, const uint32_t records[])
{
	for (; hits != 0; hits &= hits - 1)
		b->records[records[__builtin_ctzll(hits)]].packets++;
}

static inline uint64_t run_table(struct bench *b, const struct flow_table *table, uint32_t count, uint32_t batch,
				 bool use)
{
	uint32_t records[FLOW_TABLE_BATCH];
	uint64_t hits[FLOW_TABLE_BULKS], found = 0;

	for (uint32_t at = 0; at < count; at += batch) {
		flow_table_find_batch(table, &b->queries[at], batch, hits, records);
		for (uint32_t bulk = 0; bulk < batch / FLOW_TABLE_BULK; bulk++) {
			found += (uint64_t)__builtin_popcountll(hits[bulk]);
			if (use)
				use_records(b, hits[bulk], &records[bulk * FLOW_TABLE_BULK]);
		}
	}
	return found;
}

static uint64_t run_signature(struct bench *b, uint32_t count)
{
	return run_table(b, b->signature, count, FLOW_TABLE_BATCH, false);
}

static uint64_t run_signature_bulk(struct bench *b, uint32_t count)
{
	return run_table(b, b->signature, count, FLOW_TABLE_BULK, false);
}

static uint64_t run_signature_use(struct bench *b, uint32_t count)
{
	return run_table(b, b->signature, count, FLOW_TABLE_BATCH, true);
}

static uint64_t run_signature_bulk_use(struct bench *b, uint32_t count)
{
	return run_table(b, b->signature, count, FLOW_TABLE_BULK, true);
}

static uint64_t run_chained(struct bench *b, uint32_t count)
{
	return run_table(b, b->chained, count, FLOW_TABLE_BATCH, false);
}

static inline uint64_t look_up_bulk(const struct bench *b, uint32_t at, bool hashed, void *data[])
{
	const void *keys[FLOW_TABLE_BULK];
	hash_sig_t hashes[FLOW_TABLE_BULK];
	uint64_t hits = 0;

	for (uint32_t i = 0; i < FLOW_TABLE_BULK; i++)
		keys[i] = &b->queries[at + i];
	if (hashed) {
		for (uint32_t i = 0; i < FLOW_TABLE_BULK; i++)
			hashes[i] = flow_hash(&b->queries[at + i], flow_hash_seed(SEED));
		rte_hash_lookup_with_hash_bulk_data(b->hash, keys, hashes, FLOW_TABLE_BULK, &hits, data);
	} else {
		rte_hash_lookup_bulk_data(b->hash, keys, FLOW_TABLE_BULK, &hits, data);
	}
	return hits;
}

static void use_data(uint64_t hits, void *const data[])
{
	for (uint64_t rest = hits; rest != 0; rest &= rest - 1)
		rte_prefetch0(data[__builtin_ctzll(rest)]);
	for (; hits != 0; hits &= hits - 1)
		((struct record *)data[__builtin_ctzll(hits)])->packets++;
}

static inline uint64_t run_rte(struct bench *b, uint32_t count, bool hashed, bool use)
{
	void *data[FLOW_TABLE_BULK];
	uint64_t found = 0;

	for (uint32_t at = 0; at < count; at += FLOW_TABLE_BULK) {
		uint64_t hits = look_up_bulk(b, at, hashed, data);
		found += (uint64_t)__builtin_popcountll(hits);
		if (use)
			use_data(hits, data);
	}
	return found;
}

static uint64_t run_rte_hash(struct bench *b, uint32_t count)
{
	return run_rte(b, count, false, false);
}

static uint64_t run_rte_hash_hashed(struct bench *b, uint32_t count)
{
	return run_rte(b, count, true, false);
}

static uint64_t run_rte_hash_use(struct bench *b, uint32_t count)
{
	return run_rte(b, count, false, true);
}

/* bulk: 64 keys at once, else 256; rte_hash takes at most 64. use: writes to the records, as an NF does. hashed: the
 * caller computes the hash. */
static const struct contender {
	const char *name;
	uint64_t (*run)(struct bench *b, uint32_t count); /* looks up the first queries; returns the hits */
} contenders[] = {
	{"signature", run_signature},
	{"signature_bulk", run_signature_bulk},
	{"rte_hash", run_rte_hash},
	{"rte_hash_hashed", run_rte_hash_hashed},
	{"signature_use", run_signature_use},
	{"signature_bulk_use", run_signature_bulk_use},
	{"rte_hash_use", run_rte_hash_use},
	{"chained", run_chained},
};
#define CONTENDERS (sizeof(contenders) / sizeof(contenders[0]))

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One round: every contender once over the same queries, in an order that changes from round to round. */
static void run_round(struct bench *b, uint32_t round, double ns[CONTENDERS])
{
	uint64_t found[CONTENDERS];

	draw_queries(b, QUERIES);
	for (uint32_t i = 0; i < CONTENDERS; i++) {
		uint32_t at = (uint32_t)((round + (round / CONTENDERS % 2 == 0 ? i : CONTENDERS - i)) % CONTENDERS);
		double begin = cpu_ns();
		found[at] = contenders[at].run(b, QUERIES);
		ns[at] = (cpu_ns() - begin) / QUERIES;
	}
	for (uint32_t i = 1; i < CONTENDERS; i++)
		if (found[i] != found[0])
			die("contenders found different keys");
}

/* KiB of this process in transparent huge pages; 0 if the kernel does not report it. */
static unsigned long huge_kib(void)
{
	char line[128];
	unsigned long kib = 0;
	FILE *smaps = fopen("/proc/self/smaps_rollup", "r");

	if (smaps == NULL)
		return 0;
	while (fgets(line, sizeof(line), smaps) != NULL)
		if (sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			break;
	fclose(smaps);
	return kib;
}

static void print_results(const struct bench *b, const double *ns)
{
	printf("{\"entries\": %" PRIu32 ", \"flows\": %" PRIu32 ", \"huge_kib\": %lu, \"ns_per_lookup\": {",
	       b->options.entries, b->flows, huge_kib());
	for (uint32_t c = 0; c < CONTENDERS; c++) {
		printf("%s\"%s\": [", c == 0 ? "" : ", ", contenders[c].name);
		for (uint32_t round = 0; round < b->options.rounds; round++)
			printf("%s%.3f", round == 0 ? "" : ", ", ns[round * CONTENDERS + c]);
		printf("]");
	}
	printf("}}\n");
}

static void time_all(struct bench *b)
{
	double warm_up[CONTENDERS];
	double *ns = calloc(b->options.rounds * CONTENDERS, sizeof(*ns));

	if (ns == NULL)
		die("no memory");
	run_round(b, 0, warm_up);
	for (uint32_t round = 0; round < b->options.rounds; round++)
		run_round(b, round, &ns[round * CONTENDERS]);
	print_results(b, ns);
	free(ns);
}

/* Draws keys a batch at a time into memory that stays in a cache, so that cache misses are the table's. */
static void run_only(struct bench *b)
{
	uint64_t found = 0;
	uint32_t c = 0;

	while (c < CONTENDERS && strcmp(contenders[c].name, b->options.only) != 0)
		c++;
	if (c == CONTENDERS)
		usage();
	for (uint32_t done = 0; done < b->options.lookups; done += FLOW_TABLE_BATCH) {
		draw_queries(b, FLOW_TABLE_BATCH);
		found += contenders[c].run(b, FLOW_TABLE_BATCH);
	}
	printf("{\"entries\": %" PRIu32 ", \"flows\": %" PRIu32 ", \"hits\": %" PRIu64 "}\n", b->options.entries,
	       b->flows, found);
}

static struct options read_options(int argc, char **argv)
{
	struct options o = {.entries = 1u << 20, .rounds = 13, .load = 0.8, .lookups = QUERIES};
	int option;

	while ((option = getopt(argc, argv, "e:r:l:m:sc:n:")) != -1) {
		switch (option) {
		case 'e':
			o.entries = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			o.rounds = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'l':
			o.load = strtod(optarg, NULL);
			break;
		case 'm':
			o.misses = strtod(optarg, NULL);
			break;
		case 's':
			o.small_pages = true;
			break;
		case 'c':
			o.only = optarg;
			break;
		case 'n':
			o.lookups = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		default:
			usage();
		}
	}
	if (optind != argc || o.rounds == 0 || o.load * o.entries < 1 || o.load > 1 || o.misses < 0 || o.misses > 1)
		usage();
	return o;
}

int main(int argc, char **argv)
{
	char *eal[] = {argv[0], "--no-huge", "-m", "32", "--no-shconf", "--no-pci", "--lcores=0", "--no-telemetry",
		       "--log-level=warning", NULL};
	struct bench bench = {.options = read_options(argc, argv)};

	if (bench.options.small_pages && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
		die("prctl");
	if (rte_eal_init(9, eal) < 0)
		die("rte_eal_init");
	set_up(&bench);
	if (bench.options.only != NULL)
		run_only(&bench);
	else
		time_all(&bench);
	flow_table_destroy(bench.signature);
	flow_table_destroy(bench.chained);
	rte_hash_free(bench.hash);
	return 0;
}
