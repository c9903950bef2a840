/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts values in bins whose width is at most 1/32 of the value: percentiles without storing values.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEPS 32u		 /* bins between two powers of two; below twice that, each value has one */
#define HISTOGRAM_BITS 42u		 /* the last bin counts larger values; the greatest is also stored */
#define HISTOGRAM_BINS (HISTOGRAM_STEPS * (HISTOGRAM_BITS - 4u))

struct histogram {
	uint64_t count, sum, least, greatest;
	uint64_t bins[HISTOGRAM_BINS];
};

static inline uint32_t histogram_bin(uint64_t value)
{
	if (value < HISTOGRAM_STEPS)
		return (uint32_t)value;
	uint32_t shift = 58u - (uint32_t)__builtin_clzll(value); /* leaves 6 bits, the first of them 1 */
	uint32_t bin = shift * HISTOGRAM_STEPS + (uint32_t)(value >> shift);
	return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	if (h->count == 0 || value < h->least)
		h->least = value;
	if (value > h->greatest)
		h->greatest = value;
	h->count++;
	h->sum += value;
	h->bins[histogram_bin(value)]++;
}

void histogram_clear(struct histogram *h);
/* Adds the values of another. */
void histogram_merge(struct histogram *into, const struct histogram *from);
/* The value that per_mille of the values do not exceed, up to the width of its bin. 0 if there are no values. */
uint64_t histogram_at(const struct histogram *h, uint32_t per_mille);
double histogram_mean(const struct histogram *h);

#endif
