/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stamp that the generator writes at the end of a payload for the sink: the packet's flow, its place in the flow,
 * and when it was due (Veitch et al., III). The stages here do not change a payload's end, so the stamp survives any
 * rewriting of headers. It has 18 bytes, all that a frame of 64 bytes has left after Ethernet, IPv4 and UDP.
 * Big-endian.
 */
#ifndef STAMP_H
#define STAMP_H

#include <stdint.h>
#include <string.h>

#define STAMP_BYTES 18u
#define STAMP_MARK 0xa7u
#define STAMP_REPLY (UINT32_C(1) << 31) /* in the flow's number */

enum stamp_direction { STAMP_OUTBOUND, STAMP_INBOUND, STAMP_DIRECTIONS };

struct stamp {
	uint8_t generation; /* increases when another flow takes the number */
	uint32_t flow;	    /* with STAMP_REPLY for packets to the client; each direction has its own sequence */
	uint32_t sequence;
	uint64_t time; /* TSC, or virtual time in ns */
};

static inline void stamp_write(uint8_t *at, const struct stamp *s)
{
	const uint32_t flow = __builtin_bswap32(s->flow), sequence = __builtin_bswap32(s->sequence);
	const uint64_t time = __builtin_bswap64(s->time);

	at[0] = STAMP_MARK;
	at[1] = s->generation;
	memcpy(at + 2, &flow, sizeof(flow));
	memcpy(at + 6, &sequence, sizeof(sequence));
	memcpy(at + 10, &time, sizeof(time));
}

/* Returns whether the payload has a stamp. */
static inline int stamp_read(const uint8_t *at, struct stamp *s)
{
	memcpy(&s->flow, at + 2, sizeof(s->flow));
	memcpy(&s->sequence, at + 6, sizeof(s->sequence));
	memcpy(&s->time, at + 10, sizeof(s->time));
	s->flow = __builtin_bswap32(s->flow);
	s->sequence = __builtin_bswap32(s->sequence);
	s->time = __builtin_bswap64(s->time);
	s->generation = at[1];
	return at[0] == STAMP_MARK;
}

#endif
