/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include "check.h"
#include "stage_fixture.h"

#define POOL_MBUFS 1023u

static struct rte_mempool *pool;
static char directory[] = "/tmp/nalm-nf-test-XXXXXX";
static char files[256][64];
static uint32_t file_count;
static uint32_t flow_instances;

static void remove_files(void)
{
	for (uint32_t i = 0; i < file_count; i++)
		remove(files[i]);
	rmdir(directory);
}

void fixture_eal(const char *program)
{
	char *argv[] = {(char *)(uintptr_t)program, "--no-huge", "-m",	  "256",
			"--no-shconf",		    "--no-pci",	 "--lcores=0", "--no-telemetry", NULL};

	CHECK(mkdtemp(directory) != NULL);
	atexit(remove_files);
	CHECK(rte_eal_init(8, argv) >= 0);
	pool = rte_pktmbuf_pool_create("test", POOL_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	CHECK(pool != NULL);
}

const char *fixture_file(const char *text)
{
	CHECK(file_count < sizeof(files) / sizeof(files[0]));
	char *path = files[file_count++];
	snprintf(path, sizeof(files[0]), "%s/%u", directory, file_count);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL);
	CHECK(fputs(text, file) >= 0);
	CHECK(fclose(file) == 0);
	return path;
}

struct config *fixture_config(const char *text)
{
	struct config *config = config_load(fixture_file(text));
	CHECK(config != NULL);
	return config;
}

void fixture_divide(uint32_t flows)
{
	flow_instances = flows;
}

void fixture_open(struct fixture *f, const struct stage_ops *ops, const char *config_text)
{
	fixture_open_file(f, ops, fixture_file(config_text));
}

void fixture_open_file(struct fixture *f, const struct stage_ops *ops, const char *config_path)
{
	struct config *config = config_load(config_path);

	CHECK(config != NULL);
	f->ops = ops;
	f->settings = ops->hooks.configure(config);
	CHECK(f->settings != NULL);
	config_check_unknown(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	config_free(config);
	struct stage_place place = {.count = 1, .hash = FLOW_TABLE_SIGNATURE, .prefetch = true};
	place.socket = (int)rte_socket_id();
	place.flows = flow_instances;
	atomic_init(&f->rcu.tables, NULL);
	if (ops->hooks.build != NULL) {
		atomic_store(&f->rcu.tables, ops->hooks.build(f->settings, &place));
		CHECK(rcu_tables_get(&f->rcu) != NULL);
	}
	f->state = ops->init(f->settings, &f->rcu, &place);
	CHECK(f->state != NULL);
	f->batch.go_on = 0;
	for (uint32_t o = 0; ops->outcomes[o].name != NULL; o++)
		if (ops->outcomes[o].kind == NALM_KIND_PASS)
			f->batch.go_on |= 1u << o;
}

void fixture_close(struct fixture *f)
{
	f->ops->fini(f->state);
	if (f->ops->hooks.build != NULL)
		f->ops->hooks.destroy(rcu_tables_get(&f->rcu));
	f->ops->hooks.release(f->settings);
}

static void load(struct batch *b, const struct frame *frames, uint32_t count)
{
	CHECK(count <= BATCH_MAX);
	CHECK(rte_pktmbuf_alloc_bulk(pool, b->mbufs, count) == 0);
	b->count = count;
	for (uint32_t i = 0; i < count; i++) {
		memcpy(batch_frame(b, i), frames[i].data, frames[i].bytes);
		b->mbufs[i]->data_len = (uint16_t)frames[i].bytes;
		b->mbufs[i]->pkt_len = frames[i].bytes;
		packet_parse(batch_frame(b, i), frames[i].bytes, &b->packets[i]);
	}
}

static void process(struct fixture *f, uint64_t now_ns)
{
	struct batch *b = &f->batch;
	uint32_t count = b->count, sum = 0, passed = 0;

	f->ops->process(f->state, b, now_ns);
	for (uint32_t o = 0; o < NALM_PROBE_MAX_OUTCOMES; o++) {
		sum += b->outcomes[o];
		if (b->go_on >> o & 1)
			passed += b->outcomes[o];
	}
	CHECK_EQUAL(sum, count);
	CHECK_EQUAL(passed, b->count);
}

static uint32_t unload(struct batch *b, struct frame *frames)
{
	for (uint32_t i = 0; i < b->count; i++) {
		frames[i].bytes = b->mbufs[i]->data_len;
		memcpy(frames[i].data, batch_frame(b, i), frames[i].bytes);
	}
	rte_pktmbuf_free_bulk(b->mbufs, b->count);
	CHECK_EQUAL(rte_mempool_avail_count(pool), POOL_MBUFS);
	return b->count;
}

uint32_t fixture_run(struct fixture *f, struct frame *frames, uint32_t count, uint64_t now_ns)
{
	load(&f->batch, frames, count);
	process(f, now_ns);
	return unload(&f->batch, frames);
}

static uint32_t call_at;
static void (*call_there)(void);

void fixture_call_before(uint32_t before, void (*call)(void))
{
	call_at = before;
	call_there = call;
}

uint32_t fixture_run_stages(struct fixture *const stages[], uint32_t stage_count, struct frame *frames, uint32_t count,
			    uint64_t now_ns)
{
	load(&stages[0]->batch, frames, count);
	process(stages[0], now_ns);
	for (uint32_t i = 1; i < stage_count; i++) {
		struct batch *from = &stages[i - 1]->batch, *to = &stages[i]->batch;
		to->count = from->count;
		memcpy(to->mbufs, from->mbufs, from->count * sizeof(*to->mbufs));
		memcpy(to->packets, from->packets, from->count * sizeof(*to->packets));
		if (call_there != NULL && i == call_at)
			call_there();
		process(stages[i], now_ns);
	}
	return unload(&stages[stage_count - 1]->batch, frames);
}

uint32_t fixture_outcome(const struct fixture *f, const char *outcome)
{
	for (uint32_t o = 0; f->ops->outcomes[o].name != NULL; o++)
		if (strcmp(f->ops->outcomes[o].name, outcome) == 0)
			return f->batch.outcomes[o];
	CHECK(!"an outcome of that name");
	return 0;
}

const char *fixture_run_one(struct fixture *f, struct frame *frame, uint64_t now_ns)
{
	fixture_run(f, frame, 1, now_ns);
	for (uint32_t o = 0; f->ops->outcomes[o].name != NULL; o++)
		if (f->batch.outcomes[o] == 1)
			return f->ops->outcomes[o].name;
	return "(an outcome without a name)";
}
