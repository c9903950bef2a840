/* SPDX-License-Identifier: BSD-3-Clause
 *
 * openflow_bench FLOWS [EAL options] -- [the NF's options]: what a packet of 64 B costs from ring to ring, by stage
 * `openflow` interpreted and as generated code, and by DPDK's own table pipeline, rte_swx, with the same tables: those of
 * conf/router.conf, if its wildcard tables can hold the prefixes. Prints one line of JSON.
 *
 * openflow_bench mods [EAL options, two lcores] -- [the NF's options]: one lcore forwards, the other changes flow
 * entries for a while: none, one and many by a whole reload each, then one by one by flow-mods, of a table of prefixes
 * and of one of addresses. Prints how many a second and the longest that the first lcore ever spent on a batch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_rcu_qsbr.h>
#include <rte_ring.h>
#include <rte_swx_ctl.h>
#include <rte_swx_pipeline.h>
#include <rte_swx_port_ring.h>
#include <rte_swx_table_em.h>
#include <rte_swx_table_wm.h>

#include "flow_mod/flow_control.h"
#include "frames.h"
#include "median.h"
#include "openflow/openflow_config.h"
#include "openflow/openflow_table.h"
#include "openflow/openflow_tables.h"
#include "settings.h"

#define BATCH 64u
#define PACKETS 2000000u /* that each side sees in all, about */
#define MAX_ROUNDS 501u
#define PAYLOAD_BYTES 18u
#define FRAME_BYTES 60u
#define RING 256u
#define RUN_STEPS (BATCH * 16u) /* instructions of rte_swx at once, then RUN_MORE until all packets are through */
#define RUN_MORE 64u
#define MODS_SECONDS 3u
#define MODS_BULK 1000u /* entries that one reload changes */
#define ROUTES_TABLE 3u
#define SWX_ENTRIES 20000u /* more would take its wildcard tables too long */
#define OWN_TABLE 1u
#define MODES 3u
#define CHANGEABLE 2u

struct bench {
	struct settings settings;
	struct chain chain;
	struct rte_mempool *pool;
	struct rte_ring *in, *out;
	uint32_t flows;
	uint8_t (*frames)[64];
	struct batch batch;
	struct rcu_tables rcu[MODES]; /* by enum openflow_mode, then generated code of tables that single entries change */
	void *instances[MODES];
	struct rte_swx_pipeline *swx;
	struct rte_swx_ctl_pipeline *ctl;
};

static struct bench bench;

static void fail(const char *what)
{
	fprintf(stderr, "openflow_bench: %s\n", what);
	exit(1);
}

static void expect(int code, const char *what)
{
	if (code != 0) {
		fprintf(stderr, "openflow_bench: %s: %d\n", what, code);
		exit(1);
	}
}

/* To the router's own MAC address and servers everywhere. */
static void make_flow(uint32_t i)
{
	uint32_t spread = i * 2654435761u; /* Knuth's multiplier: neighbours lie far apart */
	char payload[PAYLOAD_BYTES];

	memset(payload, 'a' + (int)(i % 26), sizeof(payload));
	struct frame f = make_frame(17, IP(10, i >> 16, i >> 8 & 255, i & 255), (uint16_t)(1024 + i),
				    IP(11 + spread % 213, spread >> 8 & 255, spread >> 16 & 255, 1 + (spread >> 24) % 250),
				    53, payload, sizeof(payload));
	put16(f.data, 0x0200);
	put32(f.data + 2, 0x00002001);
	put16(f.data + 6, 0x0200);
	put32(f.data + 8, 0x00001001);
	if (f.bytes != FRAME_BYTES)
		fail("a frame has another size");
	memcpy(bench.frames[i], f.data, f.bytes);
}

static void fill_ring(uint32_t first)
{
	struct rte_mbuf *mbufs[BATCH];

	if (rte_pktmbuf_alloc_bulk(bench.pool, mbufs, BATCH) != 0)
		fail("no packet buffers");
	for (uint32_t i = 0; i < BATCH; i++) {
		memcpy(rte_pktmbuf_mtod(mbufs[i], uint8_t *), bench.frames[first + i], FRAME_BYTES);
		mbufs[i]->data_len = FRAME_BYTES;
		mbufs[i]->pkt_len = FRAME_BYTES;
	}
	if (rte_ring_sp_enqueue_bulk(bench.in, (void **)mbufs, BATCH, NULL) != BATCH)
		fail("no room in the ring");
}

/* copies: what came out, or NULL. */
static void empty_ring(uint8_t (*copies)[FRAME_BYTES])
{
	struct rte_mbuf *mbufs[BATCH];

	if (rte_ring_sc_dequeue_bulk(bench.out, (void **)mbufs, BATCH, NULL) != BATCH)
		fail("packets were dropped: these tables measure something else");
	for (uint32_t i = 0; copies != NULL && i < BATCH; i++)
		memcpy(copies[i], rte_pktmbuf_mtod(mbufs[i], uint8_t *), FRAME_BYTES);
	rte_pktmbuf_free_bulk(mbufs, BATCH);
}

static void receive_batch(struct batch *b)
{
	b->count = rte_ring_sc_dequeue_burst(bench.in, (void **)b->mbufs, BATCH, NULL);
	for (uint32_t i = 0; i < b->count; i++)
		packet_parse(batch_frame(b, i), rte_pktmbuf_data_len(b->mbufs[i]), &b->packets[i]);
}

static void send_batch(struct batch *b)
{
	(void)rte_ring_sp_enqueue_burst(bench.out, (void **)b->mbufs, b->count, NULL);
}

static void run_mode(uint32_t mode)
{
	receive_batch(&bench.batch);
	openflow_stage.process(bench.instances[mode], &bench.batch, 0);
	send_batch(&bench.batch);
}

static void run_interpreted(void)
{
	run_mode(OPENFLOW_INTERPRETED);
}

static void run_specialised(void)
{
	run_mode(OPENFLOW_SPECIALISED);
}

static void run_changeable(void)
{
	run_mode(CHANGEABLE);
}

/* The same from ring to ring without any table. */
static void run_floor(void)
{
	receive_batch(&bench.batch);
	send_batch(&bench.batch);
}

static void run_swx(void)
{
	rte_swx_pipeline_run(bench.swx, RUN_STEPS);
	rte_swx_pipeline_flush(bench.swx);
	while (rte_ring_count(bench.out) < BATCH) {
		rte_swx_pipeline_run(bench.swx, RUN_MORE);
		rte_swx_pipeline_flush(bench.swx);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} sides[] = {{"floor", run_floor}, {"interpreted", run_interpreted}, {"specialised", run_specialised},
	     {"changeable", run_changeable}, {"swx", run_swx}};
#define SIDES RTE_DIM(sides)

static uint32_t sides_used = SIDES; /* without rte_swx one less */

/* ---- rte_swx: the tables of conf/router.conf ---- */

static void swx_struct(const char *name, const struct rte_swx_field_params *fields, uint32_t n)
{
	struct rte_swx_field_params copy[16];

	memcpy(copy, fields, n * sizeof(*fields));
	expect(rte_swx_pipeline_struct_type_register(bench.swx, name, copy, n, 0), name);
}

static void swx_action(const char *name, const char *args, const char *const instructions[], uint32_t n)
{
	expect(rte_swx_pipeline_action_config(bench.swx, name, args, (const char **)(uintptr_t)instructions, n), name);
}

static void swx_table(const char *name, const char *field, enum rte_swx_table_match_type type, const char *action, uint32_t size)
{
	struct rte_swx_match_field_params match = {.name = field, .match_type = type};
	const char *actions[] = {action, "nothing"};
	struct rte_swx_pipeline_table_params params = {
		.fields = &match,
		.n_fields = 1,
		.action_names = actions,
		.n_actions = 2,
		.default_action_name = "nothing",
		.default_action_is_const = 1,
	};
	expect(rte_swx_pipeline_table_config(bench.swx, name, &params, NULL, NULL, size), name);
}

static void swx_registers(void)
{
	static const struct rte_swx_field_params meta[] = {{"port_in", 32}, {"port_out", 32}, {"hop", 32}};
	static const struct rte_swx_field_params ether[] = {{"dst", 48}, {"src", 48}, {"type", 16}};
	static const struct rte_swx_field_params ip[] = {{"version", 16}, {"total", 16}, {"id", 16}, {"fragment", 16},
							 {"ttl_protocol", 16}, {"check", 16}, {"src", 32}, {"dst", 32}};
	static const struct rte_swx_field_params hop[] = {{"hop", 32}};
	static const struct rte_swx_field_params rewrite[] = {{"dst", 48}, {"src", 48}, {"port", 32}};

	swx_struct("meta", meta, RTE_DIM(meta));
	swx_struct("ether", ether, RTE_DIM(ether));
	swx_struct("ip", ip, RTE_DIM(ip));
	swx_struct("hop_args", hop, RTE_DIM(hop));
	swx_struct("rewrite_args", rewrite, RTE_DIM(rewrite));
	expect(rte_swx_pipeline_packet_metadata_register(bench.swx, "meta"), "meta-data");
	expect(rte_swx_pipeline_packet_header_register(bench.swx, "ether", "ether"), "header");
	expect(rte_swx_pipeline_packet_header_register(bench.swx, "ip", "ip"), "header");
}

static void swx_actions_and_tables(uint32_t routes)
{
	static const char *const nothing[] = {"return"};
	static const char *const set_hop[] = {"mov m.hop t.hop", "return"};
	static const char *const rewrite[] = {"cksub h.ip.check h.ip.ttl_protocol", "sub h.ip.ttl_protocol 0x100",
					      "ckadd h.ip.check h.ip.ttl_protocol", "mov h.ether.dst t.dst",
					      "mov h.ether.src t.src", "mov m.port_out t.port", "return"};

	swx_action("nothing", NULL, nothing, RTE_DIM(nothing));
	swx_action("found", NULL, nothing, RTE_DIM(nothing));
	swx_action("set_hop", "hop_args", set_hop, RTE_DIM(set_hop));
	swx_action("rewrite", "rewrite_args", rewrite, RTE_DIM(rewrite));
	swx_table("ports", "m.port_in", RTE_SWX_TABLE_MATCH_EXACT, "found", 64);
	swx_table("own", "h.ether.dst", RTE_SWX_TABLE_MATCH_EXACT, "found", 64);
	swx_table("types", "h.ether.type", RTE_SWX_TABLE_MATCH_EXACT, "found", 64);
	swx_table("routes", "h.ip.dst", RTE_SWX_TABLE_MATCH_WILDCARD, "set_hop", routes);
	swx_table("hops", "m.hop", RTE_SWX_TABLE_MATCH_EXACT, "rewrite", 4096);
}

static void swx_add(const char *table, const char *format, ...)
{
	char text[200];
	va_list arguments;
	int blank;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	struct rte_swx_table_entry *entry = rte_swx_ctl_pipeline_table_entry_read(bench.ctl, table, text, &blank);
	if (entry == NULL)
		fail(text);
	expect(rte_swx_ctl_pipeline_table_entry_add(bench.ctl, table, entry), text);
}

static const struct openflow_settings *rules(void)
{
	return settings_of_stage(&bench.settings, &openflow_stage);
}

/* The same entries and groups; priorities of rte_swx fall as numbers rise. */
static void swx_fill(void)
{
	const struct openflow_settings *s = rules();

	swx_add("ports", "match 0x0 action found");
	swx_add("types", "match 0x800 action found");
	for (uint32_t i = 0; i < s->entry_count; i++) {
		const struct openflow_entry *e = &s->entries[i];
		const struct openflow_term *terms = &s->terms[e->first_term];
		uint64_t hop = s->instructions[e->instructions].write.values[OPENFLOW_GROUP];
		if (e->table == OWN_TABLE && e->term_count == 1)
			swx_add("own", "match 0x%" PRIx64 " action found", terms[0].value);
		else if (e->table == ROUTES_TABLE && e->term_count != 0)
			swx_add("routes", "match 0x%x/0x%x priority %u action set_hop hop 0x%" PRIx64,
				e->term_count == 2 ? (uint32_t)terms[1].value : 0,
				e->term_count == 2 ? (uint32_t)terms[1].mask : 0, 32u - e->priority, hop);
	}
	for (uint32_t g = 0; g < s->group_count; g++)
		swx_add("hops", "match 0x%x action rewrite dst 0x%" PRIx64 " src 0x%" PRIx64 " port 0x0", g,
			s->groups[g].actions.values[OPENFLOW_SET_ETH_DST], s->groups[g].actions.values[OPENFLOW_SET_ETH_SRC]);
	expect(rte_swx_ctl_pipeline_commit(bench.ctl, 1), "commit");
}

static void open_swx(void)
{
	static const char *const program[] = {"rx m.port_in", "extract h.ether", "table ports", "jmpnh DROP", "table own",
					      "jmpnh DROP", "table types", "jmpnh DROP", "extract h.ip", "table routes",
					      "jmpnh DROP", "table hops", "emit h.ether", "emit h.ip", "tx m.port_out",
					      "DROP : mov m.port_out 1", "emit h.ether", "tx m.port_out"};
	struct rte_swx_port_ring_reader_params in = {.name = "in", .burst_size = BATCH};
	struct rte_swx_port_ring_writer_params out = {.name = "out", .burst_size = BATCH};
	struct rte_swx_port_ring_writer_params drop = {.name = "drop", .burst_size = 1};

	if (rte_ring_create("drop", RING, (int)rte_socket_id(), 0) == NULL)
		fail("no memory for a ring");
	expect(rte_swx_pipeline_config(&bench.swx, "router", (int)rte_socket_id()), "configuration");
	expect(rte_swx_pipeline_port_in_config(bench.swx, 0, "ring", &in), "port in");
	expect(rte_swx_pipeline_port_out_config(bench.swx, 0, "ring", &out), "port out");
	expect(rte_swx_pipeline_port_out_config(bench.swx, 1, "ring", &drop), "port out");
	swx_registers();
	swx_actions_and_tables(RTE_MAX(rules()->entry_count, 64u));
	expect(rte_swx_pipeline_instructions_config(bench.swx, (const char **)(uintptr_t)program, RTE_DIM(program)), "program");
	expect(rte_swx_pipeline_build(bench.swx), "build");
	bench.ctl = rte_swx_ctl_pipeline_create(bench.swx);
	if (bench.ctl == NULL)
		fail("rte_swx gives no control");
	swx_fill();
}

/* ---- both ---- */

static void *make_tables(void *settings, uint32_t mode)
{
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id(), .prefetch = true};
	struct openflow_settings *s = settings;

	s->mode = mode == OPENFLOW_INTERPRETED ? OPENFLOW_INTERPRETED : OPENFLOW_SPECIALISED;
	s->changeable = mode == CHANGEABLE;
	void *tables = openflow_stage.hooks.build(settings, &place);
	if (tables == NULL)
		fail("no tables");
	return tables;
}

static void open_modes(void)
{
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id(), .prefetch = true};
	void *settings = (void *)(uintptr_t)rules();

	bench.batch.go_on = 1; /* outcome output */
	for (uint32_t mode = 0; mode < MODES; mode++) {
		atomic_store(&bench.rcu[mode].tables, make_tables(settings, mode));
		bench.instances[mode] = openflow_stage.init(settings, &bench.rcu[mode], &place);
	}
}

static void open_rings(void)
{
	bench.pool = rte_pktmbuf_pool_create("bench", 1023, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	bench.in = rte_ring_create("in", RING, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ);
	bench.out = rte_ring_create("out", RING, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (bench.pool == NULL || bench.in == NULL || bench.out == NULL)
		fail("no memory for packet buffers");
}

static void make_flows(uint32_t count)
{
	bench.flows = count / BATCH * BATCH;
	if (bench.flows == 0 || bench.flows > 1u << 22)
		fail("FLOWS: expected 64 to 4194304");
	bench.frames = calloc(bench.flows, sizeof(*bench.frames));
	if (bench.frames == NULL)
		fail("no memory for the frames");
	for (uint32_t i = 0; i < bench.flows; i++)
		make_flow(i);
}

/* Cycles of a packet: one pass over all flows. */
static double run_side(uint32_t side)
{
	uint64_t cycles = 0;

	for (uint32_t first = 0; first < bench.flows; first += BATCH) {
		fill_ring(first);
		uint64_t begin = rte_rdtsc_precise();
		sides[side].run();
		cycles += rte_rdtsc_precise() - begin;
		empty_ring(NULL);
	}
	return (double)cycles / bench.flows;
}

/* All sides but the floor send the same frames: else they do not do the same. */
static void check_frames(void)
{
	static uint8_t frames[SIDES][BATCH][FRAME_BYTES];

	for (uint32_t side = 1; side < sides_used; side++) {
		fill_ring(0);
		sides[side].run();
		empty_ring(frames[side]);
		if (memcmp(frames[side], frames[1], sizeof(frames[1])) != 0)
			fail(sides[side].name);
	}
}

static void compare(void)
{
	static double cycles[SIDES][MAX_ROUNDS];
	uint32_t rounds = RTE_MIN(PACKETS / bench.flows | 1, MAX_ROUNDS);

	check_frames();
	for (uint32_t side = 0; side < sides_used; side++)
		(void)run_side(side);
	for (uint32_t r = 0; r < rounds; r++)
		for (uint32_t i = 0; i < sides_used; i++) {
			uint32_t side = (r + i) % sides_used;
			cycles[side][r] = run_side(side);
		}
	printf("{\"flows\":%u,\"entries\":%u", bench.flows, rules()->entry_count);
	for (uint32_t side = 0; side < sides_used; side++)
		printf(",\"%s_cycles\":%.1f", sides[side].name, median(cycles[side], rounds));
	printf("}\n");
}

/* ---- flow entries that change while packets pass ---- */

static struct {
	struct rte_rcu_qsbr *readers;
	atomic_bool stop;
	atomic_uint mode;
	atomic_uint_fast64_t packets, longest; /* cycles of a batch; read and cleared by the other lcore */
	atomic_uint_fast64_t longest_ns;       /* of a batch, while this lcore really ran */
} mods;

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * (uint64_t)NS_PER_S + (uint64_t)t.tv_nsec;
}

/* By its only writer. */
static void raise_to(atomic_uint_fast64_t *most, uint64_t value)
{
	if (value > atomic_load_explicit(most, memory_order_relaxed))
		atomic_store_explicit(most, value, memory_order_relaxed);
}

static int forward(void *arg)
{
	(void)arg;
	(void)rte_rcu_qsbr_thread_register(mods.readers, 0);
	rte_rcu_qsbr_thread_online(mods.readers, 0);
	for (uint32_t first = 0; !atomic_load_explicit(&mods.stop, memory_order_relaxed); first = (first + BATCH) % bench.flows) {
		fill_ring(first);
		uint64_t begin = rte_rdtsc(), begin_ns = cpu_ns();
		run_mode(atomic_load_explicit(&mods.mode, memory_order_relaxed));
		raise_to(&mods.longest_ns, cpu_ns() - begin_ns);
		raise_to(&mods.longest, rte_rdtsc() - begin);
		atomic_fetch_add_explicit(&mods.packets, BATCH, memory_order_relaxed);
		empty_ring(NULL);
		rte_rcu_qsbr_quiescent(mods.readers, 0);
	}
	rte_rcu_qsbr_thread_offline(mods.readers, 0);
	return 0;
}

/* Adds entries to the last table, which is bridging's: others than the last time. */
static void add_entries(struct openflow_settings *s, uint32_t number, uint32_t bulk)
{
	struct openflow_entry entry = s->entries[s->entry_count - 1];

	entry.term_count = 1;
	for (uint32_t i = 0; i < bulk; i++) {
		const struct openflow_term term = {
			.value = 0x020000000000 + (uint64_t)(number + 1) * MODS_BULK + i,
			.mask = (UINT64_C(1) << 48) - 1,
			.field = OPENFLOW_ETH_DST,
		};
		if (!openflow_add_entry(s, &entry, &term))
			fail("no memory");
	}
	if (!openflow_sort_entries(s))
		fail("no memory");
}

/* Reads the configuration again, with other entries in one table, and puts its tables in place, as a reload does. */
static void reload(const struct options *options, uint32_t number, uint32_t bulk, struct openflow_settings **current)
{
	struct config *config = config_load(options->config);

	for (uint32_t i = 0; config != NULL && i < options->set_count; i++)
		config_override(config, options->sets[i]);
	struct openflow_settings *settings = config == NULL ? NULL : openflow_configure(config);
	if (settings == NULL || config_mistakes(config) != 0)
		fail("the configuration cannot be read again");
	config_free(config);
	add_entries(settings, number, bulk);
	void *old = atomic_exchange(&bench.rcu[OPENFLOW_SPECIALISED].tables, make_tables(settings, OPENFLOW_SPECIALISED));
	(void)rte_rcu_qsbr_check(mods.readers, rte_rcu_qsbr_start(mods.readers), true);
	openflow_tables_destroy(old);
	if (*current != NULL)
		openflow_release(*current);
	*current = settings;
}

static double us(uint64_t cycles)
{
	return (double)cycles * 1e6 / (double)rte_get_tsc_hz();
}

/* An entry comes, changes and goes; 65536 others after it. */
static void mod(const char *form, uint32_t number)
{
	static const char *const kinds[] = {"add", "modify", "delete"};
	char line[160], match[80], why[OPENFLOW_WHY_BYTES];
	uint32_t kind = number % RTE_DIM(kinds), entry = number / RTE_DIM(kinds);

	snprintf(match, sizeof(match), form, entry >> 8 & 255, entry & 255);
	snprintf(line, sizeof(line), "%s flow %s%s", kinds[kind], match,
		 kind == OPENFLOW_DELETE ? "" : kind == OPENFLOW_ADD ? " write:group=7" : " write:group=8");
	if (!openflow_control_line(rcu_tables_get(&bench.rcu[CHANGEABLE]), line, mods.readers, why))
		fail(why);
}

/* By flow-mods; a form of entries, or NULL: no change. */
static const struct {
	const char *name, *form;
} one_by_one[] = {
	{"none", NULL},
	{"prefix_24", "3 24 eth_type=0x0800,ipv4_dst=10.%u.%u.0/24"},
	{"prefix_28", "3 28 eth_type=0x0800,ipv4_dst=10.%u.%u.16/28"},
	{"prefix_16", "3 16 eth_type=0x0800,ipv4_dst=%u.%u.0.0/16"},
	{"address", "1 100 eth_dst=02:00:00:01:%02x:%02x"},
	{"list", "4 100 eth_dst=02:00:00:01:%02x:%02x"}, /* it has a mask as well */
};

static void begin_run(void)
{
	atomic_store(&mods.packets, 0);
	atomic_store(&mods.longest, 0);
	atomic_store(&mods.longest_ns, 0);
}

static void change_one_by_one(const char *name, const char *form)
{
	uint64_t slowest = 0, slowest_ns = 0, spent_ns = cpu_ns();
	uint32_t n = 0;

	begin_run();
	uint64_t begin = rte_rdtsc(), end = begin + MODS_SECONDS * rte_get_tsc_hz();
	while (form == NULL && rte_rdtsc() < end)
		rte_delay_us_sleep(1000);
	while (rte_rdtsc() < end || n % 3 != 0) {
		uint64_t one = rte_rdtsc(), one_ns = cpu_ns();
		mod(form, n++);
		slowest_ns = RTE_MAX(slowest_ns, cpu_ns() - one_ns);
		slowest = RTE_MAX(slowest, rte_rdtsc() - one);
	}
	double seconds = us(rte_rdtsc() - begin) / 1e6;
	printf(",{\"entry\":\"%s\",\"mods\":%u,\"mods_per_second\":%.1f,\"mod_cpu_us\":%.2f,\"slowest_mod_us\":%.1f,"
	       "\"slowest_mod_cpu_us\":%.1f,\"longest_batch_us\":%.1f,\"longest_batch_cpu_us\":%.1f,"
	       "\"packets_per_second\":%.0f}",
	       name, n, n / seconds, n == 0 ? 0 : (double)(cpu_ns() - spent_ns) / 1e3 / n, us(slowest), (double)slowest_ns / 1e3,
	       us(atomic_load(&mods.longest)), (double)atomic_load(&mods.longest_ns) / 1e3,
	       (double)atomic_load(&mods.packets) / seconds);
}

/* For a while: what the other lcore did meanwhile. bulk 0: without changes. */
static void change(const struct options *options, uint32_t bulk, struct openflow_settings **current)
{
	uint64_t slowest = 0;
	uint32_t n = 0;

	begin_run();
	uint64_t begin = rte_rdtsc(), end = begin + MODS_SECONDS * rte_get_tsc_hz();
	while (bulk == 0 && rte_rdtsc() < end)
		rte_delay_us_sleep(1000);
	while (rte_rdtsc() < end) {
		uint64_t one = rte_rdtsc();
		reload(options, n++, bulk, current);
		slowest = RTE_MAX(slowest, rte_rdtsc() - one);
	}
	double seconds = us(rte_rdtsc() - begin) / 1e6;
	printf("{\"bulk\":%u,\"reloads\":%u,\"mods_per_second\":%.1f,\"slowest_reload_us\":%.1f,\"longest_batch_us\":%.1f,"
	       "\"longest_batch_cpu_us\":%.1f,\"packets_per_second\":%.0f}",
	       bulk, n, n * bulk / seconds, us(slowest), us(atomic_load(&mods.longest)),
	       (double)atomic_load(&mods.longest_ns) / 1e3,
	       (double)atomic_load(&mods.packets) / seconds);
}

static void measure_changes(const struct options *options)
{
	static const uint32_t bulks[] = {0, 1, MODS_BULK};
	struct openflow_settings *current = NULL;
	uint32_t lcore = rte_get_next_lcore(rte_lcore_id(), 1, 1);

	if (lcore >= RTE_MAX_LCORE)
		fail("mods: needs two lcores");
	atomic_store(&mods.mode, OPENFLOW_SPECIALISED);
	mods.readers = rte_zmalloc("readers", rte_rcu_qsbr_get_memsize(1), RTE_CACHE_LINE_SIZE);
	if (mods.readers == NULL || rte_rcu_qsbr_init(mods.readers, 1) != 0 || rte_eal_remote_launch(forward, NULL, lcore) != 0)
		fail("the other lcore does not start");
	rte_delay_us_sleep(MODS_SECONDS * 500000);
	printf("{\"entries\":%u,\"runs\":[", rules()->entry_count);
	for (uint32_t i = 0; i < RTE_DIM(bulks); i++) {
		printf("%s", i == 0 ? "" : ",");
		change(options, bulks[i], &current);
	}
	atomic_store(&mods.mode, CHANGEABLE);
	for (uint32_t i = 0; i < RTE_DIM(one_by_one); i++)
		change_one_by_one(one_by_one[i].name, one_by_one[i].form);
	printf("]}\n");
	atomic_store(&mods.stop, true);
	(void)rte_eal_wait_lcore(lcore);
	openflow_tables_destroy(atomic_exchange(&bench.rcu[OPENFLOW_SPECIALISED].tables, NULL));
	openflow_release(current);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct options options = {0};

	if (argc < 2)
		fail("usage: openflow_bench FLOWS|mods [EAL options] -- --config FILE [--set ...]");
	argv[1] = argv[0];
	int used = rte_eal_init(argc - 1, argv + 1);
	if (used < 0)
		fail("EAL does not start");
	if (!options_parse(&options, argc - 1 - used, argv + 1 + used) ||
	    !settings_read(&bench.settings, &bench.chain, &options))
		return 2;
	open_rings();
	open_modes();
	make_flows(strcmp(what, "mods") == 0 ? 4096 : (uint32_t)strtoul(what, NULL, 10));
	if (strcmp(what, "mods") == 0) {
		measure_changes(&options);
	} else {
		if (rules()->entry_count <= SWX_ENTRIES)
			open_swx();
		else
			sides_used--;
		compare();
	}
	return 0;
}
