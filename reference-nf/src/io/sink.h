/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The far side: takes what the NF sent, and learns, as a server does, under which address each flow reaches it.
 */
#ifndef SINK_H
#define SINK_H

#include "io/dump.h"
#include "io/flows.h"
#include "io/io.h"

struct sink {
	struct io *io;
	struct flows *flows;
	struct dump dump;
	uint64_t ns_per_packet; /* time stamps of the dump: packets so far, at this pace */
	uint64_t packets;
};

extern const struct nalm_outcome_spec sink_outcomes[];
enum { SINK_RECEIVED };

/* Takes everything there is. Returns how many packets. */
uint32_t sink_process(struct sink *sink);

#endif
