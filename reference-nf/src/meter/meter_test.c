/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "table/hashing.h"
#include "meter/meter.h"
#include "meter/stamp.h"

static struct meter meter;
static struct arrivals flow;

static void begin(bool timing)
{
	meter.timing = timing;
	meter.since = 0;
	meter_clear(&meter);
	flow = (struct arrivals){0};
}

/* Sequence numbers as they arrive. */
static void arrive(const uint32_t *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		meter_arrival(&meter, &flow, STAMP_INBOUND, numbers[i], 0, 0);
}

static void check_counts(uint64_t received, uint64_t reordered, uint64_t duplicates)
{
	CHECK_EQUAL(meter.received, received);
	CHECK_EQUAL(meter.reordered, reordered);
	CHECK_EQUAL(meter.duplicates, duplicates);
}

static void tells_order_loss_and_duplicates(void)
{
	begin(false);
	arrive((uint32_t[]){0, 1, 2, 3}, 4);
	check_counts(4, 0, 0);
	arrive((uint32_t[]){7, 8}, 2); /* 4..6 have not come */
	check_counts(6, 0, 0);
	arrive((uint32_t[]){5}, 1);
	check_counts(7, 1, 0);
	arrive((uint32_t[]){5, 8, 3}, 3);
	check_counts(7, 1, 3);
	arrive((uint32_t[]){9}, 1);
	check_counts(8, 1, 3);
}

static void looks_back_as_far_as_the_window(void)
{
	begin(false);
	arrive((uint32_t[]){0, 1, 33}, 3);
	arrive((uint32_t[]){2, 2}, 2); /* 31 behind the newest: the window's last */
	check_counts(4, 1, 1);
	arrive((uint32_t[]){1}, 1); /* before it: not distinguishable from a late one */
	check_counts(5, 2, 1);
	arrive((uint32_t[]){64, 33, 34}, 3);
	check_counts(7, 3, 2);
	arrive((uint32_t[]){1000, 64}, 2); /* a jump past the window forgets */
	check_counts(9, 4, 2);
}

static void numbers_wrap_around(void)
{
	begin(false);
	flow.expected = UINT32_MAX - 1;
	arrive((uint32_t[]){UINT32_MAX - 1, UINT32_MAX, 0, 1, UINT32_MAX}, 5);
	check_counts(4, 0, 1);
}

static void latency_and_jitter(void)
{
	begin(true);
	meter.since = 1000;
	meter_arrival(&meter, &flow, STAMP_INBOUND, 0, 999, 5000); /* due before */
	CHECK_EQUAL(meter.times[STAMP_INBOUND].latency.count, 0);
	meter_arrival(&meter, &flow, STAMP_INBOUND, 1, 2000, 2030);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].jitter.count, 0); /* there is none before it */
	meter_arrival(&meter, &flow, STAMP_INBOUND, 2, 3000, 3010);
	meter_arrival(&meter, &flow, STAMP_INBOUND, 4, 4000, 4040); /* not consecutive */
	meter_arrival(&meter, &flow, STAMP_INBOUND, 5, 5000, 5045);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].latency.count, 4);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].latency.least, 10);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].latency.greatest, 45);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].latency.sum, 30 + 10 + 40 + 45);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].jitter.count, 2);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].jitter.sum, 20 + 5);
	CHECK_EQUAL(meter.times[STAMP_INBOUND].jitter.greatest, 20);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Compared with the values themselves: never below, and above by less than a bin. */
static void percentiles(void)
{
	static struct histogram h;
	static uint64_t values[10000];
	const uint32_t points[] = {1, 500, 900, 990, 999, 1000};

	for (uint32_t spread = 1; spread < 40; spread += 6) {
		histogram_clear(&h);
		for (uint32_t i = 0; i < 10000; i++)
			histogram_add(&h, values[i] = mix64(i) >> (63 - spread));
		qsort(values, 10000, sizeof(values[0]), by_value);
		for (uint32_t p = 0; p < sizeof(points) / sizeof(points[0]); p++) {
			uint64_t exact = values[10 * points[p] - 1], is = histogram_at(&h, points[p]);
			CHECK(is >= exact && is <= exact + exact / 32);
		}
		CHECK_EQUAL(histogram_at(&h, 1000), values[9999]);
		CHECK_EQUAL(h.least, values[0]);
	}
	histogram_clear(&h);
	CHECK_EQUAL(histogram_at(&h, 500), 0);
	CHECK(histogram_mean(&h) == 0);
}

/* Every value falls into a bin, neighbours into the same or the next. */
static void bins_have_no_gap(void)
{
	for (uint64_t value = 0; value < 1u << 20; value++) {
		uint32_t bin = histogram_bin(value), next = histogram_bin(value + 1);
		CHECK(next == bin || next == bin + 1);
	}
	CHECK_EQUAL(histogram_bin(UINT64_MAX), HISTOGRAM_BINS - 1);
	CHECK_EQUAL(histogram_bin((UINT64_C(1) << HISTOGRAM_BITS) - 1), HISTOGRAM_BINS - 1);
	CHECK_EQUAL(histogram_bin(UINT64_C(1) << (HISTOGRAM_BITS - 1)), HISTOGRAM_BINS - HISTOGRAM_STEPS);
}

static void stamps_come_back(void)
{
	const struct stamp is = {0x12, 0x3456789a | STAMP_REPLY, 0xfedcba98, 0x0123456789abcdef};
	static const uint8_t expected[STAMP_BYTES] = {0xa7, 0x12, 0xb4, 0x56, 0x78, 0x9a, 0xfe, 0xdc, 0xba,
						      0x98, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
	uint8_t bytes[STAMP_BYTES];
	struct stamp back;

	stamp_write(bytes, &is);
	CHECK(memcmp(bytes, expected, STAMP_BYTES) == 0);
	CHECK(stamp_read(bytes, &back));
	CHECK(back.generation == is.generation && back.flow == is.flow && back.sequence == is.sequence &&
	      back.time == is.time);
	bytes[0] ^= 1;
	CHECK(!stamp_read(bytes, &back));
}

int main(void)
{
	RUN(tells_order_loss_and_duplicates);
	RUN(looks_back_as_far_as_the_window);
	RUN(numbers_wrap_around);
	RUN(latency_and_jitter);
	RUN(percentiles);
	RUN(bins_have_no_gap);
	RUN(stamps_come_back);
	return 0;
}
