/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "packet/checksum.h"
#include "l3fwd/l3fwd_rewrite.h"
#include "l3fwd/l3fwd_table.h"
#include "stage_fixture.h"

static struct fixture l3fwd;

#define HOPS "next_hop 0 02:00:00:00:01:00\nnext_hop 1 02:00:00:00:01:01\nnext_hop 2 02:00:00:00:01:02\n"
enum { AT_HOP_LIMIT = AT_IP + 7 };

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&l3fwd, frame, 0), outcome) == 0)

static void open_l3fwd(const char *routes, const char *keys)
{
	char text[512];
	snprintf(text, sizeof(text), "[l3fwd]\nroutes = %s\n%s\n", fixture_file(routes), keys);
	fixture_open(&l3fwd, &l3fwd_stage, text);
}

static struct frame to(uint32_t destination)
{
	return make_frame(6, IP(10, 0, 0, 1), 1, destination, 80, "x", 1);
}

static struct frame to6(const char *destination)
{
	struct frame f = {.bytes = AT_IP + 40 + 8};

	put16(f.data + AT_TYPE, 0x86dd);
	f.data[AT_IP] = 0x60;
	put16(f.data + AT_IP + 4, 8);
	f.data[AT_IP + 6] = 59; /* no next header */
	f.data[AT_HOP_LIMIT] = 64;
	CHECK(inet_pton(AF_INET6, destination, f.data + AT_IP + 24) == 1);
	return f;
}

static void check_addresses(const struct frame *f, uint8_t hop)
{
	const uint8_t addresses[12] = {2, 0, 0, 0, 1, hop, 2, 0, 0, 0, 0xff, 0};
	CHECK(memcmp(f->data, addresses, sizeof(addresses)) == 0);
}

static void check_hop6(const char *destination, uint8_t hop)
{
	struct frame f = to6(destination), was = f;

	RUNS(&f, "forwarded");
	check_addresses(&f, hop);
	was.data[AT_HOP_LIMIT]--;
	CHECK(memcmp(f.data + AT_TYPE, was.data + AT_TYPE, f.bytes - AT_TYPE) == 0);
}

static void check_hop(uint32_t destination, uint8_t hop)
{
	struct frame f = to(destination);

	RUNS(&f, "forwarded");
	check_addresses(&f, hop);
	CHECK_EQUAL(f.data[AT_TTL], 63);
	CHECK(checksums_right(f.data, f.bytes));
}

static void longest_prefix_wins(void)
{
	open_l3fwd(HOPS "route 192.0.0.0/8 0\nroute 192.0.2.0/24 1\nroute 192.0.2.128/25 2\nroute 192.0.2.7/32 0\n", "");
	check_hop(IP(192, 9, 9, 9), 0);
	check_hop(IP(192, 0, 2, 1), 1);
	check_hop(IP(192, 0, 2, 128), 2);
	check_hop(IP(192, 0, 2, 7), 0);
	struct frame f = to(IP(193, 0, 0, 1));
	RUNS(&f, "no_route");
	fixture_close(&l3fwd);
}

static void default_route_and_replacement(void)
{
	open_l3fwd(HOPS "route 0.0.0.0/0 1\nroute 0.0.0.0/0 2\nroute 8.0.0.0/8 1\nroute 8.0.0.0/8 0\n", "");
	check_hop(IP(1, 2, 3, 4), 2);
	check_hop(IP(200, 2, 3, 4), 2);
	check_hop(IP(8, 8, 8, 8), 0);
	fixture_close(&l3fwd);
}

static void time_to_live(void)
{
	open_l3fwd(HOPS "route 0.0.0.0/0 0\n", "");
	for (uint32_t ttl = 0; ttl < 256; ttl++) {
		struct frame f = to(IP(1, 2, 3, 4));
		set_ttl(&f, (uint8_t)ttl);
		RUNS(&f, ttl <= 1 ? "ttl_expired" : "forwarded");
		if (ttl > 1) {
			CHECK_EQUAL(f.data[AT_TTL], ttl - 1);
			CHECK(checksums_right(f.data, f.bytes));
		}
	}
	fixture_close(&l3fwd);
}

/* Equation 3 of RFC 1624, for every checksum and every TTL that is forwarded. */
static void every_checksum_and_ttl(void)
{
	for (uint32_t ttl = 2; ttl < 256; ttl++)
		for (uint32_t check = 0; check < 65536; check++) {
			uint8_t field[4] = {(uint8_t)ttl, 17, (uint8_t)check, (uint8_t)(check >> 8)};
			uint16_t was = load16(field);
			uint16_t expected = load16(field + 2);

			decrement_ttl(field);
			expected = checksum_apply(expected, checksum_delta16(was, load16(field)));
			CHECK_EQUAL(field[0], ttl - 1);
			CHECK_EQUAL(field[1], 17);
			CHECK_EQUAL(load16(field + 2), expected);
		}
}

static void ipv6_longest_prefix_wins(void)
{
	open_l3fwd(HOPS "route 2001:db8::/32 0\nroute 2001:db8:1::/48 1\nroute 2001:db8:1:2::/63 2\n"
			"route 2001:db8::1/128 1\nroute 2001:db8::1/128 2\nroute 10.0.0.0/8 1\n", "");
	check_hop6("2001:db8:ffff::9", 0);
	check_hop6("2001:db8:1::9", 1);
	check_hop6("2001:db8:1:3::9", 2);
	check_hop6("2001:db8:1:4::9", 1);
	check_hop6("2001:db8::1", 2);
	check_hop6("2001:db8::2", 0);
	check_hop(IP(10, 1, 1, 1), 1);
	struct frame f = to6("2001:db9::1");
	RUNS(&f, "no_route");
	fixture_close(&l3fwd);
}

static void ipv6_default_route_and_none(void)
{
	open_l3fwd(HOPS "route ::/0 1\nroute ::/0 2\n", "");
	check_hop6("::1", 2);
	check_hop6("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 2);
	fixture_close(&l3fwd);
	/* rte_lpm6 has two routes of length 1 for the default one; wherever it stands, it replaces no longer route */
	open_l3fwd(HOPS "route 8000::/1 2\nroute ::/0 1\n", "");
	check_hop6("9000::1", 2);
	check_hop6("2001:db8::1", 1);
	fixture_close(&l3fwd);
	open_l3fwd(HOPS "route ::/0 1\nroute ::/1 0\nroute ::/0 2\n", "");
	check_hop6("9000::1", 2);
	check_hop6("2001:db8::1", 0);
	fixture_close(&l3fwd);
	open_l3fwd(HOPS "route 0.0.0.0/0 0\n", "");
	struct frame f = to6("2001:db8::1");
	RUNS(&f, "no_route");
	fixture_close(&l3fwd);
}

static void hop_limit(void)
{
	open_l3fwd(HOPS "route ::/0 0\n", "");
	for (uint32_t limit = 0; limit < 256; limit++) {
		struct frame f = to6("2001:db8::1");
		f.data[AT_HOP_LIMIT] = (uint8_t)limit;
		RUNS(&f, limit <= 1 ? "ttl_expired" : "forwarded");
		if (limit > 1)
			CHECK_EQUAL(f.data[AT_HOP_LIMIT], limit - 1);
	}
	struct frame f = to6("2001:db8::1");
	f.data[AT_IP + 6] = 44; /* a fragment */
	RUNS(&f, "forwarded");
	f = to6("2001:db8::1");
	f.data[AT_IP + 6] = 43; /* a routing header longer than the packet */
	f.data[AT_IP + 41] = 9;
	RUNS(&f, "forwarded");
	f = to6("2001:db8::1");
	put16(f.data + AT_IP + 4, 9); /* payload longer than the frame */
	RUNS(&f, "malformed");
	fixture_close(&l3fwd);
}

static void what_is_not_routed(void)
{
	static const struct {
		uint16_t type;
		const char *outcome;
	} types[] = {{0x8100, "vlan"}, {0x88a8, "vlan"}, {0x86dd, "malformed"}, {0x0806, "not_ip"}};

	open_l3fwd(HOPS "route 0.0.0.0/0 0\n", "");
	for (uint32_t i = 0; i < 4; i++) {
		struct frame f = to(1);
		put16(f.data + AT_TYPE, types[i].type);
		RUNS(&f, types[i].outcome);
	}
	struct frame f = to(1);
	f.data[AT_IP + 10] ^= 1;
	RUNS(&f, "malformed");
	f = to(1); /* a router reads only the IPv4 header */
	put16(f.data + AT_FRAGMENT, 0x2000);
	fix_checksums(&f);
	RUNS(&f, "forwarded");
	fixture_close(&l3fwd);
}

static uint32_t next_random(void)
{
	static uint64_t state = 12345;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* The next hop of an address by a linear search; L3FWD_NO_HOP: no route. */
static uint64_t search(const struct l3fwd_settings *s, uint32_t address)
{
	const struct l3fwd_route *best = NULL;

	for (uint32_t r = 0; r < s->route_count; r++)
		if (ipv4_inside(s->routes[r].prefix, address) &&
		    (best == NULL || s->routes[r].prefix.length >= best->prefix.length))
			best = &s->routes[r];
	return best == NULL ? L3FWD_NO_HOP : best->next_hop;
}

static bool inside6(const struct ipv6_prefix *prefix, const uint8_t *address)
{
	struct ipv6_prefix masked = {.length = prefix->length};

	memcpy(masked.address, address, IPV6_ADDRESS_BYTES);
	ipv6_prefix_mask(&masked);
	return memcmp(masked.address, prefix->address, IPV6_ADDRESS_BYTES) == 0;
}

static int32_t search6(const struct l3fwd_settings *s, const uint8_t *address)
{
	const struct l3fwd_route6 *best = NULL;

	for (uint32_t r = 0; r < s->route6_count; r++)
		if (inside6(&s->routes6[r].prefix, address) &&
		    (best == NULL || s->routes6[r].prefix.length >= best->prefix.length))
			best = &s->routes6[r];
	return best == NULL ? L3FWD_NO_HOP6 : best->next_hop;
}

static void generated_routes(void)
{
	uint32_t addresses[64], hits = 0;
	uint64_t hops[64];

	open_l3fwd(HOPS "route 10.0.0.0/8 1\n", "routes_generated = 3000\nroutes_seed = 7");
	const struct l3fwd_settings *s = l3fwd.settings;
	CHECK_EQUAL(s->route_count, 3001);
	for (uint32_t bulk = 0; bulk < 300; bulk++) {
		for (uint32_t i = 0; i < 64; i++)
			addresses[i] = next_random();
		l3fwd_table_lookup(rcu_tables_get(&l3fwd.rcu), addresses, hops, 64);
		for (uint32_t i = 0; i < 64; i++) {
			CHECK_EQUAL(hops[i], search(s, addresses[i]));
			hits += hops[i] != L3FWD_NO_HOP;
		}
	}
	CHECK(hits > 1000);
	fixture_close(&l3fwd);
}

/* Addresses inside and next to the routes, because few IPv6 addresses have a route. */
static void generated_routes6(void)
{
	uint8_t addresses[64][IPV6_ADDRESS_BYTES];
	uint32_t hits = 0;
	int32_t hops[64];

	open_l3fwd(HOPS "route 2001:db8::/32 1\n", "routes6_generated = 3000\nroutes_seed = 7");
	const struct l3fwd_settings *s = l3fwd.settings;
	CHECK_EQUAL(s->route6_count, 3001);
	for (uint32_t bulk = 0; bulk < 60; bulk++) {
		for (uint32_t i = 0; i < 64; i++) {
			memcpy(addresses[i], s->routes6[next_random() % s->route6_count].prefix.address, IPV6_ADDRESS_BYTES);
			addresses[i][next_random() % 8] ^= (uint8_t)(1u << next_random() % 8);
		}
		l3fwd_table_lookup6(rcu_tables_get(&l3fwd.rcu), addresses, hops, 64);
		for (uint32_t i = 0; i < 64; i++) {
			CHECK_EQUAL(hops[i], search6(s, addresses[i]));
			hits += hops[i] != L3FWD_NO_HOP6;
		}
	}
	CHECK(hits > 500 && hits < 60 * 64 - 500);
	fixture_close(&l3fwd);
}

/* More prefixes longer than 24 bits than entries of 2 bytes can refer to. */
static void many_long_prefixes(void)
{
	enum { PREFIXES = 33000 };
	static char text[PREFIXES * 32];
	size_t end = (size_t)snprintf(text, sizeof(text), HOPS);

	for (uint32_t i = 0; i < PREFIXES; i++)
		end += (size_t)snprintf(text + end, sizeof(text) - end, "route 20.%u.%u.%u/32 %u\n", i >> 8, i & 255, i & 255, i % 3);
	open_l3fwd(text, "");
	for (uint32_t i = 0; i < PREFIXES; i += 97)
		check_hop(IP(20, i >> 8, i & 255, i & 255), (uint8_t)(i % 3));
	struct frame f = to(IP(20, 1, 1, 2));
	RUNS(&f, "no_route");
	fixture_close(&l3fwd);
}

static void what_does_not_fit_is_said(void)
{
	char text[256];

	snprintf(text, sizeof(text), "[l3fwd]\nroutes = %s\nroutes_generated = 2000000\n", fixture_file(HOPS));
	struct config *config = fixture_config(text);
	void *settings = l3fwd_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	CHECK(l3fwd_stage.hooks.build(settings, &(struct stage_place){.count = 1}) == NULL);
	l3fwd_stage.hooks.release(settings);
	config_free(config);
}

/* Packets one by one get the same outcomes as in a bulk; both have every outcome. */
static void prefetch_changes_nothing(void)
{
	struct frame bulk[BATCH_MAX], single[BATCH_MAX];
	uint32_t outcomes[NALM_PROBE_MAX_OUTCOMES];

	open_l3fwd(HOPS "route 128.0.0.0/1 1\nroute 64.0.0.0/2 2\nroute 2001:db8::/33 0\n", "");
	for (uint32_t i = 0; i < BATCH_MAX; i++) {
		bulk[i] = i % 3 == 0 ? to6(i % 2 == 0 ? "2001:db8::1" : "2001:db8:8000::1") : to(next_random());
		if (i % 7 == 0)
			put16(bulk[i].data + AT_TYPE, 0x8100);
		single[i] = bulk[i];
	}
	uint32_t n = fixture_run(&l3fwd, bulk, BATCH_MAX, 0);
	memcpy(outcomes, l3fwd.batch.outcomes, sizeof(outcomes));
	l3fwd_stage.fini(l3fwd.state);
	l3fwd.state = l3fwd_stage.init(l3fwd.settings, &l3fwd.rcu, &(struct stage_place){.count = 1, .prefetch = false});
	CHECK_EQUAL(fixture_run(&l3fwd, single, BATCH_MAX, 0), n);
	CHECK(memcmp(outcomes, l3fwd.batch.outcomes, sizeof(outcomes)) == 0);
	for (uint32_t i = 0; i < n; i++)
		CHECK(bulk[i].bytes == single[i].bytes && memcmp(bulk[i].data, single[i].data, bulk[i].bytes) == 0);
	fixture_close(&l3fwd);
}

static void replace_tables(const char *routes)
{
	char text[512];

	snprintf(text, sizeof(text), "[l3fwd]\nroutes = %s\n", fixture_file(routes));
	struct config *config = fixture_config(text);
	void *old = rcu_tables_get(&l3fwd.rcu), *settings = l3fwd_stage.hooks.configure(config);
	CHECK_EQUAL(config_mistakes(config), 0);
	void *tables = l3fwd_stage.hooks.build(settings, &(struct stage_place){.count = 1});
	CHECK(tables != NULL);
	atomic_store(&l3fwd.rcu.tables, tables);
	l3fwd_stage.hooks.destroy(old);
	l3fwd_stage.hooks.release(l3fwd.settings);
	l3fwd.settings = settings;
	config_free(config);
}

/* A flow's path is followed as long as its table is in use and its destination is the same. */
static void notes_of_a_flow(void)
{
	struct flow_path path = {0};

	open_l3fwd(HOPS "route 10.0.0.0/8 1\nroute 11.0.0.0/8 2\n", "");
	l3fwd.batch.flow_cached = true;
	l3fwd.batch.paths[0] = &path;
	struct frame f = to(IP(12, 0, 0, 1));
	RUNS(&f, "no_route");
	CHECK_EQUAL(path.notes[0], 0);
	check_hop(IP(10, 0, 0, 1), 1);
	uint64_t note = path.notes[0];
	CHECK(note != 0);
	path.notes[0] = note + 1; /* another next hop: has an effect only if the note is used */
	check_hop(IP(10, 0, 0, 1), 2);
	check_hop(IP(11, 0, 0, 1), 2);
	check_hop(IP(10, 0, 0, 1), 1);
	path.notes[0] = note + 1;
	replace_tables(HOPS "route 10.0.0.0/8 0\n");
	check_hop(IP(10, 0, 0, 1), 0);
	f = to(IP(11, 0, 0, 1));
	RUNS(&f, "no_route");
	l3fwd.batch.flow_cached = false;
	fixture_close(&l3fwd);
}

static void others_pass_where_configured(void)
{
	struct frame f = to(IP(10, 0, 0, 1)), was;

	open_l3fwd(HOPS "route 10.0.0.0/8 1\n", "others = pass");
	put16(f.data + AT_TYPE, 0x88b5);
	was = f;
	RUNS(&f, "not_routed");
	CHECK(f.bytes == was.bytes && memcmp(f.data, was.data, f.bytes) == 0);
	put16(f.data + AT_TYPE, 0x8100);
	RUNS(&f, "not_routed");
	f.bytes = 13;
	RUNS(&f, "malformed");
	f = to(IP(11, 0, 0, 1));
	RUNS(&f, "no_route");
	fixture_close(&l3fwd);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {"next_hop 0 02:00\n",	     "next_hop 300 02:00:00:00:01:00\n",
					    HOPS "route 10.0.0.1/8 0\n",     HOPS "route 10.0.0.0/33 0\n",
					    HOPS "route 10.0.0.0/8 9\n",     HOPS "route 10.0.0.0/8\n",
					    HOPS "route 10.0.0.0/8 0 tail\n", "nonsense\n",
					    HOPS "route 2001:db8::1/32 0\n", HOPS "route 2001:db8::/129 0\n",
					    HOPS "route 2001:db8::/32 7\n",  HOPS "route 2001:db8:::/32 0\n",
					    HOPS "route ::/ 0\n",
					    "next_hop 4294967296 02:00:00:00:01:00\n",
					    "next_hop -4294967295 02:00:00:00:01:00\n",
					    HOPS "route 10.0.0.0/8 4294967296\n", HOPS "route 10.0.0.0/8 -4294967295\n",
					    HOPS "route 10.0.0.0/8 000000000000\n"};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[l3fwd]\nroutes = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		l3fwd_stage.hooks.release(l3fwd_stage.hooks.configure(config));
		CHECK_EQUAL(config_mistakes(config), 1);
		config_free(config);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(longest_prefix_wins);
	RUN(default_route_and_replacement);
	RUN(time_to_live);
	RUN(every_checksum_and_ttl);
	RUN(ipv6_longest_prefix_wins);
	RUN(ipv6_default_route_and_none);
	RUN(hop_limit);
	RUN(what_is_not_routed);
	RUN(generated_routes);
	RUN(generated_routes6);
	RUN(many_long_prefixes);
	RUN(what_does_not_fit_is_said);
	RUN(prefetch_changes_nothing);
	RUN(notes_of_a_flow);
	RUN(others_pass_where_configured);
	RUN(mistakes_are_counted);
	return 0;
}
