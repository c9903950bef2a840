/* SPDX-License-Identifier: BSD-3-Clause */
#include "meter/meter.h"

void meter_clear(struct meter *m)
{
	*m = (struct meter){.timing = m->timing, .since = m->since};
}
