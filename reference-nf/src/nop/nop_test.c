/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "stage_fixture.h"

int main(int argc, char **argv)
{
	struct fixture nop;
	struct frame frames[BATCH_MAX], was;

	(void)argc;
	fixture_eal(argv[0]);
	fixture_open(&nop, &nop_stage, "[chain]\n");
	was = make_frame(6, IP(10, 0, 0, 1), 1, IP(192, 0, 2, 1), 80, "x", 1);
	for (uint32_t i = 0; i < BATCH_MAX; i++)
		frames[i] = was;
	frames[0].bytes = 3;
	CHECK_EQUAL(fixture_run(&nop, frames, BATCH_MAX, 0), BATCH_MAX);
	for (uint32_t i = 1; i < BATCH_MAX; i++)
		CHECK(frames[i].bytes == was.bytes && memcmp(frames[i].data, was.data, was.bytes) == 0);
	fixture_close(&nop);
	return 0;
}
