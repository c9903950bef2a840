/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures by the sequence numbers and time stamps of arriving packets: loss, reordering (RFC 4737: a packet is
 * reordered when a later one of its flow has arrived), duplicates (RFC 5560), latency, and jitter (the difference of
 * the latencies of two consecutive packets of a flow: Veitch et al., III).
 */
#ifndef METER_H
#define METER_H

#include <stdbool.h>
#include <stdint.h>

#include "meter/histogram.h"
#include "meter/stamp.h"

#define METER_WINDOW 32u /* this far before the newest number, duplicates and late packets can be distinguished */

/* One direction of a flow. */
struct arrivals {
	uint32_t expected; /* the next sequence number */
	uint32_t window;   /* bit i: number expected - 1 - i has arrived */
	uint32_t latency;  /* of the newest packet, in ticks, at most 2^32 - 1; 0: unknown */
};

struct meter {
	bool timing;	/* stamps hold the TSC */
	uint64_t since; /* latencies of packets due earlier are not counted */
	uint64_t received, reordered, duplicates;
	uint64_t damaged; /* packets without a valid stamp */
	struct meter_times {
		struct histogram latency, jitter; /* in ticks */
	} times[STAMP_DIRECTIONS];
};

/* Resets everything except the settings. */
void meter_clear(struct meter *meter);
void meter_clear_times(struct meter *meter);
/* The times of both directions together. */
void meter_all_times(const struct meter *meter, struct meter_times *all);

static inline void meter_latency(struct meter *m, struct arrivals *a, enum stamp_direction direction, uint64_t due,
				 uint64_t now, bool consecutive)
{
	struct meter_times *times = &m->times[direction];
	uint64_t latency = now - due, kept = latency < UINT32_MAX ? latency : UINT32_MAX;

	if ((int64_t)(due - m->since) < 0) {
		a->latency = 0; /* the next packet is not compared with it either */
		return;
	}
	histogram_add(&times->latency, latency);
	if (consecutive && a->latency != 0)
		histogram_add(&times->jitter, kept > a->latency ? kept - a->latency : a->latency - kept);
	a->latency = (uint32_t)kept;
}

static inline void meter_arrival(struct meter *m, struct arrivals *a, enum stamp_direction direction, uint32_t sequence,
				 uint64_t due, uint64_t now)
{
	int32_t ahead = (int32_t)(sequence - a->expected);

	if (ahead >= 0) {
		a->window = ahead >= (int32_t)METER_WINDOW - 1 ? 1 : a->window << (ahead + 1) | 1;
		a->expected = sequence + 1;
	} else {
		uint32_t behind = (uint32_t)~ahead; /* -ahead - 1 */
		if (behind < METER_WINDOW && (a->window >> behind & 1) != 0) {
			m->duplicates++;
			return;
		}
		if (behind < METER_WINDOW)
			a->window |= UINT32_C(1) << behind;
		m->reordered++;
	}
	m->received++;
	if (m->timing)
		meter_latency(m, a, direction, due, now, ahead == 0);
}

#endif
