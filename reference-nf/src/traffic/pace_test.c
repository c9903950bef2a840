/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "traffic/pace.h"

#define HZ UINT64_C(2500000000)

/* Sends the packets due up to now. Returns their number. */
static uint64_t send_due(struct pace *p, uint64_t now)
{
	uint64_t sent = 0;
	for (; pace_is_due(p, now); sent++)
		pace_sent(p);
	return sent;
}

static void keeps_the_rate(void)
{
	const uint64_t rates[] = {1, 7, 1000, 333333, 1000000, 14880952, 1000000000};
	struct pace p;

	for (uint32_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (uint32_t burst = 1; burst <= 64 && burst <= rates[i]; burst *= 8) {
			uint64_t begin = UINT64_MAX - HZ / 2000; /* the counter wraps around in between */
			pace_open(&p, rates[i], burst, 0, HZ);
			pace_start(&p, begin);
			uint64_t ms = rates[i] > 1000000 ? 2 : 5000;
			uint64_t sent = send_due(&p, begin + ms * HZ / 1000 - 1), asked = ms * rates[i] / 1000;
			CHECK(sent + burst > asked && sent <= asked + burst);
		}
}

static void sends_in_bursts(void)
{
	struct pace p;

	pace_open(&p, 1000, 10, 0, HZ);
	pace_start(&p, 5000);
	for (uint32_t i = 0; i < 10; i++) {
		CHECK_EQUAL(pace_due(&p), 5000);
		pace_sent(&p);
	}
	CHECK_EQUAL(pace_due(&p), 5000 + HZ / 100);
	CHECK(!pace_is_due(&p, 5000 + HZ / 100 - 1));
	CHECK(pace_is_due(&p, 5000 + HZ / 100));
}

static void gives_up_what_is_late_and_stays_in_step(void)
{
	struct pace p;
	uint64_t interval = HZ / 100; /* of a burst */

	pace_open(&p, 1000, 10, 2 * interval, HZ);
	pace_start(&p, 0);
	pace_sent(&p);
	CHECK_EQUAL(pace_give_up(&p, 2 * interval, UINT64_MAX), 0);
	/* bursts 0 and 1 are too late; one packet of burst 0 was sent */
	CHECK_EQUAL(pace_give_up(&p, 3 * interval + 1, UINT64_MAX), 19);
	CHECK_EQUAL(p.late, 19);
	CHECK_EQUAL(pace_due(&p), 2 * interval);
	CHECK_EQUAL(send_due(&p, 3 * interval + 1), 20);
	CHECK_EQUAL(pace_due(&p), 4 * interval);
	/* at most as many as the run has left */
	CHECK_EQUAL(pace_give_up(&p, 100 * interval, 13), 13);
	CHECK_EQUAL(pace_due(&p), 5 * interval);
	CHECK_EQUAL(p.late, 32);
}

static void a_pause_is_not_late(void)
{
	struct pace p;

	pace_open(&p, 1000, 10, 0, HZ);
	pace_start(&p, 0);
	pace_sent(&p);
	pace_start(&p, 100 * HZ);
	CHECK_EQUAL(pace_give_up(&p, 100 * HZ, UINT64_MAX), 0);
	CHECK_EQUAL(send_due(&p, 100 * HZ), 10);
}

static void no_rate_is_no_schedule(void)
{
	struct pace p;

	pace_open(&p, 0, 1, 0, HZ);
	CHECK_EQUAL(p.interval, 0);
}

int main(void)
{
	RUN(keeps_the_rate);
	RUN(sends_in_bursts);
	RUN(gives_up_what_is_late_and_stays_in_step);
	RUN(a_pause_is_not_late);
	RUN(no_rate_is_no_schedule);
	return 0;
}
