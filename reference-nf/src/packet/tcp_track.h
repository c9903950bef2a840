/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A translator's state of the TCP connection on a record, which determines the idle time (RFC 5382, REQ-5). A
 * half-closed connection keeps the long one until both sides have sent FIN (RFC 7857, 2.2); a reset one has the short
 * one (2.3). `out` is the side that opens: the inside of a NAT, the clients of a load balancer.
 */
#ifndef TCP_TRACK_H
#define TCP_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

#define TCP_FIN 0x01u
#define TCP_SYN 0x02u
#define TCP_RST 0x04u
#define TCP_ACK 0x10u
#define TCP_EVENTS (TCP_FIN | TCP_SYN | TCP_RST)
#define TCP_FLAGS_AT 13u

/* 0 for other protocols. */
static inline uint8_t tcp_flags(const uint8_t *frame, const struct packet *p)
{
	return p->protocol == IPPROTO_TCP ? frame[p->l4 + TCP_FLAGS_AT] : 0;
}

/* 0: established, no side has closed; other protocols are always in this state. */
enum tcp_track {
	TCP_TRACK_ESTABLISHED = 0,
	TCP_TRACK_FIN_OUT = 1, /* established, half closed */
	TCP_TRACK_FIN_IN = 2,
	TCP_TRACK_OPENING = 4, /* together with the SYNs seen */
	TCP_TRACK_SYN_OUT = 8,
	TCP_TRACK_SYN_IN = 16,
	TCP_TRACK_CLOSED = 32,
};

static inline bool tcp_track_transitory(uint8_t state)
{
	return (state & (TCP_TRACK_OPENING | TCP_TRACK_CLOSED)) != 0;
}

/* A SYN on an established connection belongs to another connection of the same mapping, or to none. */
static inline uint8_t tcp_track_syn(uint8_t state, bool out)
{
	uint8_t syn = out ? TCP_TRACK_SYN_OUT : TCP_TRACK_SYN_IN;

	if (state & TCP_TRACK_OPENING)
		return state | syn;
	return state & TCP_TRACK_CLOSED ? TCP_TRACK_OPENING | syn : state;
}

/* The state after a packet. Only the opening side establishes a connection, because others can also reach a mapping. */
static inline uint8_t tcp_track_next(uint8_t state, uint8_t flags, bool out, bool payload)
{
	if (flags & TCP_RST)
		return TCP_TRACK_CLOSED;
	if (flags & TCP_SYN)
		return tcp_track_syn(state, out);
	if (out && state == (TCP_TRACK_OPENING | TCP_TRACK_SYN_OUT | TCP_TRACK_SYN_IN))
		state = TCP_TRACK_ESTABLISHED;
	if (flags & TCP_FIN) {
		if (!tcp_track_transitory(state))
			state |= out ? TCP_TRACK_FIN_OUT : TCP_TRACK_FIN_IN;
		return state == (TCP_TRACK_FIN_OUT | TCP_TRACK_FIN_IN) ? TCP_TRACK_CLOSED : state;
	}
	/* a closed connection has no data: these are of another connection, or the RST was not valid */
	return state == TCP_TRACK_CLOSED && out && payload ? TCP_TRACK_ESTABLISHED : state;
}

/* The state after the first packet, which is in the middle of a connection after a restart. */
static inline uint8_t tcp_track_first(uint8_t flags)
{
	uint8_t before = flags & (TCP_SYN | TCP_RST) ? TCP_TRACK_CLOSED : TCP_TRACK_ESTABLISHED;
	return tcp_track_next(before, flags, true, false);
}

#endif
