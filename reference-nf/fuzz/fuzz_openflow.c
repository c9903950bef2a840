/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a file of rules, a form feed, lines of flow-mods, a form feed, and a talk (talk.h). Rules that are good become
 * tables three times: for the interpreter, as generated code, and, as long as no flow-mod has come, as generated code in
 * one piece. Before each batch one line is applied to the first two, which must both take it, or refuse it for the same
 * reason. The batch goes through all, and must come out alike: outcomes, frames, counts. What lies behind a frame in its
 * buffer is poisoned for the interpreter.
 */
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <sys/mman.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include "check.h"
#include "flow_mod/flow_control.h"
#include "openflow/openflow_config.h"
#include "openflow/openflow_counts.h"
#include "openflow/openflow_table.h"
#include "stage.h"
#include "talk.h"

#define FRAMES_MAX 64u /* in one input */
#define BATCH_FRAMES 8u
#define MBUFS 255u
#define LINE_BYTES 512u

enum { WHOLE = 2, WAYS }; /* behind enum openflow_mode */

/* One of the ways. */
struct way {
	struct rcu_tables rcu;
	void *instance;
	struct batch batch;
	struct rte_mbuf *mbufs[BATCH_FRAMES]; /* of the batch, as they went in */
};

static struct way ways[WAYS];
static uint32_t ways_used; /* all, until an entry changes */
static struct rte_mempool *pool;
static int rules_file;
static char config_name[64];

static int make_file(char *name, size_t bytes)
{
	int file = memfd_create("fuzz", 0);

	CHECK(file >= 0);
	snprintf(name, bytes, "/proc/self/fd/%d", file);
	return file;
}

/* Without a word on stderr, where mistakes are told. NULL: there are some. */
static struct openflow_settings *read_rules(const uint8_t *data, size_t size)
{
	FILE *real = stderr;
	char *text = NULL;
	size_t said = 0;

	CHECK(ftruncate(rules_file, 0) == 0);
	CHECK(pwrite(rules_file, data, size, 0) == (ssize_t)size);
	stderr = open_memstream(&text, &said);
	CHECK(stderr != NULL);
	struct config *config = config_load(config_name);
	CHECK(config != NULL);
	struct openflow_settings *settings = openflow_configure(config);
	CHECK(settings != NULL);
	bool good = config_mistakes(config) == 0;
	config_free(config);
	fclose(stderr);
	stderr = real;
	CHECK_EQUAL(good, said == 0);
	free(text);
	if (!good)
		openflow_release(settings);
	return good ? settings : NULL;
}

static void open_ways(struct openflow_settings *settings)
{
	const struct stage_place place = {.count = 1, .prefetch = true};

	ways_used = WAYS;
	for (uint32_t w = 0; w < WAYS; w++) {
		settings->mode = w == OPENFLOW_INTERPRETED ? OPENFLOW_INTERPRETED : OPENFLOW_SPECIALISED;
		settings->changeable = w != WHOLE;
		void *tables = openflow_stage.hooks.build(settings, &place);
		CHECK(tables != NULL);
		atomic_store(&ways[w].rcu.tables, tables);
		ways[w].instance = openflow_stage.init(settings, &ways[w].rcu, &place);
		ways[w].batch.go_on = UINT32_MAX; /* nothing is freed: all of it is compared */
		ways[w].batch.count = 0;
	}
}

static void close_ways(struct openflow_settings *settings)
{
	for (uint32_t w = 0; w < WAYS; w++) {
		openflow_stage.fini(ways[w].instance);
		openflow_stage.hooks.destroy(rcu_tables_get(&ways[w].rcu));
	}
	openflow_release(settings);
}

/* The next line of mods, in both ways that it can change. */
static void run_mod(const uint8_t **mods, size_t *size)
{
	const uint8_t *end = memchr(*mods, '\n', *size);
	size_t bytes = end == NULL ? *size : (size_t)(end - *mods);
	char lines[2][LINE_BYTES], whys[2][OPENFLOW_WHY_BYTES] = {{0}};
	bool good[2];

	if (*size == 0)
		return;
	for (uint32_t w = 0; w < 2; w++) {
		snprintf(lines[w], sizeof(lines[w]), "%.*s", (int)RTE_MIN(bytes, LINE_BYTES - 1), (const char *)*mods);
		good[w] = openflow_control_line(rcu_tables_get(&ways[w].rcu), lines[w], NULL, whys[w]);
		CHECK(good[w] || whys[w][0] != '\0');
	}
	CHECK_EQUAL(good[0], good[1]);
	CHECK(strcmp(whys[0], whys[1]) == 0);
	if (good[0])
		ways_used = WHOLE;
	*size -= end == NULL ? bytes : bytes + 1;
	*mods += end == NULL ? bytes : bytes + 1;
}

static void add_frame(struct way *way, const struct talk_frame *f, bool poison)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint32_t n = way->batch.count++;

	CHECK(m != NULL);
	ASAN_UNPOISON_MEMORY_REGION(m->buf_addr, m->buf_len);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), f->data, f->bytes);
	m->data_len = (uint16_t)f->bytes;
	m->pkt_len = f->bytes;
	way->batch.mbufs[n] = way->mbufs[n] = m;
	packet_parse(batch_frame(&way->batch, n), f->bytes, &way->batch.packets[n]);
	if (poison) {
		ASAN_POISON_MEMORY_REGION(m->buf_addr, m->data_off);
		ASAN_POISON_MEMORY_REGION(rte_pktmbuf_mtod(m, uint8_t *) + f->bytes, rte_pktmbuf_tailroom(m));
	}
}

/* Both ways; the last frame of the batch is what the talk answers. */
static void run_batch(uint64_t now_ns, struct talk_frame *last)
{
	uint32_t n = ways[0].batch.count;

	if (n == 0)
		return;
	for (uint32_t w = 0; w < ways_used; w++)
		openflow_stage.process(ways[w].instance, &ways[w].batch, now_ns);
	for (uint32_t i = 0; i < n; i++) {
		const struct rte_mbuf *a = ways[0].mbufs[i];
		for (uint32_t w = 1; w < ways_used; w++) {
			const struct rte_mbuf *b = ways[w].mbufs[i];
			CHECK_EQUAL(ways[0].batch.outcome[i], ways[w].batch.outcome[i]);
			CHECK(a->data_len == b->data_len);
			CHECK(memcmp(rte_pktmbuf_mtod(a, void *), rte_pktmbuf_mtod(b, void *), a->data_len) == 0);
		}
		last->bytes = a->data_len;
		memcpy(last->data, rte_pktmbuf_mtod(a, void *), a->data_len);
	}
	for (uint32_t w = 0; w < WAYS; w++) {
		for (uint32_t i = 0; i < n; i++)
			rte_pktmbuf_free(ways[w].mbufs[i]);
		ways[w].batch.count = 0;
	}
}

static void check_counts(void)
{
	char *texts[WAYS];
	size_t sizes[WAYS];

	for (uint32_t w = 0; w < ways_used; w++) {
		FILE *out = open_memstream(&texts[w], &sizes[w]);
		CHECK(out != NULL);
		openflow_report(&ways[w].rcu, &ways[w].instance, 1, out);
		fclose(out);
		CHECK(strcmp(texts[0], texts[w]) == 0);
	}
	for (uint32_t w = 0; w < ways_used; w++)
		free(texts[w]);
}

static void run_talk(const uint8_t *mods, size_t mods_size, const uint8_t *data, size_t size)
{
	struct talk_frame last = {.bytes = 0}, frame;
	struct talk_record record;
	uint64_t now_ns = 1;

	for (uint32_t i = 0; i < FRAMES_MAX && talk_next(&data, &size, &record); i++) {
		if (record.run || record.pause_s != 0 || record.kind >= TALK_REPLY || ways[0].batch.count == BATCH_FRAMES) {
			run_batch(now_ns++, &last);
			run_mod(&mods, &mods_size);
		}
		now_ns += record.pause_s * (uint64_t)NS_PER_S;
		talk_frame(&record, &last, &frame);
		for (uint32_t w = 0; frame.bytes != 0 && w < WAYS; w++)
			add_frame(&ways[w], &frame, w == OPENFLOW_INTERPRETED);
	}
	while (mods_size != 0)
		run_mod(&mods, &mods_size);
	run_batch(now_ns, &last);
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0"; /* DPDK's own memory holds pointers, where LeakSanitizer does not look */
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char lcores[32], rules_name[64];
	char *eal[] = {(*argv)[0], lcores, "--no-huge", "-m", "256", "--no-shconf", "--no-pci",
		       "--no-telemetry", "--log-level=lib.eal:error", NULL};
	cpu_set_t cpus;

	(void)argc;
	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", sched_getcpu());
	CHECK(rte_eal_init((int)(sizeof(eal) / sizeof(eal[0])) - 1, eal) >= 0);
	CHECK(sched_setaffinity(0, sizeof(cpus), &cpus) == 0); /* it may run beside other such programs */
	pool = rte_pktmbuf_pool_create("fuzz", MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	CHECK(pool != NULL);
	rules_file = make_file(rules_name, sizeof(rules_name));
	int config_file = make_file(config_name, sizeof(config_name));
	CHECK(dprintf(config_file, "[openflow]\nrules = %s\nnext_hops_generated = 3\n", rules_name) > 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\f', size);
	size_t rules = end == NULL ? size : (size_t)(end - data);
	struct openflow_settings *settings = read_rules(data, rules);

	if (settings == NULL)
		return 0;
	open_ways(settings);
	if (end != NULL) {
		const uint8_t *mods = end + 1, *mods_end = memchr(mods, '\f', size - rules - 1);
		size_t mods_size = mods_end == NULL ? size - rules - 1 : (size_t)(mods_end - mods);
		const uint8_t *talk = mods_end == NULL ? data + size : mods_end + 1;
		run_talk(mods, mods_size, talk, (size_t)(data + size - talk));
	}
	check_counts();
	close_ways(settings);
	return 0;
}
