/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "openflow/openflow_counts.h"
#include "openflow/openflow_interpret.h"
#include "openflow/openflow_tables.h"
#include "stage_fixture.h"

static struct fixture openflow;
static const char *mode; /* every test runs in both */

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&openflow, frame, now), outcome) == 0)

static uint64_t now;

static void open_openflow(const char *rules, const char *keys)
{
	char text[512];
	snprintf(text, sizeof(text), "[openflow]\nrules = %s\nmode = %s\n%s\n", fixture_file(rules), mode, keys);
	fixture_open(&openflow, &openflow_stage, text);
}

static const struct openflow_tables *tables(void)
{
	return rcu_tables_get(&openflow.rcu);
}

static struct frame udp_to(uint32_t destination, uint16_t port)
{
	return make_frame(17, IP(10, 0, 0, 1), 1000, destination, port, "x", 1);
}

static struct frame udp_from(uint32_t source)
{
	return make_frame(17, source, 1000, IP(192, 0, 2, 1), 9, "x", 1);
}

static uint64_t sent_to(uint32_t port)
{
	uint64_t sum = 0;

	for (uint32_t queue = 0; queue < OPENFLOW_QUEUES; queue++)
		sum += tables()->rows[0].outputs[port][queue];
	return sum;
}

static void a_miss_is_no_drop(void)
{
	struct frame f = udp_to(IP(192, 0, 2, 1), 9);

	open_openflow("flow 0 1 eth_type=0x0806 write:output=1\nflow 2 0 any write:output=1\n", "");
	RUNS(&f, "missed");
	fixture_close(&openflow);
	open_openflow("flow 0 1 any goto=2\nflow 2 0 any drop\n", "");
	RUNS(&f, "dropped");
	CHECK_EQUAL(tables()->rows[0].lookups[0], 1);
	CHECK_EQUAL(tables()->rows[0].lookups[2], 1);
	CHECK_EQUAL(tables()->rows[0].misses[2], 0);
	fixture_close(&openflow);
}

static void what_no_table_sees(void)
{
	struct frame f = udp_to(IP(192, 0, 2, 1), 9);

	open_openflow("flow 0 1 any write:output=1\n", "");
	f.data[AT_IP + 10] ^= 1;
	RUNS(&f, "malformed");
	f = udp_to(IP(192, 0, 2, 1), 9);
	put16(f.data + AT_TYPE, 0x8100);
	RUNS(&f, "vlan");
	f.bytes = 13;
	RUNS(&f, "malformed");
	CHECK_EQUAL(tables()->rows[0].lookups[0], 0);
	fixture_close(&openflow);
}

static void tables_are_of_three_kinds(void)
{
	static const struct {
		const char *entry, *other;
		enum openflow_table_kind kind;
	} cases[] = {
		{"eth_dst=02:00:00:00:00:%02x", NULL, OPENFLOW_EXACT},
		{"eth_type=0x0800,ipv4_src=10.%u.0.0/16", NULL, OPENFLOW_EXACT},
		{"eth_type=0x0800,ipv4_dst=10.%u.0.0/16", NULL, OPENFLOW_PREFIXES},
		{"eth_type=0x0800,ipv4_dst=10.%u.0.0/16", "flow 0 4 eth_type=0x0800,ipv4_dst=10.0.0.0/8 drop\n",
		 OPENFLOW_PREFIXES},
		/* a shorter prefix that goes before the longer ones */
		{"eth_type=0x0800,ipv4_dst=10.%u.0.0/16", "flow 0 6 eth_type=0x0800,ipv4_dst=10.0.0.0/8 drop\n", OPENFLOW_LIST},
		{"eth_type=0x0800,ipv4_dst=10.%u.0.0/16", "flow 0 5 eth_type=0x0800,ipv4_dst=10.0.0.0/8 drop\n", OPENFLOW_LIST},
		{"eth_dst=02:00:00:00:00:%02x", "flow 0 4 eth_src=02:00:00:00:00:01 drop\n", OPENFLOW_LIST},
	};
	char rules[2048];

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t end = (size_t)snprintf(rules, sizeof(rules), "flow 0 0 any drop\n%s",
					      cases[i].other == NULL ? "" : cases[i].other);
		for (unsigned int n = 0; n < 9; n++) {
			char match[64];
			snprintf(match, sizeof(match), cases[i].entry, n);
			end += (size_t)snprintf(rules + end, sizeof(rules) - end, "flow 0 5 %s write:output=%u\n", match, n + 1);
		}
		open_openflow(rules, "");
		CHECK_EQUAL(tables()->tables[0]->kind, cases[i].kind);
		for (uint32_t n = 0; n < 10; n++) {
			struct frame f = udp_to(IP(10, n, 0, 1), 9);
			put32(f.data + AT_SOURCE, IP(10, n, 0, 1));
			fix_checksums(&f);
			put16(f.data, 0x0200);
			put32(f.data + 2, n);
			bool drops = i == 4 || i == 5 || n == 9;
			RUNS(&f, drops ? "dropped" : "output");
			CHECK_EQUAL(sent_to(n + 1), !drops);
		}
		fixture_close(&openflow);
	}
}

/* Of keys that differ in adjacent bits, there are some, and what is next to them is none. */
static void keys_next_to_each_other(void)
{
	static const struct {
		const char *key;
		uint32_t shift, base, others[3];
	} cases[] = {
		{"ipv4_src=10.%u.0.0/16", 16, IP(10, 0, 1, 1), {IP(10, 128, 1, 1), IP(11, 0, 1, 1), IP(138, 0, 1, 1)}},
		{"ipv4_src=10.0.%u.1", 8, IP(10, 0, 0, 1), {IP(10, 0, 0, 2), IP(10, 1, 0, 1), IP(138, 0, 0, 1)}},
		{"ipv4_src=10.0.%u.1/255.0.255.1", 8, IP(10, 7, 0, 1), {IP(10, 7, 0, 0), IP(10, 7, 16, 1), IP(11, 7, 0, 1)}},
		{"ipv4_src=0.0.0.%u/0.0.0.255", 0, IP(10, 7, 8, 0), {IP(10, 7, 8, 16), IP(10, 7, 8, 128), IP(10, 7, 8, 240)}},
	};
	char rules[2048], key[64];

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t end = (size_t)snprintf(rules, sizeof(rules), "flow 0 0 any drop\n");
		for (uint32_t n = 3; n <= 12; n++) {
			snprintf(key, sizeof(key), cases[i].key, n);
			end += (size_t)snprintf(rules + end, sizeof(rules) - end, "flow 0 5 eth_type=0x0800,%s %s%u\n", key,
						n % 3 == 0 ? "write:output=" : "write:queue=1,output=", n);
		}
		open_openflow(rules, "");
		CHECK_EQUAL(tables()->tables[0]->kind, OPENFLOW_EXACT);
		for (uint32_t n = 0; n < 16; n++) {
			struct frame f = udp_from(cases[i].base + (n << cases[i].shift));
			bool is_key = n >= 3 && n <= 12;
			RUNS(&f, is_key ? "output" : "dropped");
			CHECK_EQUAL(sent_to(n), is_key);
		}
		for (uint32_t n = 0; n < 3; n++) {
			struct frame f = udp_from(cases[i].others[n] + (5u << cases[i].shift));
			RUNS(&f, "dropped");
		}
		fixture_close(&openflow);
	}
}

/* Written by parts, and by entries that differ in nothing else; where no table reads it, it changes nothing. */
static void metadata_goes_from_table_to_table(void)
{
	char rules[4096];
	size_t end = (size_t)snprintf(rules, sizeof(rules), "flow 0 0 any goto=2\nflow 1 0 any metadata=0x5/0xf goto=2\n"
							    "flow 2 0 any drop\nflow 3 0 any write:output=20\n");

	for (uint32_t n = 0; n < 12; n++) {
		end += (size_t)snprintf(rules + end, sizeof(rules) - end,
					"flow 0 5 eth_type=0x0800,ipv4_src=10.0.%u.1 metadata=0x%x/0xff goto=%u\n", n, n << 4,
					n < 10 ? 1 : 3);
		end += (size_t)snprintf(rules + end, sizeof(rules) - end, "flow 2 5 metadata=0x%x write:output=%u\n", n << 4 | 5,
					n + 1);
	}
	open_openflow(rules, "");
	for (uint32_t n = 0; n < 13; n++) {
		struct frame f = udp_from(IP(10, 0, n, 1));
		RUNS(&f, n < 12 ? "output" : "dropped");
		CHECK_EQUAL(sent_to(n + 1), n < 10);
	}
	CHECK_EQUAL(sent_to(20), 2);
	fixture_close(&openflow);
}

static void meters_refill_with_time(void)
{
	struct frame f = udp_to(IP(192, 0, 2, 1), 9);

	open_openflow("meter 1 pps 1000 burst 2 drop\nflow 0 0 any meter=1 write:output=1\n", "");
	now = 5;
	RUNS(&f, "output");
	RUNS(&f, "output");
	RUNS(&f, "metered");
	now += 999999;
	RUNS(&f, "metered");
	now += 1;
	RUNS(&f, "output");
	RUNS(&f, "metered");
	now += UINT64_C(1) << 60;
	RUNS(&f, "output");
	RUNS(&f, "output");
	RUNS(&f, "metered");
	CHECK_EQUAL(tables()->rows[0].meters[0].within, 5);
	CHECK_EQUAL(tables()->rows[0].meters[0].beyond, 4);
	now = 0;
	fixture_close(&openflow);
}

/* The batches of two databases, each with its own time, reach an instance in turn. */
static void meters_limit_by_two_clocks(void)
{
	struct frame f = udp_to(IP(192, 0, 2, 1), 9);

	open_openflow("meter 1 pps 1000 burst 2 drop\nflow 0 0 any meter=1 write:output=1\n", "");
	for (uint32_t i = 0; i < 1000; i++) { /* half a millisecond in all, on either clock */
		now = 1000 + i * 500;
		(void)fixture_run_one(&openflow, &f, now);
		(void)fixture_run_one(&openflow, &f, now - 500);
	}
	CHECK_EQUAL(tables()->rows[0].meters[0].within, 2);
	now = 2001000; /* two milliseconds after the first packet: a packet for each, and none twice */
	RUNS(&f, "output");
	now -= 500;
	RUNS(&f, "output");
	RUNS(&f, "metered");
	CHECK_EQUAL(tables()->rows[0].meters[0].within, 4);
	now = 0;
	fixture_close(&openflow);
}

static void counts_are_inherited(void)
{
	struct frame f = udp_to(IP(192, 0, 2, 1), 9);

	open_openflow("group 5 indirect output=1\ngroup 6 indirect output=2\nflow 0 0 any write:group=6\n", "");
	RUNS(&f, "output");
	struct openflow_tables *old = rcu_tables_get(&openflow.rcu);
	struct openflow_tables *again = openflow_tables_create(openflow.settings, &(struct stage_place){.count = 2});
	CHECK(again != NULL);
	openflow_inherit(again, old);
	CHECK_EQUAL(again->inherited.lookups[0], 1);
	CHECK_EQUAL(again->inherited.groups[1], 1);
	CHECK_EQUAL(again->inherited.outputs[2][0], 1);
	openflow_tables_destroy(again);
	fixture_close(&openflow);
}

/* Whether memory that can be executed can be written to as well. */
static void code_is_never_writable(void)
{
	char line[256], rights[8];
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps != NULL);
	open_openflow("flow 0 0 any write:output=1\n", "");
	while (fgets(line, sizeof(line), maps) != NULL) {
		CHECK_EQUAL(sscanf(line, "%*s %7s", rights), 1);
		CHECK(rights[1] != 'w' || rights[2] != 'x');
	}
	fclose(maps);
	fixture_close(&openflow);
}

static void a_full_routing_table(void)
{
	open_openflow("flow 0 0 eth_type=0x0800 write:group=1\n",
		      "next_hops_generated = 194\nprefixes_generated = 410454\nprefixes_table = 0");
	const struct openflow_table *t = tables()->tables[0];
	CHECK_EQUAL(t->kind, OPENFLOW_PREFIXES);
	CHECK_EQUAL(t->entry_count, 410455);
	CHECK_EQUAL(t->number_count, 194);
	uint32_t lengths[33] = {0};
	for (uint32_t i = 0; i + 1 < t->entry_count; i++) {
		const struct openflow_term *prefix = &tables()->settings->terms[t->entries[i].first_term + 1];
		lengths[t->entries[i].priority]++;
		if (i % 997 == 0) { /* the longest that fits is this one, or lies in it */
			struct openflow_key key = {.fields = {[OPENFLOW_ETH_TYPE] = 0x0800, [OPENFLOW_IPV4_DST] = prefix->value}};
			CHECK(openflow_table_find(tables(), 0, &key) != OPENFLOW_NONE);
		}
	}
	CHECK(lengths[24] > t->entry_count / 2);
	CHECK(lengths[12] + lengths[14] + lengths[28] < t->entry_count / 50);
	fixture_close(&openflow);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {
		"nonsense\n",
		"flow 0 1 any\n",
		"flow 16 1 any drop\n",
		"flow 0 65536 any drop\n",
		"flow 0 1 any drop goto=1\n",
		"flow 3 1 any goto=3\n",
		"flow 0 1 any goto=16\n",
		"flow 0 1 any write:group=1\n",
		"flow 0 1 any meter=1\n",
		"flow 0 1 any apply:output=1\n",
		"flow 0 1 any write:output=0\n",
		"flow 0 1 any write:output=65\n",
		"flow 0 1 any write:output=1,output=2\n",
		"flow 0 1 any write:output\n",
		"flow 0 1 any write:dec_ttl=1\n",
		"flow 0 1 any write:\n",
		"flow 0 1 any write:output=1 write:output=1\n",
		"flow 0 1 any metadata=1/0\n",
		"flow 0 1 ipv4_dst=10.0.0.0/8 drop\n",
		"flow 0 1 eth_type=0x86dd,ipv4_dst=10.0.0.0/8 drop\n",
		"flow 0 1 eth_type=0x0800,ipv4_dst=10.0.0.1/8 drop\n",
		"flow 0 1 eth_type=0x0800,ipv4_dst=10.0.0.0/33 drop\n",
		"flow 0 1 eth_type=0x0800,tcp_dst=80 drop\n",
		"flow 0 1 eth_type=0x0800,ip_proto=17,tcp_dst=80 drop\n",
		"flow 0 1 eth_type=0x0800,eth_type=0x0800 drop\n",
		"flow 0 1 eth_type=0x10000 drop\n",
		"flow 0 1 eth_dst=02:00:00:00:00:01/ff:ff:ff:ff:ff:00 drop\n",
		"flow 0 1 in_port=0 drop\n",
		"flow 0 1 colour=red drop\n",
		"group 1 select output=1\n",
		"group 1 indirect output=1 output=2\n",
		"group 1 indirect output=1\ngroup 1 indirect output=2\n",
		"group 1 indirect output=1\ngroup 2 indirect group=1\n",
		"group 65536 indirect output=1\n",
		"meter 1 pps 0 burst 1 drop\n",
		"meter 1 pps 1 burst 1 remark 3\n",
		"meter 1 pps 1 burst 1\n",
		"meter 1 mbit 1 burst 1 drop\n",
		"meter 1 pps 1 burst 1 drop\nmeter 1 pps 1 burst 1 drop\n",
	};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[openflow]\nrules = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		openflow_stage.hooks.release(openflow_stage.hooks.configure(config));
		CHECK_EQUAL(config_mistakes(config), 1);
		config_free(config);
	}
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"interpreted", "specialised"};

	(void)argc;
	fixture_eal(argv[0]);
	for (uint32_t i = 0; i < 2; i++) {
		mode = modes[i];
		RUN(a_miss_is_no_drop);
		RUN(what_no_table_sees);
		RUN(tables_are_of_three_kinds);
		RUN(keys_next_to_each_other);
		RUN(metadata_goes_from_table_to_table);
		RUN(meters_refill_with_time);
		RUN(meters_limit_by_two_clocks);
		RUN(counts_are_inherited);
		RUN(code_is_never_writable);
		RUN(a_full_routing_table);
	}
	RUN(mistakes_are_counted);
	return 0;
}
