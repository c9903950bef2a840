/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "acl/acl_counts.h"
#include "check.h"
#include "packet/flow_id.h"
#include "stage_fixture.h"

static struct fixture acl;

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&acl, frame, 0), outcome) == 0)
#define CLIENT IP(10, 0, 0, 1)
#define SERVER IP(192, 0, 2, 1)

static void open_acl(const char *rules, const char *keys)
{
	char text[512];
	snprintf(text, sizeof(text), "[acl]\nrules = %s\n%s\n", fixture_file(rules), keys);
	fixture_open(&acl, &acl_stage, text);
}

static struct frame tcp(uint32_t source, uint16_t source_port, uint32_t destination, uint16_t destination_port)
{
	return make_frame(6, source, source_port, destination, destination_port, "x", 1);
}

/* A UDP packet from 2001:db8::1, port 1000, with `extensions` destination options before UDP. */
static struct frame udp6(const char *destination, uint16_t port, uint32_t extensions)
{
	struct frame f = {.bytes = AT_IP + 40 + extensions * 8 + 8};
	uint8_t *at = f.data + AT_IP + 40;

	put16(f.data + AT_TYPE, 0x86dd);
	f.data[AT_IP] = 0x60;
	put16(f.data + AT_IP + 4, (uint16_t)(f.bytes - AT_IP - 40));
	f.data[AT_IP + 6] = extensions == 0 ? 17 : 60;
	CHECK(inet_pton(AF_INET6, "2001:db8::1", f.data + AT_IP + 8) == 1);
	CHECK(inet_pton(AF_INET6, destination, f.data + AT_IP + 24) == 1);
	for (uint32_t i = 0; i < extensions; i++, at += 8)
		at[0] = i + 1 == extensions ? 17 : 60;
	put16(at, 1000);
	put16(at + 2, port);
	put16(at + 4, 8);
	return f;
}

static void check_tcp(uint32_t source, uint16_t source_port, uint32_t destination, uint16_t port, const char *outcome)
{
	struct frame f = tcp(source, source_port, destination, port), was = f;

	RUNS(&f, outcome);
	CHECK(memcmp(&f, &was, sizeof(f)) == 0);
}

static void each_field_decides(void)
{
	open_acl("permit 1 tcp 10.0.0.0/24 1000-2000 192.0.2.0/28 80\n", "");
	check_tcp(CLIENT, 1000, SERVER, 80, "permitted");
	check_tcp(CLIENT, 2000, SERVER, 80, "permitted");
	check_tcp(CLIENT, 999, SERVER, 80, "default_denied");
	check_tcp(CLIENT, 2001, SERVER, 80, "default_denied");
	check_tcp(CLIENT, 1000, SERVER, 81, "default_denied");
	check_tcp(CLIENT, 1000, IP(192, 0, 2, 15), 80, "permitted");
	check_tcp(CLIENT, 1000, IP(192, 0, 2, 16), 80, "default_denied");
	check_tcp(IP(10, 0, 1, 1), 1000, SERVER, 80, "default_denied");
	struct frame f = make_frame(17, CLIENT, 1000, SERVER, 80, "x", 1);
	RUNS(&f, "default_denied");
	fixture_close(&acl);
}

/* The order in the file does not matter. */
static void highest_priority_decides(void)
{
	open_acl("deny 20 any 10.0.0.0/8 any any any\npermit 30 tcp any any any 80\ndeny 40 tcp 10.0.0.1/32 any any any\n"
		 "permit 10 any any any any any\n", "default = permit");
	check_tcp(CLIENT, 1, SERVER, 80, "denied");
	check_tcp(IP(10, 0, 0, 2), 1, SERVER, 80, "permitted");
	check_tcp(IP(10, 0, 0, 2), 1, SERVER, 81, "denied");
	check_tcp(IP(11, 0, 0, 2), 1, SERVER, 81, "permitted");
	fixture_close(&acl);
}

static void default_action(void)
{
	open_acl("deny 1 tcp any any any 80\n", "default = permit");
	check_tcp(CLIENT, 1, SERVER, 80, "denied");
	check_tcp(CLIENT, 1, SERVER, 81, "default_permitted");
	fixture_close(&acl);
	open_acl("# no rule at all\n", "");
	check_tcp(CLIENT, 1, SERVER, 81, "default_denied");
	struct frame f = udp6("2001:db8::2", 53, 0);
	RUNS(&f, "default_denied");
	fixture_close(&acl);
}

static void protocols_without_ports(void)
{
	open_acl("permit 2 icmp 10.0.0.0/8 any any any\ndeny 3 tcp any any any any\npermit 1 47 any any any any\n", "");
	struct frame f = make_frame(1, CLIENT, 7, SERVER, 0, "x", 1);
	RUNS(&f, "permitted");
	f = make_frame(1, SERVER, 7, CLIENT, 0, "x", 1);
	RUNS(&f, "default_denied");
	f = tcp(CLIENT, 1, SERVER, 80);
	f.data[AT_IP + 9] = 47;
	put16(f.data + AT_IP + 10, 0);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < 20; i += 2)
		sum += get16(f.data + AT_IP + i);
	put16(f.data + AT_IP + 10, (uint16_t)~((sum & 0xffff) + (sum >> 16)));
	RUNS(&f, "permitted");
	fixture_close(&acl);
}

static void ipv6_and_rules_of_both(void)
{
	open_acl("permit 5 udp 2001:db8::/64 any 2001:db8:0:1::/64 53\ndeny 4 udp any any any 53\npermit 3 any any any any any\n", "");
	for (uint32_t extensions = 0; extensions < 4; extensions++) {
		struct frame f = udp6("2001:db8:0:1:ffff::", 53, extensions);
		RUNS(&f, "permitted");
		f = udp6("2001:db8:0:2::", 53, extensions);
		RUNS(&f, "denied");
		f = udp6("2001:db8:0:2::", 54, extensions);
		RUNS(&f, "permitted");
	}
	struct frame f = make_frame(17, CLIENT, 1000, SERVER, 53, "x", 1);
	RUNS(&f, "denied");
	f = make_frame(17, CLIENT, 1000, SERVER, 54, "x", 1);
	RUNS(&f, "permitted");
	fixture_close(&acl);
}

/* Ports come after the options. */
static void ipv4_options(void)
{
	open_acl("permit 1 udp any 4000 any 53\n", "");
	struct frame f = make_frame(17, CLIENT, 4000, SERVER, 53, "padding that makes room", 23);
	memmove(f.data + AT_L4 + 4, f.data + AT_L4, f.bytes - AT_L4);
	memset(f.data + AT_L4, 1, 4); /* no operation */
	f.bytes += 4;
	f.data[AT_IP] = 0x46;
	put16(f.data + AT_IP + 2, (uint16_t)(f.bytes - AT_IP));
	fix_checksums(&f);
	RUNS(&f, "permitted");
	put16(f.data + AT_L4 + 6, 54);
	fix_checksums(&f);
	RUNS(&f, "default_denied");
	fixture_close(&acl);
}

static void what_no_rule_can_judge(void)
{
	static const struct {
		uint16_t type;
		const char *outcome;
	} types[] = {{0x8100, "vlan"}, {0x88a8, "vlan"}, {0x86dd, "malformed"}, {0x0806, "not_ip"}};

	open_acl("permit 1 any any any any any\n", "default = permit");
	for (uint32_t i = 0; i < 4; i++) {
		struct frame f = tcp(CLIENT, 1, SERVER, 80);
		put16(f.data + AT_TYPE, types[i].type);
		RUNS(&f, types[i].outcome);
	}
	struct frame f = tcp(CLIENT, 1, SERVER, 80);
	put16(f.data + AT_FRAGMENT, 0x2000);
	fix_checksums(&f);
	RUNS(&f, "fragment");
	f = tcp(CLIENT, 1, SERVER, 80);
	f.data[AT_L4 + 12] = 0x10; /* a TCP header of 4 bytes */
	RUNS(&f, "malformed");
	fixture_close(&acl);
}

static const char *report(void)
{
	static char text[512];
	FILE *out = fmemopen(text, sizeof(text), "w");

	acl_report(&acl.rcu, &acl.state, 1, out);
	fclose(out);
	return text;
}

static void replace_tables(const char *rules)
{
	char text[512];

	snprintf(text, sizeof(text), "[acl]\nrules = %s\n", fixture_file(rules));
	struct config *config = fixture_config(text);
	void *old = rcu_tables_get(&acl.rcu), *settings = acl_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	void *tables = acl_stage.hooks.build(settings, &(struct stage_place){.count = 1});
	CHECK(tables != NULL);
	atomic_store(&acl.rcu.tables, tables);
	acl_stage.hooks.inherit(tables, old);
	acl_stage.hooks.destroy(old);
	acl_stage.hooks.release(acl.settings);
	acl.settings = settings;
	config_free(config);
}

static void counts_outlive_a_reload(void)
{
	open_acl("permit 7 tcp any any any 80\npermit 9 tcp any any any 443\ndeny 8 tcp any any any 23\n", "");
	check_tcp(CLIENT, 1, SERVER, 80, "permitted");
	check_tcp(CLIENT, 1, SERVER, 443, "permitted");
	check_tcp(CLIENT, 2, SERVER, 443, "permitted");
	check_tcp(CLIENT, 1, SERVER, 22, "default_denied");
	CHECK(strcmp(report(), ",\"acl_rules\":{\"default\":1,\"7\":1,\"9\":2}") == 0);
	replace_tables("deny 9 tcp any any any 443\npermit 1 tcp any any any 22\n");
	check_tcp(CLIENT, 1, SERVER, 443, "denied");
	check_tcp(CLIENT, 1, SERVER, 22, "permitted");
	check_tcp(CLIENT, 1, SERVER, 80, "default_denied");
	CHECK(strcmp(report(), ",\"acl_rules\":{\"default\":2,\"1\":1,\"9\":3}") == 0);
	acl_stage.hooks.reset(&acl.rcu, &acl.state, 1);
	CHECK(strcmp(report(), ",\"acl_rules\":{\"default\":0}") == 0);
	fixture_close(&acl);
}

static uint32_t next_random(void)
{
	static uint64_t state = 99;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* Packets one by one get the same outcomes as in a bulk; both have every outcome. */
static void prefetch_changes_nothing(void)
{
	struct frame bulk[BATCH_MAX], single[BATCH_MAX];
	uint32_t outcomes[NALM_PROBE_MAX_OUTCOMES];

	open_acl("permit 3 tcp 128.0.0.0/1 any any any\ndeny 2 tcp any any any 0-32767\npermit 1 udp any any 2001:db8::/33 any\n", "");
	for (uint32_t i = 0; i < BATCH_MAX; i++) {
		bulk[i] = i % 3 == 0 ? udp6(i % 2 == 0 ? "2001:db8::1" : "2001:db8:8000::1", 53, i % 4)
				     : tcp(next_random(), 1, SERVER, (uint16_t)next_random());
		if (i % 7 == 0)
			put16(bulk[i].data + AT_TYPE, 0x8100);
		single[i] = bulk[i];
	}
	uint32_t n = fixture_run(&acl, bulk, BATCH_MAX, 0);
	memcpy(outcomes, acl.batch.outcomes, sizeof(outcomes));
	acl_stage.fini(acl.state);
	acl.state = acl_stage.init(acl.settings, &acl.rcu, &(struct stage_place){.count = 1, .prefetch = false});
	CHECK_EQUAL(fixture_run(&acl, single, BATCH_MAX, 0), n);
	CHECK(memcmp(outcomes, acl.batch.outcomes, sizeof(outcomes)) == 0);
	for (uint32_t i = 0; i < n; i++)
		CHECK(bulk[i].bytes == single[i].bytes && memcmp(bulk[i].data, single[i].data, bulk[i].bytes) == 0);
	fixture_close(&acl);
}

static struct flow_key key_of(const struct frame *f)
{
	struct packet p = {0};

	packet_parse(f->data, f->bytes, &p);
	return flow_id_ipv4(f->data, &p);
}

/* The verdict of a flow is kept until the rules change, and is used only for the flow's addresses and ports. */
static void notes_of_a_flow(void)
{
	struct frame f = tcp(CLIENT, 1, SERVER, 80), rewritten = tcp(CLIENT, 1, SERVER, 81), six = udp6("::1", 53, 0);
	struct flow_path path = {.key = key_of(&f)};

	open_acl("permit 1 tcp any any any 80\ndeny 2 tcp any any any 81\n", "");
	acl.batch.flow_cached = true;
	acl.batch.paths[0] = &path;
	RUNS(&rewritten, "denied");
	CHECK_EQUAL(path.notes[0], 0);
	RUNS(&f, "permitted");
	CHECK(path.notes[0] != 0);
	path.notes[0]--; /* the same rule's verdict, denied: has an effect only if the note is used */
	RUNS(&f, "denied");
	RUNS(&rewritten, "denied");
	RUNS(&six, "default_denied");
	replace_tables("permit 1 tcp any any any any\n");
	RUNS(&f, "permitted");
	RUNS(&rewritten, "permitted");
	acl.batch.flow_cached = false;
	fixture_close(&acl);
}

/* The end of a long comment is no rule. */
static void a_line_has_any_length(void)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "deny 1 any any any any any\n#%0510dpermit 9 any any any any any\n"
		 "%600spermit 8 tcp any any any 80\n",
		 0, "");
	open_acl(text, "");
	check_tcp(IP(10, 0, 0, 1), 1, IP(10, 0, 0, 2), 79, "denied");
	check_tcp(IP(10, 0, 0, 1), 1, IP(10, 0, 0, 2), 80, "permitted");
	fixture_close(&acl);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {
		"allow 1 tcp any any any any\n",	  "permit 0 tcp any any any any\n",
		"permit 268435456 tcp any any any any\n", "permit x tcp any any any any\n",
		"permit 1 tcpp any any any any\n",	  "permit 1 256 any any any any\n",
		"permit 1 tcp 10.0.0.1/8 any any any\n",  "permit 1 tcp any any 2001:db8::1/32 any\n",
		"permit 1 tcp 10.0.0.0/8 any ::/0 any\n", "permit 1 tcp any 65536 any any\n",
		"permit 1 tcp any 5-4 any any\n",	  "permit 1 tcp any 5- any any\n",
		"permit 1 icmp any 80 any any\n",	  "permit 1 any any any any 80\n",
		"permit 1 tcp any any any\n",		  "permit 1 tcp any any any any any\n",
		"permit 1 tcp any any any 1\ndeny 1 udp any any any 2\n",
	};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[acl]\nrules = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		acl_stage.hooks.release(acl_stage.hooks.configure(config));
		CHECK_EQUAL(config_mistakes(config), 1);
		config_free(config);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(each_field_decides);
	RUN(highest_priority_decides);
	RUN(default_action);
	RUN(protocols_without_ports);
	RUN(ipv6_and_rules_of_both);
	RUN(ipv4_options);
	RUN(what_no_rule_can_judge);
	RUN(counts_outlive_a_reload);
	RUN(prefetch_changes_nothing);
	RUN(notes_of_a_flow);
	RUN(a_line_has_any_length);
	RUN(mistakes_are_counted);
	return 0;
}
