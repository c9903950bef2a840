/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SYNTHETIC_TIMES_H
#define SYNTHETIC_TIMES_H

#include <stdint.h>

/* When the packets of a batch are due. */
struct synthetic_times {
	const uint64_t *due; /* of each; NULL: */
	uint64_t time, step; /* of the first, and from each to the next */
};

static inline uint64_t synthetic_time(const struct synthetic_times *t, uint32_t i)
{
	return t->due != NULL ? t->due[i] : t->time + i * t->step;
}

#endif
