/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "meter/meter.h"

void meter_clear(struct meter *m)
{
	*m = (struct meter){.timing = m->timing, .since = m->since};
}

void meter_clear_times(struct meter *m)
{
	memset(m->times, 0, sizeof(m->times));
}

void meter_all_times(const struct meter *m, struct meter_times *all)
{
	memset(all, 0, sizeof(*all));
	for (uint32_t i = 0; i < STAMP_DIRECTIONS; i++) {
		histogram_merge(&all->latency, &m->times[i].latency);
		histogram_merge(&all->jitter, &m->times[i].jitter);
	}
}
