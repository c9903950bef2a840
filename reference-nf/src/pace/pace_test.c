/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "check.h"
#include "pace/pace.h"

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
			uint64_t sent = send_due(&p, begin + ms * HZ / 1000 - 1), expected = ms * rates[i] / 1000;
			CHECK(sent + burst > expected && sent <= expected + burst);
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

/* Gaps of a family at 1 M packets/s: 100 steps of 10 ns. */
#define DRAWS 1000000
#define STEP_TICKS (HZ / 100000000)

static void draws_have_mean_and_variance(const char *text, double variance, double error_of_variance)
{
	static double table[GAPS_DRAWS];
	struct gaps_settings settings;
	struct pace p;
	uint64_t last = 0;
	double sum = 0, squares = 0;

	CHECK(gaps_parse(text, &settings));
	pace_open(&p, 1000000, 1, 0, HZ);
	if (settings.family != GAPS_CONSTANT) {
		gaps_fill(table, &settings, 1000, (double)HZ / 1e9);
		pace_draw(&p, table, 7);
	}
	pace_start(&p, 0);
	for (uint32_t i = 0; i < DRAWS; i++) {
		pace_sent(&p);
		double steps = (double)(pace_due(&p) - last) / (double)STEP_TICKS;
		last = pace_due(&p);
		sum += steps;
		squares += (steps - 100) * (steps - 100);
	}
	/* five standard deviations of a mean; the variance of a sample's variance grows with the tail */
	CHECK(fabs(sum / DRAWS - 100) < 5 * sqrt(variance / DRAWS) + 1e-3);
	CHECK(fabs(squares / DRAWS - variance) < error_of_variance * variance + 1e-6);
}

static void gaps_of_each_family(void)
{
	draws_have_mean_and_variance("cbr", 0, 0);
	draws_have_mean_and_variance("poisson", 100, 0.01);
	draws_have_mean_and_variance("geometric", 100 * 101, 0.02);
	draws_have_mean_and_variance("nbinom:0.5", 50 * 50, 0.02);
	draws_have_mean_and_variance("nbinom:2", 200 * 200, 0.04);
	draws_have_mean_and_variance("nbinom:0.05", 100, 0.01); /* has Poisson's variance at least */
}

/* The table itself, without drawing: the exact probability of no step, and the mean. */
static void the_table_is_the_distribution(void)
{
	static double table[GAPS_DRAWS];
	const struct gaps_settings poisson = {GAPS_POISSON, 0}, geometric = {GAPS_GEOMETRIC, 0};
	uint32_t zeros = 0;
	double sum = 0;

	gaps_fill(table, &geometric, 40, 1); /* 4 steps */
	for (uint32_t i = 0; i < GAPS_DRAWS; i++) {
		zeros += table[i] < 5;
		sum += table[i];
	}
	CHECK(fabs((double)zeros / GAPS_DRAWS - 0.2) < 1e-4);
	CHECK(fabs(sum / GAPS_DRAWS - 40) < 1e-6);
	gaps_fill(table, &poisson, 20, 1); /* 2 steps */
	for (zeros = 0; table[zeros] < 5;)
		zeros++;
	CHECK(fabs((double)zeros / GAPS_DRAWS - exp(-2)) < 1e-4);
	/* slow traffic has longer steps */
	gaps_fill(table, &geometric, 1e9, 1);
	sum = 0;
	for (uint32_t i = 0; i < GAPS_DRAWS; i++)
		sum += table[i];
	CHECK(fabs(sum / GAPS_DRAWS / 1e9 - 1) < 1e-9);
}

static void names_of_families(void)
{
	struct gaps_settings s;

	CHECK(gaps_parse("cbr", &s) && s.family == GAPS_CONSTANT);
	CHECK(gaps_parse("nbinom:2", &s) && s.family == GAPS_NEGATIVE_BINOMIAL && fabs(s.cv - 2) < 1e-12);
	CHECK(!gaps_parse("nbinom:", &s) && !gaps_parse("nbinom:5", &s) && !gaps_parse("nbinom:2x", &s));
	CHECK(!gaps_parse("normal", &s) && !gaps_parse("", &s) && !gaps_parse("nbinom:nan", &s));
}

static void random_gaps_keep_their_rate_when_late(void)
{
	static double table[GAPS_DRAWS];
	const struct gaps_settings geometric = {GAPS_GEOMETRIC, 0};
	struct pace p;

	gaps_fill(table, &geometric, 1000, (double)HZ / 1e9);
	pace_open(&p, 1000000, 1, 1000, HZ);
	pace_draw(&p, table, 1);
	pace_start(&p, UINT64_MAX - HZ / 20); /* the counter wraps around in between */
	uint64_t given_up = pace_give_up(&p, p.start + HZ / 10, UINT64_MAX), sent = 0;
	CHECK(given_up > 98000 && given_up < 102000);
	CHECK_EQUAL(p.late, given_up);
	for (uint64_t end = p.start + HZ / 10; pace_is_due(&p, end); sent++)
		pace_sent(&p);
	CHECK(sent > 98000 && sent < 102000);
}

/* Half the packets of a ramp from nothing are due in the last 29 % of its period: x^2 = 1/2. */
static void a_ramp_rises_and_begins_again(void)
{
	const uint64_t period = HZ / 100, begin = UINT64_MAX - period / 2; /* the counter wraps around in between */
	struct pace p;

	pace_open(&p, 1000000, 1, 0, HZ);
	p.ramp = (struct ramp){.period = (double)period, .least = 0};
	pace_start(&p, begin);
	CHECK_EQUAL(pace_due(&p), begin);
	uint64_t sent = 0;
	for (uint32_t tenth = 1; tenth <= 10; tenth++) {
		sent += send_due(&p, begin + tenth * period / 10 - 1);
		CHECK(fabs((double)sent - 100.0 * tenth * tenth) <= 1);
	}
	CHECK_EQUAL(sent, 10000);
	CHECK(fabs((double)send_due(&p, begin + period + period / 2) - 2500) <= 1);
	/* a new turn begins with the ramp's slow end */
	pace_start(&p, 0);
	CHECK(fabs((double)send_due(&p, period / 2) - 2500) <= 1);
}

static void a_ramp_keeps_the_mean_rate(void)
{
	static double table[GAPS_DRAWS];
	const struct gaps_settings geometric = {GAPS_GEOMETRIC, 0};
	const double leasts[] = {0, 0.25, 1};
	struct pace p;

	for (uint32_t i = 0; i < 3; i++) {
		pace_open(&p, 1000000, 32, 0, HZ);
		p.ramp = (struct ramp){.period = (double)HZ / 1000, .least = leasts[i]};
		pace_start(&p, 7);
		/* of the first quarter of a period: a/4 + (1 - a)/16 */
		double quarter = 1000 * (leasts[i] / 4 + (1 - leasts[i]) / 16);
		CHECK(fabs((double)send_due(&p, 7 + HZ / 4000) - quarter) <= 32);
		CHECK(fabs((double)send_due(&p, 7 + HZ / 10) - 100000) <= 64 + quarter);
	}
	gaps_fill(table, &geometric, 1000, (double)HZ / 1e9);
	pace_open(&p, 1000000, 1, 0, HZ);
	pace_draw(&p, table, 3);
	p.ramp = (struct ramp){.period = (double)HZ / 1000, .least = 0.5};
	pace_start(&p, 0);
	uint64_t sent = send_due(&p, HZ / 10), before = p.due;
	CHECK(sent > 98000 && sent < 102000);
	pace_sent(&p);
	CHECK(pace_due(&p) >= before);
}

int main(void)
{
	RUN(keeps_the_rate);
	RUN(sends_in_bursts);
	RUN(gives_up_what_is_late_and_stays_in_step);
	RUN(a_pause_is_not_late);
	RUN(no_rate_is_no_schedule);
	RUN(gaps_of_each_family);
	RUN(the_table_is_the_distribution);
	RUN(names_of_families);
	RUN(random_gaps_keep_their_rate_when_late);
	RUN(a_ramp_rises_and_begins_again);
	RUN(a_ramp_keeps_the_mean_rate);
	return 0;
}
