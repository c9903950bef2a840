/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "meter/histogram.h"

void histogram_clear(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->least < into->least)
		into->least = from->least;
	if (from->greatest > into->greatest)
		into->greatest = from->greatest;
	into->count += from->count;
	into->sum += from->sum;
	for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++)
		into->bins[bin] += from->bins[bin];
}

/* The greatest value of a bin. */
static uint64_t bin_end(uint32_t bin)
{
	if (bin < 2 * HISTOGRAM_STEPS)
		return bin;
	uint32_t shift = bin / HISTOGRAM_STEPS - 1;
	return ((uint64_t)(bin % HISTOGRAM_STEPS + HISTOGRAM_STEPS + 1) << shift) - 1;
}

uint64_t histogram_at(const struct histogram *h, uint32_t per_mille)
{
	uint64_t rank = (h->count * per_mille + 999) / 1000, seen = 0;

	for (uint32_t bin = 0; bin + 1 < HISTOGRAM_BINS; bin++) {
		seen += h->bins[bin];
		if (seen >= rank)
			return bin_end(bin) < h->greatest ? bin_end(bin) : h->greatest;
	}
	return h->greatest;
}

double histogram_mean(const struct histogram *h)
{
	return h->count == 0 ? 0 : (double)h->sum / (double)h->count;
}
