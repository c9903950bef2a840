/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The median of a benchmark's rounds.
 */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdint.h>
#include <stdlib.h>

static inline int median_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts the values; of an even number, the upper of the two in the middle. */
static inline double median(double values[], uint32_t n)
{
	qsort(values, n, sizeof(*values), median_order);
	return values[n / 2];
}

#endif
