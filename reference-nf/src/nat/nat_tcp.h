/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a mapping knows of the TCP connections on it: enough to tell which of RFC 5382's two idle times holds (REQ-5).
 * The half closed keep the long one until both sides have sent FIN (RFC 7857, 2.2), what is reset has the short one
 * (2.3). Connections to several servers share a mapping: the last one opened or closed decides.
 */
#ifndef NAT_TCP_H
#define NAT_TCP_H

#include <stdbool.h>
#include <stdint.h>

#define TCP_FIN 0x01u
#define TCP_SYN 0x02u
#define TCP_RST 0x04u
#define TCP_EVENTS (TCP_FIN | TCP_SYN | TCP_RST)
#define TCP_FLAGS_AT 13u

/* 0: established, no side has closed; every other protocol has it as well. */
enum nat_tcp {
	NAT_TCP_ESTABLISHED = 0,
	NAT_TCP_FIN_OUT = 1, /* established, half closed */
	NAT_TCP_FIN_IN = 2,
	NAT_TCP_OPENING = 4, /* together with the SYNs seen */
	NAT_TCP_SYN_OUT = 8,
	NAT_TCP_SYN_IN = 16,
	NAT_TCP_CLOSED = 32,
};

static inline bool nat_tcp_transitory(uint8_t state)
{
	return (state & (NAT_TCP_OPENING | NAT_TCP_CLOSED)) != 0;
}

/* A SYN on an established mapping belongs to a further connection, or to none. */
static inline uint8_t nat_tcp_syn(uint8_t state, bool out)
{
	uint8_t syn = out ? NAT_TCP_SYN_OUT : NAT_TCP_SYN_IN;

	if (state & NAT_TCP_OPENING)
		return state | syn;
	return state & NAT_TCP_CLOSED ? NAT_TCP_OPENING | syn : state;
}

/* The state after a packet. Only the inside establishes: strangers reach a mapping as well. */
static inline uint8_t nat_tcp_next(uint8_t state, uint8_t flags, bool out, bool payload)
{
	if (flags & TCP_RST)
		return NAT_TCP_CLOSED;
	if (flags & TCP_SYN)
		return nat_tcp_syn(state, out);
	if (out && state == (NAT_TCP_OPENING | NAT_TCP_SYN_OUT | NAT_TCP_SYN_IN))
		state = NAT_TCP_ESTABLISHED;
	if (flags & TCP_FIN) {
		if (!nat_tcp_transitory(state))
			state |= out ? NAT_TCP_FIN_OUT : NAT_TCP_FIN_IN;
		return state == (NAT_TCP_FIN_OUT | NAT_TCP_FIN_IN) ? NAT_TCP_CLOSED : state;
	}
	/* nobody sends data on a closed connection: it is another one's, or the RST was nobody's */
	return state == NAT_TCP_CLOSED && out && payload ? NAT_TCP_ESTABLISHED : state;
}

/* The state after the packet that opens a mapping. One in the middle of a connection: the NAT was restarted. */
static inline uint8_t nat_tcp_first(uint8_t flags)
{
	return nat_tcp_next(flags & (TCP_SYN | TCP_RST) ? NAT_TCP_CLOSED : NAT_TCP_ESTABLISHED, flags, true, false);
}

#endif
