/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "l3fwd/l3fwd_config.h"
#include "l3fwd/l3fwd_table.h"
#include "stage_fixture.h"

static struct fixture l3fwd;

#define HOPS "next_hop 0 02:00:00:00:01:00\nnext_hop 1 02:00:00:00:01:01\nnext_hop 2 02:00:00:00:01:02\n"
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

static void check_hop(uint32_t destination, uint8_t hop)
{
	const uint8_t addresses[12] = {2, 0, 0, 0, 1, hop, 2, 0, 0, 0, 0xff, 0};
	struct frame f = to(destination);

	RUNS(&f, "forwarded");
	CHECK(memcmp(f.data, addresses, sizeof(addresses)) == 0);
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

static void what_is_not_routed(void)
{
	static const struct {
		uint16_t type;
		const char *outcome;
	} types[] = {{0x8100, "vlan"}, {0x88a8, "vlan"}, {0x86dd, "ipv6"}, {0x0806, "not_ip"}};

	open_l3fwd(HOPS "route 0.0.0.0/0 0\n", "");
	for (uint32_t i = 0; i < 4; i++) {
		struct frame f = to(1);
		put16(f.data + AT_TYPE, types[i].type);
		RUNS(&f, types[i].outcome);
	}
	struct frame f = to(1);
	f.data[AT_IP + 10] ^= 1;
	RUNS(&f, "malformed");
	f = to(1); /* a router looks no further than the IPv4 header */
	put16(f.data + AT_FRAGMENT, 0x2000);
	fix_checksums(&f);
	RUNS(&f, "forwarded");
	fixture_close(&l3fwd);
}

/* rte_lpm against a linear search over the same routes. */
static void generated_routes(void)
{
	char keys[] = "routes_generated = 3000\nroutes_seed = 7";
	uint32_t address = 12345, hits = 0;

	open_l3fwd(HOPS "route 10.0.0.0/8 1\n", keys);
	const struct l3fwd_settings *s = l3fwd.settings;
	CHECK_EQUAL(s->route_count, 3001);
	for (uint32_t i = 0; i < 20000; i++) {
		const struct l3fwd_route *best = NULL;
		address = address * 1664525 + 1013904223;
		for (uint32_t r = 0; r < s->route_count; r++)
			if (ipv4_inside(s->routes[r].prefix, address) &&
			    (best == NULL || s->routes[r].prefix.length >= best->prefix.length))
				best = &s->routes[r];
		const struct l3fwd_next_hop *hop = l3fwd_table_lookup(l3fwd.state, address);
		CHECK((hop == NULL) == (best == NULL));
		if (hop != NULL)
			CHECK_EQUAL(hop->to.addr_bytes[5], best->next_hop);
		hits += hop != NULL;
	}
	CHECK(hits > 1000);
	fixture_close(&l3fwd);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {"next_hop 0 02:00\n",	     "next_hop 300 02:00:00:00:01:00\n",
					    HOPS "route 10.0.0.1/8 0\n",     HOPS "route 10.0.0.0/33 0\n",
					    HOPS "route 10.0.0.0/8 9\n",     HOPS "route 10.0.0.0/8\n",
					    HOPS "route 10.0.0.0/8 0 tail\n", "nonsense\n"};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[l3fwd]\nroutes = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		l3fwd_stage.release(l3fwd_stage.configure(config));
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
	RUN(what_is_not_routed);
	RUN(generated_routes);
	RUN(mistakes_are_counted);
	return 0;
}
