/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the flow cache stores of one flow: each stage's decision, in a slot of its own. A stage checks a note before it
 * uses it, because its tables may have changed or its flow may be gone. If the note is not valid, the stage decides
 * again and writes its decision. 0: no decision.
 */
#ifndef FLOW_PATH_H
#define FLOW_PATH_H

#include <stdint.h>

#include "table/flow_table.h"

#define FLOW_PATH_NOTES 6u

struct flow_path {
	struct flow_key key;
	uint64_t notes[FLOW_PATH_NOTES];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct flow_path) == 64, "one cache line");

/* The note of a record in a stage's table. The record's epoch is never 0. */
static inline uint64_t flow_path_note(uint32_t epoch, uint32_t record)
{
	return (uint64_t)epoch << 32 | record;
}

#endif
