/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "check.h"
#include "dpi/dpi_note.h"
#include "dpi/dpi_usage.h"
#include "stage_fixture.h"

static struct fixture dpi;

static const char rules[] = "# rules\n"
			    "get pass ^GET /\n"
			    "video mark Host: [a-z.]*video\n"
			    "blocked drop Host: blocked\\.example\n"
			    "binary drop \\x13BitTorrent\n";

static void open_dpi(void)
{
	char text[256];
	snprintf(text, sizeof(text), "[dpi]\npatterns = %s\nmark_dscp = 8\n", fixture_file(rules));
	fixture_open(&dpi, &dpi_stage, text);
}

static struct frame carrying(uint8_t protocol, const char *payload)
{
	return make_frame(protocol, IP(10, 0, 0, 1), 4000, IP(192, 0, 2, 1), 80, payload, (uint32_t)strlen(payload));
}

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&dpi, frame, 0), outcome) == 0)

static void each_outcome(void)
{
	static const struct {
		uint8_t protocol;
		const char *payload, *outcome;
	} cases[] = {
		{6, "GET / HTTP/1.1", "matched"},
		{17, "GET / HTTP/1.1", "matched"},
		{6, " GET / HTTP/1.1", "no_match"}, /* ^ is the payload's beginning */
		{6, "Host: my.video", "marked"},
		{6, "GET /\r\nHost: my.video", "marked"},
		{6, "GET /\r\nHost: blocked.example", "dropped"},
		{6, "Host: blocked.example Host: video", "dropped"},
		{6, "\x13" "BitTorrent protocol", "dropped"},
		{6, "", "no_payload"},
		{17, "", "no_payload"},
		{1, "GET / HTTP/1.1", "not_inspected"},
	};

	open_dpi();
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = carrying(cases[i].protocol, cases[i].payload);
		fprintf(stderr, "  %s\n", cases[i].outcome);
		RUNS(&f, cases[i].outcome);
	}
	struct frame f = carrying(6, "GET /");
	put16(f.data + AT_TYPE, 0x8100);
	RUNS(&f, "not_inspected");
	fixture_close(&dpi);
}

static void mark_writes_dscp_and_mends_the_checksum(void)
{
	open_dpi();
	struct frame f = carrying(17, "Host: video");
	f.data[AT_TOS] = 0xb9; /* EF, ECT(1) */
	fix_checksums(&f);
	RUNS(&f, "marked");
	CHECK_EQUAL(f.data[AT_TOS], 8 << 2 | 1);
	CHECK(checksums_right(f.data, f.bytes));
	fixture_close(&dpi);
}

/* Padding after the IP packet and bytes past UDP's length are not payload. */
static void only_the_payload_is_searched(void)
{
	open_dpi();
	struct frame f = carrying(17, "GETHost: blocked.example");
	put16(f.data + AT_L4 + 4, 8 + 3);
	fix_checksums(&f);
	RUNS(&f, "no_match");
	f = carrying(6, "");
	memcpy(f.data + f.bytes, "GET / HTTP/1.1", 14);
	f.bytes += 14;
	RUNS(&f, "no_payload");
	fixture_close(&dpi);
}

static const char *report(const struct dpi_table *t)
{
	static char text[1024];
	struct rcu_tables rcu;

	atomic_init(&rcu.tables, (void *)(uintptr_t)t);
	memset(text, 0, sizeof(text));
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	dpi_stage.hooks.report(&rcu, NULL, 0, out);
	fclose(out);
	return text;
}

#define REPORTS(expected) CHECK(strcmp(report(rcu_tables_get(&dpi.rcu)), ",\"dpi_rules\":{" expected "}") == 0)
#define COUNTED(id, packets, bytes, charged_packets, charged_bytes)                                                    \
	"\"" id "\":{\"packets\":" packets ",\"bytes\":" bytes ",\"charged_packets\":" charged_packets                 \
	",\"charged_bytes\":" charged_bytes "}"

/* 40 bytes of headers; the first rule of the file is charged, whatever its action. */
static void every_matching_rule_is_counted_once_a_packet(void)
{
	open_dpi();
	struct frame f = carrying(6, "GET /\r\nHost: video video video\r\nHost: blocked.example");
	CHECK_EQUAL(f.bytes - AT_IP, 93);
	RUNS(&f, "dropped");
	f = carrying(6, "Host: video");
	RUNS(&f, "marked");
	REPORTS(COUNTED("get", "1", "93", "1", "93") "," COUNTED("video", "2", "144", "1", "51") ","
		COUNTED("blocked", "1", "93", "0", "0"));
	dpi_stage.hooks.reset(&dpi.rcu, &dpi.state, 1);
	REPORTS("");
	fixture_close(&dpi);
}

static void open_with(const char *l4_rules, const char *patterns, const char *keys)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "[dpi]\nmark_dscp = 46\nrules = %s\n", fixture_file(l4_rules));

	if (patterns != NULL)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "patterns = %s\n", fixture_file(patterns));
	snprintf(text + n, sizeof(text) - (size_t)n, "%s\n", keys);
	fixture_open(&dpi, &dpi_stage, text);
}

static struct frame between(uint8_t protocol, uint32_t to, uint16_t port, const char *payload)
{
	return make_frame(protocol, IP(10, 0, 0, 1), 4000, to, port, payload, (uint32_t)strlen(payload));
}

static const char l4_rules[] = "# id action protocol source ports destination ports [pattern]\n"
			       "dns pass udp any any 192.0.2.0/24 53\n"
			       "web_dropped drop tcp 10.0.0.0/8 1024-65535 any 80-88 BAD\n"
			       "half mark any any any 192.0.2.128/25 any\n"
			       "shadowed drop tcp any any 192.0.2.128/25 any\n"
			       "rest pass any any any 192.0.2.0/24 any\n"
			       "six drop udp 2001:db8::/33 any 2001:db8:0:0:8000::/65 443\n";

/* The first matching L3/L4 rule decides and later ones are ignored; all patterns are matched. */
static void rules_on_addresses_and_ports(void)
{
	static const struct {
		uint8_t protocol;
		uint32_t to;
		uint16_t port;
		const char *payload, *outcome;
	} cases[] = {
		{17, IP(192, 0, 2, 1), 53, "", "matched"},   {17, IP(192, 0, 2, 1), 54, "", "matched"},
		{6, IP(192, 0, 2, 1), 53, "", "matched"},    {6, IP(192, 0, 2, 129), 53, "", "marked"},
		{17, IP(192, 0, 2, 129), 53, "", "matched"}, {17, IP(192, 0, 2, 129), 9, "", "marked"},
		{6, IP(192, 0, 3, 1), 80, "BAD", "dropped"},
		{6, IP(192, 0, 3, 1), 88, "xBAD", "dropped"}, {6, IP(192, 0, 3, 1), 89, "BAD", "no_match"},
		{17, IP(192, 0, 3, 1), 80, "BAD", "no_match"}, {6, IP(192, 0, 3, 1), 80, "", "no_payload"},
		{6, IP(192, 0, 2, 129), 80, "BAD", "dropped"},
	};

	open_with(l4_rules, NULL, "");
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = between(cases[i].protocol, cases[i].to, cases[i].port, cases[i].payload);
		fprintf(stderr, "  %u\n", i);
		RUNS(&f, cases[i].outcome);
	}
	struct dpi_count count;
	CHECK(dpi_table_count_of(rcu_tables_get(&dpi.rcu), "half", &count));
	CHECK_EQUAL(count.packets, 3);
	CHECK_EQUAL(count.charged_packets, 2); /* for one packet, web_dropped comes first */
	CHECK(dpi_table_count_of(rcu_tables_get(&dpi.rcu), "shadowed", &count));
	CHECK_EQUAL(count.packets, 0);
	CHECK(!dpi_table_count_of(rcu_tables_get(&dpi.rcu), "unheard", &count));
	fixture_close(&dpi);
}

static struct frame six(uint8_t destination_byte, uint16_t port, const char *payload)
{
	uint16_t bytes = (uint16_t)(8 + strlen(payload));
	struct frame f = {.bytes = AT_IP + 40u + bytes};
	uint8_t *ip = f.data + AT_IP;

	put16(f.data + AT_TYPE, 0x86dd);
	put32(ip, 0x6d51abcd); /* traffic class 0xd5: ECT(1); flow label 0x1abcd */
	put16(ip + 4, bytes);
	ip[6] = 17;
	ip[7] = 64;
	put32(ip + 8, 0x20010db8);
	put32(ip + 24, 0x20010db8);
	ip[24 + 8] = destination_byte;
	put16(ip + 40 + 2, port);
	put16(ip + 40 + 4, bytes);
	memcpy(ip + 48, payload, strlen(payload));
	return f;
}

static void version_6(void)
{
	open_with(l4_rules, "blocked drop blocked\n" "known mark known\n", "");
	struct frame f = six(0x80, 443, "known");
	RUNS(&f, "dropped");
	f = six(0x40, 443, "x");
	RUNS(&f, "no_match");
	f = six(0x80, 444, "a known blocked thing");
	RUNS(&f, "dropped");
	f = six(0, 1, "known");
	RUNS(&f, "marked");
	CHECK_EQUAL(get32(f.data + AT_IP), 0x6b91abcd); /* DSCP 46, ECN and flow label as they were */
	struct dpi_count count;
	CHECK(dpi_table_count_of(rcu_tables_get(&dpi.rcu), "known", &count));
	CHECK_EQUAL(count.packets, 3);
	CHECK_EQUAL(count.bytes, 53 + 69 + 53);
	fixture_close(&dpi);
}

/* Packets of one flow, in batches of one and in one batch, give the same result. */
static void a_flow_is_decided_by_its_first_packets(void)
{
	static const char *const payloads[] = {"plain", "", "known", "", "blocked", "plain"};
	static const char *const outcomes[] = {"no_match", "no_payload", "marked", "marked", "marked", "marked"};
	struct flow_path path;

	open_with("never pass tcp any 1 any 1\n", "blocked drop blocked\nknown mark known\n",
		  "inspect_packets = 2\n[chain]\nflow_cache = on");
	dpi.batch.flow_cached = true;
	memset(&path, 0, sizeof(path));
	for (uint32_t i = 0; i < 6; i++) {
		struct frame f = carrying(6, payloads[i]);
		dpi.batch.paths[0] = &path;
		RUNS(&f, outcomes[i]);
	}
	struct dpi_count count;
	CHECK(dpi_table_count_of(rcu_tables_get(&dpi.rcu), "known", &count));
	CHECK_EQUAL(count.packets, 4);
	CHECK_EQUAL(count.charged_packets, 4);
	struct frame f = carrying(6, "blocked");
	f.data[AT_L4 + 13] = 0x02; /* SYN: a connection of the same ends begins */
	fix_checksums(&f);
	dpi.batch.paths[0] = &path;
	RUNS(&f, "dropped");
	f = carrying(6, "plain");
	dpi.batch.paths[0] = &path;
	RUNS(&f, "no_match");
	f = carrying(6, "plain");
	dpi.batch.paths[0] = &path;
	RUNS(&f, "dropped");

	struct frame all[4] = {carrying(6, "plain"), carrying(6, "plain"), carrying(6, "blocked"), carrying(6, "")};
	memset(&path, 0, sizeof(path));
	for (uint32_t i = 0; i < 4; i++)
		dpi.batch.paths[i] = &path;
	CHECK_EQUAL(fixture_run(&dpi, all, 4, 0), 4);
	CHECK_EQUAL(dpi.batch.outcomes[0], 2); /* no_match */
	CHECK_EQUAL(dpi.batch.outcomes[7], 2); /* by_flow */
	dpi.batch.flow_cached = false;
	fixture_close(&dpi);
}

static void a_note_holds_as_long_as_its_tables(void)
{
	struct dpi_note note = {DPI_INSPECT_MAX, DPI_RULES_MAX - 1, DPI_DROP};

	for (uint64_t generation = 0; generation < 40000000; generation += 999983) {
		struct dpi_note same = dpi_note_read(dpi_note_word(note, generation), generation);
		CHECK(same.inspected == note.inspected && same.rule == note.rule && same.action == note.action);
		CHECK_EQUAL(dpi_note_read(dpi_note_word(note, generation), generation + 1).inspected, 0);
		CHECK_EQUAL(dpi_note_read(0, generation).rule, DPI_NO_RULE);
		CHECK(dpi_note_word((struct dpi_note){0, 0, 0}, generation) != 0);
	}
}

static struct dpi_settings *settings_of(const char *patterns)
{
	char text[256];
	snprintf(text, sizeof(text), "[dpi]\npatterns = %s\n", fixture_file(patterns));
	struct config *config = fixture_config(text);
	struct dpi_settings *s = dpi_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	config_free(config);
	return s;
}

static struct dpi_table *counting(const struct dpi_settings *s, const struct dpi_table *old, uint64_t packets)
{
	struct dpi_table *t = dpi_stage.hooks.build(s, &(struct stage_place){.count = 2});

	CHECK(t != NULL);
	for (uint32_t i = 0; i < s->rule_count; i++)
		t->parts[i % 2].counts[i] = (struct dpi_count){packets, packets * 100, packets / 2, packets * 50};
	if (old != NULL)
		dpi_stage.hooks.inherit(t, old);
	return t;
}

static void counts_outlive_their_tables(void)
{
	struct dpi_settings *first = settings_of("b pass b\na pass a\nc pass c\n"),
			    *second = settings_of("d pass d\nb pass b\n"), *third = settings_of("a drop a\ne pass e\n");
	struct dpi_table *one = counting(first, NULL, 2), *two = counting(second, one, 4),
			 *three = counting(third, two, 8);

	CHECK(strcmp(report(two), ",\"dpi_rules\":{" COUNTED("d", "4", "400", "2", "200") ","
				  COUNTED("b", "6", "600", "3", "300") "," COUNTED("a", "2", "200", "1", "100") ","
				  COUNTED("c", "2", "200", "1", "100") "}") == 0);
	CHECK(strcmp(report(three), ",\"dpi_rules\":{" COUNTED("a", "10", "1000", "5", "500") ","
				    COUNTED("e", "8", "800", "4", "400") "," COUNTED("b", "6", "600", "3", "300") ","
				    COUNTED("c", "2", "200", "1", "100") "," COUNTED("d", "4", "400", "2", "200") "}") == 0);
	struct dpi_count count;
	CHECK(dpi_table_count_of(three, "c", &count));
	CHECK_EQUAL(count.bytes, 200);
	dpi_stage.hooks.destroy(one);
	dpi_stage.hooks.destroy(two);
	dpi_stage.hooks.destroy(three);
	dpi_stage.hooks.release(first);
	dpi_stage.hooks.release(second);
	dpi_stage.hooks.release(third);
}

/* A packet for each generated rule matches it, and is charged to it or to an earlier one. */
static void generated_rules_match_what_they_are_made_for(void)
{
	open_with("none pass udp any 1 any 1\n", NULL,
		  "rules_generated = 3000\npatterns_generated = 500\ngenerated_seed = 3");
	const struct dpi_settings *s = dpi.settings;
	uint32_t ipv4 = 0, charged = 0;

	CHECK_EQUAL(s->rule_count, 3501);
	for (uint32_t i = 1; i <= 3000; i++) {
		const struct dpi_tuple *t = &s->rules[i].tuple;
		if (t->versions != DPI_IPV4)
			continue;
		uint8_t protocol = t->protocol == 0 ? 6 : t->protocol;
		struct frame f = between(protocol, get32(t->destination), t->destination_ports[1], "");
		RUNS(&f, "matched");
		ipv4++;
	}
	for (uint32_t i = 0; i < s->rule_count; i++) {
		struct dpi_count count = dpi_table_count(rcu_tables_get(&dpi.rcu), i);
		CHECK_EQUAL(count.packets, count.charged_packets);
		charged += (uint32_t)count.charged_packets;
	}
	CHECK(ipv4 > 2000);
	CHECK_EQUAL(charged, ipv4);
	fixture_close(&dpi);
}

static void compiled_patterns_are_kept(void)
{
	char folder[] = "/tmp/nalm-dpi-test-XXXXXX", path[512], keys[128];

	CHECK(mkdtemp(folder) != NULL);
	snprintf(keys, sizeof(keys), "cache = %s", folder);
	for (uint32_t round = 0; round < 3; round++) {
		open_with("none pass udp any 1 any 1\n", rules, keys);
		struct frame f = carrying(6, "Host: blocked.example");
		RUNS(&f, "dropped");
		snprintf(path, sizeof(path), "ls %s | grep -c '^dpi-[0-9a-f]*-4-[0-9a-f]*\\.hsdb$' | grep -qx 1",
			 folder);
		CHECK_EQUAL(system(path), 0);
		fixture_close(&dpi);
		if (round == 1) { /* a damaged file has no effect */
			snprintf(path, sizeof(path), "truncate -s 99 %s/*", folder);
			CHECK_EQUAL(system(path), 0);
		}
	}
	snprintf(path, sizeof(path), "rm -r %s", folder);
	CHECK_EQUAL(system(path), 0);
}

/* One run reports every mistake of both files. */
static void mistakes_are_counted(void)
{
	static const char l4[] = "good pass udp any any any any\n"
				 "good drop any any any any any\n"
				 "b pass sctp any any any any\n"
				 "c pass udp 10.0.0.1/8 any any any\n"
				 "d pass udp 10.0.0.0/8 any 2001:db8::/32 any\n"
				 "e pass udp any 9-8 any any\n"
				 "f pass udp any any any 65536\n"
				 "g pass udp any any any\n"
				 "h maybe udp any any any any\n"
				 "i pass udp any any any any (b\n"
				 "j pass udp 10.0.0.0/33 any any any\n"
				 "k pass udp any -5 any any\n";
	char text[512];

	snprintf(text, sizeof(text), "[dpi]\nrules = %s\npatterns = %s\ninspect_packets = 1\n", fixture_file(l4),
		 fixture_file("fine pass a\nbad pass (b\ngood pass c\nnone\n"));
	struct config *config = fixture_config(text);
	void *settings = dpi_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 11 + 3 + 1);
	dpi_stage.hooks.release(settings);
	config_free(config);
	config = fixture_config("[dpi]\nmark_dscp = 1\n");
	settings = dpi_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 1);
	dpi_stage.hooks.release(settings);
	config_free(config);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(each_outcome);
	RUN(mark_writes_dscp_and_mends_the_checksum);
	RUN(only_the_payload_is_searched);
	RUN(every_matching_rule_is_counted_once_a_packet);
	RUN(rules_on_addresses_and_ports);
	RUN(version_6);
	RUN(a_flow_is_decided_by_its_first_packets);
	RUN(a_note_holds_as_long_as_its_tables);
	RUN(counts_outlive_their_tables);
	RUN(generated_rules_match_what_they_are_made_for);
	RUN(compiled_patterns_are_kept);
	RUN(mistakes_are_counted);
	return 0;
}
