/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The far side: receives what the NF sent, learns from which address each flow reaches it, as a server does, and
 * measures packets with a stamp.
 */
#ifndef SINK_H
#define SINK_H

#include "meter/dump.h"
#include "traffic/generator.h"
#include "meter/meter.h"

struct sink {
	struct io *io;
	struct generator *generator; /* whose flows they are */
	struct dump dump;
	struct meter meter;
	uint64_t warm_up; /* ticks after the first start without latencies; 0 once started */
	uint64_t packets;
};

extern const struct nalm_outcome_spec sink_outcomes[];
enum { SINK_RECEIVED };

void sink_open(struct sink *sink, struct generator *generator);
/* Starts time, or continues it after a pause. Call generator_start() before. */
void sink_start(struct sink *sink);
/* Resets all counts. */
void sink_reset(struct sink *sink);
/* Receives all packets that wait. Returns their number. */
uint32_t sink_process(struct sink *sink);

#endif
