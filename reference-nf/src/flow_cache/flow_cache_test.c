/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "flow_cache/flow_cache.h"
#include "packet/flow_id.h"
#include "stage_fixture.h"

static struct fixture cache;

static struct frame of_flow(uint32_t number)
{
	return make_frame(17, IP(10, 0, 0, 1), (uint16_t)(1000 + number), IP(192, 0, 2, 1), 80, "x", 1);
}

static void open_cache(uint32_t entries)
{
	char text[64];
	snprintf(text, sizeof(text), "[flow_cache]\nentries = %u\n", entries);
	fixture_open(&cache, &flow_cache_stage, text);
}

#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&cache, &(frame), 0), outcome) == 0)

static void the_first_packet_opens_later_ones_follow(void)
{
	struct frame a = of_flow(1), b = of_flow(2);

	open_cache(16);
	RUNS(a, "first_of_flow");
	RUNS(a, "follows");
	RUNS(b, "first_of_flow");
	RUNS(a, "follows");
	RUNS(b, "follows");
	fixture_close(&cache);
}

static void what_has_no_flow(void)
{
	struct frame error = make_frame(1, IP(10, 0, 0, 1), 5, IP(192, 0, 2, 1), 0, "", 0), arp = of_flow(1);

	open_cache(16);
	error.data[AT_L4] = 3; /* destination unreachable */
	fix_checksums(&error);
	put16(arp.data + AT_TYPE, 0x0806);
	RUNS(error, "no_flow");
	RUNS(arp, "no_flow");
	error.data[AT_L4] = 8; /* echo request */
	fix_checksums(&error);
	RUNS(error, "first_of_flow");
	error.data[AT_L4] = 0; /* its reply is another flow */
	fix_checksums(&error);
	RUNS(error, "first_of_flow");
	fixture_close(&cache);
}

/* With any evictions, each packet's path is its flow's or an empty one. Notes stay with their flow. */
static void paths_are_the_flows_own(uint32_t entries, uint32_t flows, uint32_t size)
{
	static struct frame frames[BATCH_MAX];
	static uint64_t cached[4096];
	uint32_t random = 1, numbers[BATCH_MAX], follows = 0;

	memset(cached, 0, sizeof(cached));
	open_cache(entries);
	for (uint32_t round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < size; i++) {
			random = random * 1664525 + 1013904223;
			numbers[i] = (random >> 12) % flows;
			frames[i] = of_flow(numbers[i]);
		}
		CHECK_EQUAL(fixture_run(&cache, frames, size, 0), size);
		CHECK(cache.batch.flow_cached);
		follows += cache.batch.outcomes[0];
		for (uint32_t i = 0; i < size; i++) {
			struct flow_path *path = cache.batch.paths[i];
			struct flow_key none = {{0, 0}}, own = flow_id_ipv4(frames[i].data, &cache.batch.packets[i]);
			if (memcmp(&path->key, &none, sizeof(none)) == 0) {
				CHECK_EQUAL(path->notes[0], 0);
				continue;
			}
			CHECK(memcmp(&path->key, &own, sizeof(own)) == 0);
			CHECK(path->notes[0] == 0 || path->notes[0] == cached[numbers[i]]);
			path->notes[0] = cached[numbers[i]] = (uint64_t)round << 32 | i | 1;
		}
	}
	CHECK(follows > 0);
	fixture_close(&cache);
}

static void under_eviction(void)
{
	paths_are_the_flows_own(64, 50, 64);  /* all fit */
	paths_are_the_flows_own(16, 100, 64); /* fewer paths than flows in a batch */
	paths_are_the_flows_own(64, 1000, BATCH_MAX);
	paths_are_the_flows_own(1, 3, 8);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(the_first_packet_opens_later_ones_follow);
	RUN(what_has_no_flow);
	RUN(under_eviction);
	return 0;
}
