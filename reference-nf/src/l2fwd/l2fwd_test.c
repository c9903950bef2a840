/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "l2fwd/l2fwd_generate.h"
#include "l2fwd/l2fwd_table.h"
#include "stage_fixture.h"

static struct fixture l2fwd;

#define STATIONS "station 02:00:00:00:20:01 forward # a server\n\nstation 02:00:00:00:10:01 filter\n"
#define RUNS(frame, outcome) CHECK(strcmp(fixture_run_one(&l2fwd, frame, 0), outcome) == 0)

static void open_l2fwd(const char *stations, const char *keys)
{
	char text[512];
	snprintf(text, sizeof(text), "[l2fwd]\nstations = %s\n%s\n", fixture_file(stations), keys);
	fixture_open(&l2fwd, &l2fwd_stage, text);
}

/* A frame of an EtherType for experiments to an address, as its number has it. */
static struct frame to(uint64_t address)
{
	struct frame f = make_frame(6, IP(10, 0, 0, 1), 1, IP(10, 0, 0, 2), 80, "x", 1);

	for (uint32_t i = 0; i < 6; i++)
		f.data[i] = (uint8_t)(address >> 8 * i);
	put16(f.data + AT_TYPE, 0x88b5);
	return f;
}

static struct frame to_bytes(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e, uint8_t f)
{
	return to((uint64_t)f << 40 | (uint64_t)e << 32 | (uint64_t)d << 24 | (uint64_t)c << 16 | (uint64_t)b << 8 | a);
}

static void known_stations(void)
{
	struct frame f = to_bytes(2, 0, 0, 0, 0x20, 1), was = f;

	open_l2fwd(STATIONS, "unknown = drop");
	RUNS(&f, "forwarded");
	CHECK(f.bytes == was.bytes && memcmp(f.data, was.data, f.bytes) == 0);
	f = to_bytes(2, 0, 0, 0, 0x10, 1);
	RUNS(&f, "filtered");
	fixture_close(&l2fwd);
}

/* An address that differs in any one bit is another station's. */
static void every_bit_counts(void)
{
	open_l2fwd(STATIONS, "unknown = drop");
	for (uint32_t bit = 0; bit < 48; bit++) {
		struct frame f = to_bytes(2, 0, 0, 0, 0x20, 1);
		f.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		RUNS(&f, bit == 0 ? "flooded" : "unknown");
	}
	fixture_close(&l2fwd);
}

static void unknown_and_group_addresses(void)
{
	struct frame f;

	open_l2fwd(STATIONS, "");
	f = to_bytes(2, 0, 0, 0, 9, 9);
	RUNS(&f, "flooded");
	f = to(L2FWD_ADDRESS_MASK);
	RUNS(&f, "flooded");
	for (uint32_t last = 0; last < 256; last++) {
		f = to_bytes(1, 0x80, 0xc2, 0, 0, (uint8_t)last);
		RUNS(&f, last < 16 ? "reserved" : "flooded");
	}
	fixture_close(&l2fwd);
	open_l2fwd("", "unknown = drop");
	f = to_bytes(2, 0, 0, 0, 0x20, 1);
	RUNS(&f, "unknown");
	fixture_close(&l2fwd);
}

static void frames_of_ip_and_short_ones(void)
{
	struct frame f;

	open_l2fwd(STATIONS, "frames = not_ip");
	for (uint32_t i = 0; i < 2; i++) {
		f = to_bytes(2, 0, 0, 0, 0x10, 1);
		put16(f.data + AT_TYPE, i == 0 ? 0x0800 : 0x86dd);
		RUNS(&f, "left_to_l3");
	}
	put16(f.data + AT_TYPE, 0x8100);
	RUNS(&f, "filtered");
	f.bytes = 13;
	RUNS(&f, "malformed");
	fixture_close(&l2fwd);
	open_l2fwd(STATIONS, "");
	f = to_bytes(2, 0, 0, 0, 0x10, 1);
	put16(f.data + AT_TYPE, 0x0800);
	RUNS(&f, "filtered");
	f.bytes = 14;
	RUNS(&f, "filtered");
	fixture_close(&l2fwd);
}

/* A batch of generated stations and neighbours of theirs: each gets the outcome of its own address. */
static void generated_stations(void)
{
	static struct frame frames[BATCH_MAX];
	uint32_t known = 0;

	open_l2fwd(STATIONS, "stations_generated = 5000\nstations_seed = 9\nunknown = drop");
	CHECK_EQUAL(((const struct l2fwd_settings *)l2fwd.settings)->count, 5002);
	for (uint32_t bulk = 0; bulk < 20; bulk++) {
		known = 0;
		for (uint32_t i = 0; i < BATCH_MAX; i++) {
			uint64_t address = l2fwd_generated_address(9, (bulk * BATCH_MAX + i) % 5000);
			known += i % 3 != 0;
			frames[i] = to(i % 3 != 0 ? address : address ^ UINT64_C(1) << 40);
		}
		CHECK_EQUAL(fixture_run(&l2fwd, frames, BATCH_MAX, 0), known);
		CHECK_EQUAL(fixture_outcome(&l2fwd, "forwarded"), known);
		CHECK_EQUAL(fixture_outcome(&l2fwd, "unknown"), BATCH_MAX - known);
	}
	fixture_close(&l2fwd);
}

/* The file decides about an address that is generated as well. */
static void the_file_comes_first(void)
{
	uint64_t address = l2fwd_generated_address(9, 3);
	char text[64];

	snprintf(text, sizeof(text), "station %02x:%02x:%02x:%02x:%02x:%02x filter\n", (unsigned int)address & 255,
		 (unsigned int)(address >> 8) & 255, (unsigned int)(address >> 16) & 255, (unsigned int)(address >> 24) & 255,
		 (unsigned int)(address >> 32) & 255, (unsigned int)(address >> 40) & 255);
	open_l2fwd(text, "stations_generated = 5\nstations_seed = 9");
	struct frame f = to(address);
	RUNS(&f, "filtered");
	fixture_close(&l2fwd);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {"station 02:00:00:00:20 forward\n",	     "station 03:00:00:00:20:01 forward\n",
					    "station 02:00:00:00:20:01\n",	     "station 02:00:00:00:20:01 drop\n",
					    "station 02:00:00:00:20:01 filter all\n", "route 10.0.0.0/8 1\n",
					    STATIONS "station 02:00:00:00:20:01 filter\n"};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[l2fwd]\nstations = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		l2fwd_stage.hooks.release(l2fwd_stage.hooks.configure(config));
		CHECK_EQUAL(config_mistakes(config), 1);
		config_free(config);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(known_stations);
	RUN(every_bit_counts);
	RUN(unknown_and_group_addresses);
	RUN(frames_of_ip_and_short_ones);
	RUN(generated_stations);
	RUN(the_file_comes_first);
	RUN(mistakes_are_counted);
	return 0;
}
